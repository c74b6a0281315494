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
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.Participant;

/**
 * Begins and ends transactions over as many nodes as they reach. A node is told BEGIN with the
 * first statement that goes there. A COMMIT that concerns one node is that node's own; one that
 * concerns several is coordinated.
 */
final class TransactionControl {
  private static final FixedMessage BEGIN_TAG = FixedMessage.tag("BEGIN");
  private static final FixedMessage START_TAG = FixedMessage.tag("START TRANSACTION");
  private static final String ROLLBACK = "ROLLBACK";

  private final Session session;
  private final TransactionState state;
  private boolean beginAnswered;
  private boolean groupWrote;
  private boolean schemaChanged;

  TransactionControl(Session session) {
    this.session = session;
    this.state = session.transaction();
  }

  // ---- joining
  // ---------------------------------------------------------------------------------------------------

  /**
   * A statement is about to go there: connects, and opens the transaction there if there is one, or
   * if the group of messages needs one because it writes and concerns several nodes.
   */
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
    if (state.isOpen() && !link.begun) {
      refuseSecondSnapshot();
      join(link);
    }
    link.wrote |= writes;
    links.touch(link);
  }

  /** A read is about to go to all of these, whose snapshots are taken together. */
  void enterTogether(List<Link> links) {
    if (links.size() > 1 && session.readsFromOneSnapshot()) {
      throw severalSnapshots();
    }
    for (Link link : links) {
      session.links().connect(link);
      if (state.isOpen() && !link.begun) {
        refuseSecondSnapshot();
        join(link);
      }
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
    inject(link, state.beginStatement(), false);
    for (TransactionState.Entry entry : state.history()) {
      inject(link, entry.statement(), false);
    }
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
    char letter = statement.sql().stripLeading().charAt(0);
    session.plan().add(letter == 's' || letter == 'S' ? START_TAG : BEGIN_TAG);
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
      warn("25P01", "there is no transaction in progress");
      session.plan().add(FixedMessage.tag(commit ? "COMMIT" : ROLLBACK));
      return Outcome.NEXT;
    }
    boolean reallyCommit = commit && !state.isFailed();
    Link only = session.links().begunCount() == 1 ? session.links().firstBegun() : null;
    if (only != null && only.isUsable() && !command.chain() && reallyCommit == commit) {
      state.ending();
      session.notRetryable();
      session.links().touch(only);
      inject(only, statement.statement(), true);
      session.plan().add(Action.then(() -> ended(reallyCommit)));
      session.settleBeforeNext();
      return Outcome.NEXT;
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    session.notRetryable();
    NodeStatement begin = state.beginStatement();
    String isolation = state.isolation();
    if (!reallyCommit) {
      rollbackAll();
    }
    boolean committed = reallyCommit && commitAll();
    session.output().commandComplete(committed ? "COMMIT" : ROLLBACK);
    if (command.chain()) {
      state.beginBlock(begin, isolation);
      beginAnswered = true;
    }
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
        session.settleBeforeNext();
      }
    }
    return Outcome.NEXT;
  }

  private static String savepointTag(TransactionCommand.Kind kind) {
    return switch (kind) {
      case SAVEPOINT -> "SAVEPOINT";
      case RELEASE -> "RELEASE";
      default -> ROLLBACK;
    };
  }

  // ---- ending
  // ----------------------------------------------------------------------------------------------------

  /**
   * Commits on all nodes; afterwards nothing is open.
   *
   * @return false when the transaction had failed before, and is rolled back
   * @throws RuntimeException when it was rolled back for another reason, or nobody knows
   */
  boolean commitAll() {
    List<Link> begun = session.links().begun();
    syncTouched(begun);
    List<Participant> writers = new ArrayList<>();
    List<Participant> readers = new ArrayList<>();
    String token = null;
    for (Link link : begun) {
      if (!link.isUsable()) {
        rollbackAll();
        throw new AbelianException(
            SqlState.CONNECTION_FAILURE,
            "the connection to " + link + " was lost; the transaction is rolled back",
            "Try the transaction again.");
      }
      if (link.connection.transactionStatus() == 'E') {
        state.fail();
      }
      boolean writes = hasTransactionId(link);
      token = token == null && writes ? link.connection.transactionToken() : token;
      (writes ? writers : readers).add(new LinkParticipant(link));
    }
    if (state.isFailed()) {
      rollbackAll();
      return false;
    }
    boolean committed =
        begun.isEmpty()
            || answer(
                session
                    .router()
                    .commit()
                    .commit(new CommitRequest(session.id(), token, writers, readers)));
    ended(committed);
    return committed;
  }

  /**
   * Nodes report the transaction's id as soon as it has one; one that cannot is taken at the
   * statements' word.
   */
  private static boolean hasTransactionId(Link link) {
    return link.connection.reportsTokens()
        ? link.connection.transactionToken() != null
        : link.wrote;
  }

  private boolean answer(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Committed committed) {
      committed
          .warnings()
          .forEach(text -> session.output().notice(ErrorFields.of("WARNING", "01000", text)));
      return true;
    }
    if (outcome instanceof CommitOutcome.RolledBackByNode byNode) {
      ended(false);
      throw new Failure(ErrorFields.read((byte[]) byNode.failure().error()));
    } else if (outcome instanceof CommitOutcome.RolledBack rolledBack) {
      ended(false);
      throw rolledBack.error();
    } else if (outcome instanceof CommitOutcome.Unknown unknown) {
      ended(false);
      throw unknown.error();
    }
    return false;
  }

  /** Ends the group's messages there, so that simple queries may follow. */
  private static void sync(Link link) throws NodeLostException {
    link.connection.writer().empty(FrontendType.SYNC);
    link.connection.flush();
    NodeCall.await(link.connection, true);
  }

  private void syncTouched(List<Link> links) {
    for (Link link : links) {
      if (link.touched && link.isUsable()) {
        try {
          sync(link);
        } catch (NodeLostException e) {
          // isUsable() says so from here on.
        }
      }
      session.links().untouch(link);
    }
  }

  /** Rolls back on all nodes that can be reached; the others do it by themselves. */
  void rollbackAll() {
    List<Link> begun = session.links().begun();
    syncTouched(begun);
    List<LinkParticipant> told = new ArrayList<>();
    for (Link link : begun) {
      if (link.isUsable() && link.connection.transactionStatus() != 'I') {
        LinkParticipant participant = new LinkParticipant(link);
        participant.send(ROLLBACK);
        told.add(participant);
      }
    }
    for (LinkParticipant participant : told) {
      if (!(participant.await() instanceof Answer.Done)) {
        participant.close();
      }
    }
    ended(false);
  }

  /** No node has the transaction open any more. */
  void ended(boolean committed) {
    if (committed && !state.isFailed()) {
      keepSettings();
    }
    boolean changed = schemaChanged;
    schemaChanged = false;
    for (Link link : session.links().begun()) {
      link.begun = false;
      link.wrote = false;
    }
    state.end();
    session.portals().clear();
    if (changed) {
      session.schemaMayHaveChanged(committed);
    }
  }

  /** Settings made in the transaction are the session's from now on. */
  private void keepSettings() {
    boolean any = false;
    for (TransactionState.Entry entry : state.history()) {
      if (entry.settingName() != null && !entry.settingName().isEmpty()) {
        session.settings().apply(entry.settingName(), entry.statement().sql());
        any = true;
      }
    }
    if (any) {
      for (Link link : session.links().begun()) {
        if (link.isUsable()) {
          link.connection.settingsMark(session.settings().snapshot());
        }
      }
    }
  }

  /** What was found out about statements may not hold after this transaction. */
  void schemaChanged() {
    schemaChanged = true;
  }

  /** A group of messages begins. */
  void beginGroup() {
    groupWrote = false;
    session.settings().beginGroup();
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

  private void undoSettings() {
    if (session.settings().undoGroup()) {
      for (Link link : session.links().held()) {
        link.connection.settingsMark(SettingsSnapshot.UNKNOWN);
      }
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
      undoSettings();
    }
    if (state.kind() == TransactionState.Kind.IMPLICIT
        || state.isBlock() && failed && !beginAnswered) {
      if (failed) {
        rollbackAll();
      } else {
        commitImplicit();
      }
    } else if (state.isBlock()) {
      blockGoesOn(failed);
    } else if (schemaChanged) {
      schemaChanged = false;
      session.schemaMayHaveChanged(!failed);
    }
  }

  private void commitImplicit() {
    if (!commitAll()) {
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
        ended(false);
        return;
      }
    }
    if (failed) {
      state.fail();
    }
  }
}
