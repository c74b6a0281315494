package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.Cancellation;

/**
 * Has the rows of a table follow a change of its placement, which all nodes have just made: in the
 * same transaction, portion by portion, from the nodes that have them to those that shall. Nodes
 * know what waits, and let no transaction commit that has left some. docs/design/moving-rows.md
 */
final class RowMoves {
  private static final NodeStatement ANNOUNCE =
      NodeStatement.of("SELECT abelian.change_schema($1, $2, $3)");
  private static final NodeStatement MOVES =
      NodeStatement.of(
          "SELECT m.relation, m.target, m.owner, m.host, m.port, m.catalog FROM abelian.moves() m");
  private static final NodeStatement JOIN =
      NodeStatement.of("SELECT abelian.join_cluster($1::json, $2::integer)");
  private static final NodeStatement END_JOIN =
      NodeStatement.of("SELECT abelian.end_join($1::integer)");
  private static final NodeStatement ROLE =
      NodeStatement.of("SELECT pg_catalog.current_setting('role')");
  private static final NodeStatement BECOME =
      NodeStatement.of("SELECT pg_catalog.set_config('role', $1, true)");
  private static final NodeStatement TAKE =
      NodeStatement.of(
          "SELECT r.target, r.count::int, r.lines, r.last::text"
              + " FROM abelian.take_rows($1::regclass, $2::tid) r");
  private static final NodeStatement GIVE =
      NodeStatement.of("SELECT abelian.give_rows($1::regclass, $2::bytea)::text");
  private static final NodeStatement SEQUENCES =
      NodeStatement.of("SELECT s.sequence, s.steps::text FROM abelian.sequence_steps($1) s");
  private static final NodeStatement ADVANCE =
      NodeStatement.of("SELECT abelian.advance_sequence($1::regclass, $2::regclass, $3)");
  private static final NodeStatement END =
      NodeStatement.of("SELECT abelian.end_move($1::regclass)::text");

  /** As a target: every node but the one that has the rows. */
  private static final int ALL_OTHERS = 0;

  /** As a target: nobody, since others have the rows already. */
  private static final int NOBODY = -1;

  private static final byte[] START = bytes("(0,0)");

  private final EngineContext context;
  private final List<Backend> nodes;
  private final Cancellation.Watch watch;

  /**
   * @param nodes all of them, in the transaction
   */
  RowMoves(EngineContext context, List<Backend> nodes) {
    this.context = context;
    this.nodes = new ArrayList<>(nodes);
    watch = context.cancellation().watch();
  }

  /**
   * A table's rows on one node that wait.
   *
   * @param target the node that gets them; null when their keys say
   * @param owner of the table, where the client may be another; else null
   */
  private record Move(Backend source, byte[] relation, Integer target, byte[] owner) {
    /** True when the rows stay, too: a new node gets them as well. */
    boolean copies() {
      return owner != null;
    }
  }

  /** Does what waits on the nodes. */
  void run() throws IOException {
    try {
      moveAll();
    } catch (Lost lost) {
      context.replies().nodeLost(lost.connection, lost.cause);
    }
  }

  private void moveAll() throws IOException {
    List<Move> moves = new ArrayList<>();
    Backend adding = null;
    byte[] added = null;
    for (Backend node : List.copyOf(nodes)) {
      for (byte[][] row : call(node, MOVES).rows()) {
        if (row[0] == null) {
          adding = node;
          added = bytes(Integer.toString(BigEndian.int4(row[1], 0)));
          join(row, added);
          continue;
        }
        Integer target = row[1] == null ? null : BigEndian.int4(row[1], 0);
        moves.add(new Move(node, row[0], target, row[2]));
      }
    }
    for (Move move : moves) {
      if (move.copies()) {
        asOwner(move);
      } else {
        move(move);
      }
    }
    if (adding != null) {
      call(adding, END_JOIN, added);
    }
  }

  /** A new node takes part in the transaction, and gets the catalogue. */
  private void join(byte[][] row, byte[] number) throws IOException {
    String host = new String(row[3], StandardCharsets.UTF_8);
    Node node = new Node(BigEndian.int4(row[1], 0), host, BigEndian.int4(row[4], 0));
    Backend joining = context.backends().backend(node);
    try {
      context.transactions().enterNow(joining);
    } catch (NodeLostException lost) {
      throw new Lost(joining.connection, lost);
    }
    nodes.add(joining);
    call(joining, JOIN, row[5], number);
  }

  /**
   * Moves rows of a table that need not be the client's: what its owner has written runs with the
   * owner's rights.
   */
  private void asOwner(Move move) {
    List<Backend> both = new ArrayList<>(List.of(move.source));
    nodes.stream().filter(node -> node.nodeId == move.target).forEach(both::add);
    List<byte[]> before = new ArrayList<>();
    for (Backend node : both) {
      before.add(call(node, ROLE).rows().get(0)[0]);
      call(node, BECOME, move.owner);
    }
    move(move);
    for (int i = 0; i < both.size(); i++) {
      call(both.get(i), BECOME, before.get(i));
    }
  }

  private void move(Move move) {
    if (move.target != null && move.target == NOBODY) {
      call(move.source, END, move.relation);
      return;
    }
    Set<Backend> receivers = new LinkedHashSet<>();
    long leaving = 0;
    byte[] after = START;
    for (; ; ) {
      List<byte[][]> portions = call(move.source, TAKE, move.relation, after).rows();
      if (portions.isEmpty()) {
        break;
      }
      for (byte[][] portion : portions) {
        long given = give(move, portion, receivers);
        leaving += move.copies() ? 0 : given;
        after = portion[3];
      }
    }
    if (move.target == null) {
      advanceSequences(move);
    }
    long removed = number(call(move.source, END, move.relation));
    if (removed != leaving) {
      throw lost(move, leaving, removed);
    }
    receivers.forEach(receiver -> call(receiver, END, move.relation));
  }

  /** Gives how many rows leave their node, where they are to be removed. */
  private long give(Move move, byte[][] portion, Set<Backend> receivers) {
    int target = BigEndian.int4(portion[0], 0);
    int count = BigEndian.int4(portion[1], 0);
    long size = portion[2].length;
    context.memory().take(size);
    try {
      for (Backend node : nodes) {
        if (node != move.source && (target == ALL_OTHERS || target == node.nodeId)) {
          receivers.add(node);
          long written = number(call(node, GIVE, move.relation, portion[2]));
          if (written != count) {
            throw lost(move, count, written);
          }
        }
      }
    } finally {
      context.memory().give(size);
    }
    return target == ALL_OTHERS ? 0 : count;
  }

  /** No node gives a value again that the rows may have. */
  private void advanceSequences(Move move) {
    for (byte[][] row : call(move.source, SEQUENCES, move.relation).rows()) {
      for (Backend node : nodes) {
        if (node != move.source) {
          call(node, ADVANCE, move.relation, row[0], row[1]);
        }
      }
    }
  }

  private static AbelianException lost(Move move, long expected, long found) {
    String table = new String(move.relation, StandardCharsets.UTF_8);
    return AbelianException.internal(
        "%d rows of table %s arrived or left instead of %d".formatted(found, table, expected),
        null);
  }

  private static long number(QueryResult result) {
    return Long.parseLong(result.value());
  }

  /** Runs a function of the node's that only a router may call, in the client's transaction. */
  private QueryResult call(Backend node, NodeStatement statement, byte[]... values) {
    watch.check();
    NodeConnection connection = node.connection;
    context.backends().touch(node);
    try {
      if (connection.isLost()) {
        throw new NodeLostException(connection.address(), new IOException("it was closed"));
      }
      connection.timeout(context.replies().timeout());
      String number = Integer.toString(node.nodeId);
      String seal = connection.seal("change_schema", number);
      if (seal != null) {
        String router = context.router().toString();
        answer(
            connection,
            ANNOUNCE,
            NodeCall.sendPrepared(connection, ANNOUNCE, router, number, seal));
      }
      return answer(connection, statement, send(connection, statement, values));
    } catch (NodeLostException lost) {
      throw new Lost(connection, lost);
    }
  }

  private static QueryResult answer(
      NodeConnection connection, NodeStatement statement, boolean parsing)
      throws NodeLostException {
    connection.writer().empty(FrontendType.FLUSH);
    connection.flush();
    QueryResult result = NodeCall.await(connection, false);
    if (!result.succeeded()) {
      if (parsing) {
        connection.prepared().forget(statement);
      }
      throw new ClientError(result.errorFields());
    }
    return result;
  }

  /** Text has the same form in both formats; rows are asked for as they are. */
  private static boolean send(
      NodeConnection connection, NodeStatement statement, byte[]... values) {
    boolean parsing = connection.parse(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(connection.prepared().name(statement));
    boolean hasRows = statement == GIVE;
    writer.int2(hasRows ? values.length : 0);
    if (hasRows) {
      writer.int2(0).int2(1);
    }
    writer.int2(values.length);
    for (byte[] value : values) {
      writer.int4(value.length).bytes(value);
    }
    writer.int2(1).int2(1).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    return parsing;
  }

  /** A node is gone, and the transaction with it. */
  private static final class Lost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient NodeConnection connection;
    private final transient NodeLostException cause;

    Lost(NodeConnection connection, NodeLostException cause) {
      super(cause);
      this.connection = connection;
      this.cause = cause;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
