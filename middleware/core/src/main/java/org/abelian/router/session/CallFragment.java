package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommutingFragment;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.IntentId;

/**
 * One participant's part of a call that commits in one round: three prepared statements and a Sync,
 * which the node runs as one transaction. The first tells the node who takes part, the second is
 * the call, the third inserts the intent. It comes last, since it takes the commit gate, behind
 * which nothing should wait for locks.
 */
final class CallFragment implements CommutingFragment {
  private static final int TEXT = 25;
  private static final int UUID = 2950;
  private static final int INT8 = 20;
  private static final int INT4_ARRAY = 1007;

  private static final NodeStatement TELL =
      NodeStatement.of(
          "SELECT pg_catalog.set_config('abelian.participants', $1, true)", new int[] {TEXT});

  private static final NodeStatement COMMIT =
      NodeStatement.of(
          "SELECT abelian.commit_intent($1, $2, $3, $4)", new int[] {UUID, INT8, INT4_ARRAY, TEXT});

  private final int nodeId;
  private final NodeConnection connection;
  private final NodeStatement call;
  private final BindMessage bind;

  /**
   * @param link connected, and with no transaction open
   * @param call the client's statement
   * @param bind its arguments
   */
  CallFragment(Link link, NodeStatement call, BindMessage bind) {
    nodeId = link.nodeId;
    connection = link.connection;
    this.call = call;
    this.bind = bind;
  }

  @Override
  public int nodeId() {
    return nodeId;
  }

  @Override
  public void send(IntentId id, Intent intent) {
    connection.parse(TELL);
    connection.parse(COMMIT);
    connection.parse(call);
    connection.closeSurplus();
    String nodes = nodes(intent.nodes());
    execute(TELL, nodeId + ":" + nodes + "!");
    FrameWriter writer = bind(call);
    writer.bytes(bind.array(), bind.tailAt(), bind.tailLength()).end();
    execute(writer);
    String number = Long.toString(id.number());
    execute(COMMIT, id.router().toString(), number, "{" + nodes + "}", intent.work());
    writer.empty(FrontendType.SYNC);
    try {
      connection.flush();
    } catch (IOException e) {
      // await reports it.
    }
  }

  private static String nodes(List<Integer> nodes) {
    return nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private FrameWriter bind(NodeStatement statement) {
    byte[] name = connection.prepared().name(statement);
    return connection.writer().begin(FrontendType.BIND).int1(0).string(name);
  }

  private void execute(NodeStatement statement, String... values) {
    FrameWriter writer = bind(statement).int2(0).int2(values.length);
    for (String value : values) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      writer.int4(bytes.length).bytes(bytes);
    }
    writer.int2(0).end();
    execute(writer);
  }

  private static void execute(FrameWriter writer) {
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
  }

  /** Without an error before it, ReadyForQuery says that the node has committed. */
  @Override
  public Answer await() {
    if (connection.isLost()) {
      return new Answer.Lost("the connection to node " + connection.address() + " was lost");
    }
    try {
      connection.timeout((int) LinkParticipant.PATIENCE.toMillis());
      QueryResult result = NodeCall.await(connection, true);
      connection.timeout(0);
      return result.succeeded() ? new Answer.Done("COMMIT") : LinkParticipant.failed(result);
    } catch (NodeLostException e) {
      return new Answer.Lost(e.getMessage());
    }
  }
}
