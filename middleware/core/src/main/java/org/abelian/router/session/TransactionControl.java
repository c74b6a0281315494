package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;

/**
 * Begins and ends transactions over as many nodes as they reach. A node is told BEGIN with the
 * first statement that goes there. A COMMIT that concerns one node is that node's own; one that
 * concerns several is coordinated.
 */
final class TransactionControl {
  private static final FixedMessage BEGIN_TAG = FixedMessage.tag("BEGIN");
  private static final FixedMessage START_TAG = FixedMessage.tag("START TRANSACTION");
  private static final String ROLLBACK = "ROLLBACK";

  /** An error that costs nothing: there is no savepoint of that name. */
  private static final String FAIL = "ROLLBACK TO SAVEPOINT \"the transaction failed elsewhere\"";

  private final Session session;
  private final TransactionState state;
  private final TransactionEnding ending;
  private boolean beginAnswered;
  private boolean groupWrote;

  TransactionControl(Session session) {
    this.session = session;
    this.state = session.transaction();
    ending = new TransactionEnding(session);
  }

  TransactionEnding ending() {
    return ending;
  }

  // ---- joining
  // ---------------------------------------------------------------------------------------------------

  /**
   * A statement is about to go there: connects, and opens the transaction there if there is one, or
   * if the group of messages needs one because it writes and concerns several nodes.
   */
  void enter(Link link, RoutedStatement routed) {
    state.work().enters(routed);
    enter(link, routed.writes());
  }

  /** As above, for what is no statement of the client's. */
  void enter(Link link, boolean writes) {
    Links links = session.links();
    if (!state.isOpen()) {
      List<Link> touched = links.touched();
      boolean several = touched.size() > 1 || touched.size() == 1 && touched.get(0) != link;
      if (several && (writes || groupWrote)) {
        openImplicit();
      }
      groupWrote |= writes;
    }
    links.connect(link);
    joinOrCatchUp(link);
    link.wrote |= writes;
    links.touch(link);
  }

  /** A read is about to go to all of these, whose snapshots are taken together. */
  void enterTogether(List<Link> links) {
    if (links.size() > 1 && session.readsFromOneSnapshot()) {
      throw severalSnapshots();
    }
    if (groupWrote && links.size() > 1) {
      openImplicit(); // Not later: what begins a transaction would take the place of what is bound.
    }
    for (Link link : links) {
      session.links().connect(link);
      joinOrCatchUp(link);
    }
  }

  private void joinOrCatchUp(Link link) {
    if (state.isOpen() && !link.begun) {
      refuseSecondSnapshot();
      join(link);
    } else if (link.begun) {
      catchUp(link);
    }
  }

  /**
   * From here to the end of the group, everything is one transaction over the nodes that it
   * concerns.
   */
  void openImplicit() {
    if (state.isOpen()) {
      return;
    }
    state.beginImplicit();
    for (Link link : new ArrayList<>(session.links().touched())) {
      join(link);
    }
  }

  /** Each node would read from a snapshot of its own, so that the reads do not belong together. */
  private void refuseSecondSnapshot() {
    if (session.links().firstBegun() == null || !session.readsFromOneSnapshot()) {
      return;
    }
    throw severalSnapshots();
  }

  /**
   * Snapshots that the commit gate protects would do for one read, but no node sees that a
   * transaction has read there what another, which it has met elsewhere, writes: write skew.
   */
  private static AbelianException severalSnapshots() {
    return AbelianException.unsupported(
        "a transaction at this isolation level must stay on one node",
        "Use READ COMMITTED, or SET abelian.distributed_isolation = 'per_node' if snapshots of"
            + " different nodes may differ.");
  }

  private void join(Link link) {
    link.begun = true;
    link.told = 0;
    inject(link, state.beginStatement(), false);
    catchUp(link);
  }

  /** Tells a node of the transaction what it has not been told of its history. */
  void catchUp(Link link) {
    List<TransactionState.Entry> history = state.history();
    while (link.told < history.size()) {
      inject(link, history.get(link.told++).statement(), false);
    }
  }

  /** Its nodes have been told all of the transaction's history, or have gone back with it. */
  void allTold() {
    session.links().begun().forEach(link -> link.told = state.history().size());
  }

  /** Runs a statement without parameters there, within the current group of messages. */
  void inject(Link link, NodeStatement statement, boolean showTag) {
    NodeConnection connection = link.connection;
    session.links().touch(link);
    if (connection.parse(statement)) {
      session.plan().add(NodeReply.swallow(connection));
    }
    byte[] name = connection.prepared().name(statement);
    connection.writer().begin(FrontendType.BIND).int1(0).string(name).int2(0).int2(0).int2(0).end();
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    session.plan().add(NodeReply.swallow(connection));
    session.plan().add(showTag ? NodeReply.pass(connection) : NodeReply.swallow(connection));
  }

  // ---- commands
  // --------------------------------------------------------------------------------------------------

  /** Runs a command of the client. */
  Outcome run(SharedStatement statement) {
    TransactionCommand command = statement.command();
    if (state.isFailed()
        && command.kind() != TransactionCommand.Kind.COMMIT
        && command.kind() != TransactionCommand.Kind.ROLLBACK
        && command.kind() != TransactionCommand.Kind.ROLLBACK_TO) {
      throw Session.transactionAborted();
    }
    return switch (command.kind()) {
      case BEGIN -> begin(statement, command);
      case COMMIT, ROLLBACK -> end(statement, command);
      case SAVEPOINT, RELEASE, ROLLBACK_TO -> savepoint(statement, command);
    };
  }

  private Outcome begin(SharedStatement statement, TransactionCommand command) {
    if (state.isBlock()) {
      warn("25001", "there is already a transaction in progress");
    } else if (state.isOpen()) {
      state.adopt();
      beginAnswered = false;
    } else {
      state.beginBlock(statement.statement(), command.isolation());
      beginAnswered = false;
      for (Link link : new ArrayList<>(session.links().touched())) {
        join(link);
      }
    }
    session.plan().add(command.word().equals("start") ? START_TAG : BEGIN_TAG);
    session.plan().add(Action.then(() -> beginAnswered = true));
    return Outcome.NEXT;
  }

  private void warn(String sqlState, String message) {
    ErrorFields notice = ErrorFields.of("WARNING", sqlState, message);
    session.plan().add(Action.then(() -> session.output().notice(notice)));
  }

  private Outcome end(SharedStatement statement, TransactionCommand command) {
    boolean commit = command.kind() == TransactionCommand.Kind.COMMIT;
    if (!state.isBlock()) {
      return endWithoutBlock(statement, command, commit);
    }
    boolean reallyCommit = commit && !state.isFailed();
    Link only = session.links().begunCount() == 1 ? session.links().firstBegun() : null;
    if (only != null && only.isUsable() && !command.chain() && reallyCommit == commit) {
      state.ending();
      session.notRetryable();
      session.links().touch(only);
      inject(only, statement.statement(), true);
      session.watch().askBeforeEnd(only);
      session.plan().add(Action.then(() -> ending.ended(reallyCommit)));
      session.groups().settleBeforeNext();
      return Outcome.NEXT;
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    session.notRetryable();
    NodeStatement begin = state.beginStatement();
    String isolation = state.isolation();
    if (!reallyCommit) {
      ending.rollbackAll();
    }
    boolean committed = reallyCommit && ending.commitAll();
    session.output().commandComplete(committed ? "COMMIT" : ROLLBACK);
    if (command.chain()) {
      state.beginBlock(begin, isolation);
      beginAnswered = true;
    }
    return Outcome.NEXT;
  }

  /**
   * COMMIT and ROLLBACK without BEGIN warn, and end what the statements before them in the same
   * group of messages have begun.
   */
  private Outcome endWithoutBlock(
      SharedStatement statement, TransactionCommand command, boolean commit) {
    String tag = commit ? "COMMIT" : ROLLBACK;
    if (command.chain()) {
      throw Failure.of("25P01", tag + " AND CHAIN can only be used in transaction blocks");
    }
    List<Link> touched = new ArrayList<>(session.links().touched());
    if (touched.isEmpty() && !state.isOpen()) {
      warn("25P01", "there is no transaction in progress");
      session.plan().add(FixedMessage.tag(tag));
      return Outcome.NEXT;
    }
    session.notRetryable();
    if (!state.isOpen()) {
      for (Link link : touched) {
        inject(link, statement.statement(), link == touched.get(0));
      }
      session.plan().add(Action.then(state.work()::clear));
      session.groups().settleBeforeNext();
      return Outcome.NEXT;
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    session
        .output()
        .notice(ErrorFields.of("WARNING", "25P01", "there is no transaction in progress"));
    if (commit) {
      commitImplicit();
    } else {
      ending.rollbackAll();
    }
    session.output().commandComplete(tag);
    return Outcome.NEXT;
  }

  private Outcome savepoint(SharedStatement statement, TransactionCommand command) {
    if (!state.isBlock()) {
      String name =
          command.kind() == TransactionCommand.Kind.SAVEPOINT ? "SAVEPOINT" : "RELEASE SAVEPOINT";
      throw Failure.of(
          "25P01",
          (command.kind() == TransactionCommand.Kind.ROLLBACK_TO ? "ROLLBACK TO SAVEPOINT" : name)
              + " can only be used in transaction blocks");
    }
    if (command.kind() != TransactionCommand.Kind.SAVEPOINT
        && !state.hasSavepoint(command.savepoint())) {
      throw Failure.of("3B001", "savepoint \"" + command.savepoint() + "\" does not exist");
    }
    List<Link> begun = session.links().begun();
    boolean first = true;
    for (Link link : begun) {
      if (!link.isUsable()) {
        throw new AbelianException(
            SqlState.CONNECTION_FAILURE,
            "the connection to " + link + " was lost",
            "ROLLBACK the transaction.");
      }
      catchUp(link);
      inject(link, statement.statement(), first);
      first = false;
    }
    if (begun.isEmpty()) {
      session.plan().add(FixedMessage.tag(savepointTag(command.kind())));
    }
    switch (command.kind()) {
      case SAVEPOINT -> state.savepoint(command.savepoint(), statement.statement());
      case RELEASE -> state.release(command.savepoint());
      default -> {
        session.plan().add(Action.then(() -> state.rollbackTo(command.savepoint())));
        session.plan().add(Action.then(this::allTold));
        session.watch().expect();
        session.groups().settleBeforeNext();
      }
    }
    allTold();
    return Outcome.NEXT;
  }

  private static String savepointTag(TransactionCommand.Kind kind) {
    return switch (kind) {
      case SAVEPOINT -> "SAVEPOINT";
      case RELEASE -> "RELEASE";
      default -> ROLLBACK;
    };
  }

  // ---- groups of messages
  // ----------------------------------------------------------------------------------------------------

  /** A group of messages begins. */
  void beginGroup() {
    if (!state.isOpen()) {
      state.work().clear();
    }
    groupWrote = false;
    session.settings().beginGroup();
    session.watch().beginGroup();
  }

  /**
   * The group fails by an error of the router's own, of which the nodes know nothing: what they
   * have done for it must be rolled back all the same when it ends.
   */
  void failGroup() {
    if (state.isOpen()) {
      return;
    }
    for (Link link : new ArrayList<>(session.links().touched())) {
      if (!link.skips) {
        state.beginImplicit();
        join(link);
      }
    }
  }

  /**
   * Nothing more comes in this group: nodes may vote for its transaction with what they have got.
   */
  void voteEarly() {
    if (state.kind() == TransactionState.Kind.IMPLICIT && state.votesEarly()) {
      ending.voteEarly();
    }
  }

  /**
   * A group of messages ended, and all nodes have answered its Sync.
   *
   * @throws RuntimeException what the client is to be told when its implicit transaction could not
   *     commit
   */
  void endGroup(boolean failed) {
    if (failed && (!state.isBlock() || !beginAnswered)) {
      session.settings().undoGroup();
    }
    if (state.kind() == TransactionState.Kind.IMPLICIT
        || state.isBlock() && failed && !beginAnswered) {
      if (failed) {
        ending.rollbackAll();
      } else {
        commitImplicit();
      }
    } else if (state.isBlock()) {
      blockGoesOn(failed);
    } else {
      ending.withoutTransaction(!failed);
    }
  }

  private void commitImplicit() {
    if (!ending.commitAll()) {
      throw Failure.of(
          "40000", "the statements were rolled back, since a node had rolled back its part");
    }
  }

  private void blockGoesOn(boolean failed) {
    if (state.isEnding()) {
      // COMMIT failed on its node, which has rolled back; or its connection is lost, which comes to
      // the same.
      Link only = session.links().firstBegun();
      if (only == null || !only.isUsable() || only.connection.transactionStatus() == 'I') {
        ending.ended(false);
        return;
      }
    }
    if (failed) {
      state.fail();
      failEverywhere();
    }
  }

  /**
   * A transaction that has failed holds no locks any more, on no node: those that had no part in
   * the error are made to fail as well. Savepoints stay, and can be gone back to.
   */
  private void failEverywhere() {
    for (Link link : session.links().begun()) {
      if (link.isUsable() && link.connection.transactionStatus() == 'T') {
        try {
          NodeCall.simple(link.connection, FAIL);
        } catch (NodeLostException lost) {
          // The node ends what was open there.
        }
      }
    }
  }
}
