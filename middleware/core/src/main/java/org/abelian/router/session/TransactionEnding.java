package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendParticipant;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.EarlyVote;
import org.abelian.router.transaction.Participant;

/**
 * The end of a session's transaction on all nodes that have it open, and what the session learns by
 * it: settings that stay, a schema that changed.
 */
public final class TransactionEnding {
  /** Who is told what the end of a transaction changes. */
  public interface Listener {
    /** The way to commit the transaction is chosen. */
    void announced(CommitClass commitClass);

    /** No node has the transaction open any more. */
    void ended(boolean committed);

    /** The transaction has gone back to a savepoint. */
    void wentBack();

    /** What is known about statements may not hold any more. */
    void schemaChanged(boolean committed);

    /** The transaction is about to commit on its nodes. */
    void commits();
  }

  private static final int NEVER = -1;

  private final int session;
  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final SettingsWatch watch;
  private final CommitServices services;
  private final Listener listener;
  private boolean schemaChanged;

  /** How much of the transaction's history is older than its last change of the schema. */
  private int schemaChangedAt = NEVER;

  private Early early;

  /** A vote that travels with the work. */
  private record Early(
      EarlyVote vote, Backend holder, List<Backend> others, List<TagSum> answers) {}

  /**
   * Nothing is open yet.
   *
   * @param session the number of the session
   */
  public TransactionEnding(
      int session,
      TransactionState state,
      BackendSession backends,
      ReplyQueue replies,
      SettingsWatch watch,
      CommitServices services,
      Listener listener) {
    this.session = session;
    this.state = state;
    this.backends = backends;
    this.replies = replies;
    this.watch = watch;
    this.services = services;
    this.listener = listener;
  }

  /**
   * Commits on all nodes; afterwards nothing is open.
   *
   * @return false when the transaction had failed before, and is rolled back
   * @throws RuntimeException when it was rolled back for another reason, or nobody knows
   */
  public boolean commitAll() {
    if (early != null) {
      return commitEarly();
    }
    List<Backend> begun = backends.begun();
    syncTouched(begun);
    boolean serializable = isSerializable(begun);
    boolean changes = begun.stream().anyMatch(node -> node.notifies || hasTransactionId(node));
    CommitOrder order = new CommitOrder(backends.hasTemporaryObjects());
    String token = null;
    for (Backend backend : begun) {
      if (!backend.isUsable()) {
        rollbackAll();
        throw new AbelianException(
            SqlState.CONNECTION_FAILURE,
            "the connection to " + backend + " was lost; the transaction is rolled back",
            "Try the transaction again.");
      }
      if (backend.connection.transactionStatus() == 'E') {
        state.fail();
      }
      boolean writes = hasTransactionId(backend);
      token = token == null && writes ? backend.connection.transactionToken() : token;
      order.add(backend, writes || serializable && changes && backend.worked);
    }
    if (state.isFailed()) {
      rollbackAll();
      return false;
    }
    listener.commits();
    boolean committed =
        begun.isEmpty() || commit(order.request(session, token, serializable, this::participant));
    ended(committed);
    return committed;
  }

  /**
   * True when the nodes that it has worked on must find out together whether it is serializable, if
   * it has changed something: there are several.
   */
  private boolean isSerializable(List<Backend> begun) {
    return begun.stream().filter(backend -> backend.worked).count() > 1
        && IsolationSettings.isSerializable(state, backends);
  }

  private boolean commit(CommitRequest request) {
    ClassChoice choice = ClassChoice.of(state, backends, request.writers());
    announce(choice);
    return answer(
        choice.intent() == null
            ? services.coordinated().commit(request)
            : services.commuting().commit(request, choice.intent()));
  }

  /** Counts a choice, and tells the client about it if it wants to know. */
  public void announce(ClassChoice choice) {
    services.statistics().count(choice);
    listener.announced(choice.commitClass());
    if (backends.says(ClassChoice.NOTICE, "on", "true", "1")) {
      replies.output().notice(ErrorFields.of("NOTICE", "00000", choice.toString()));
    }
  }

  /**
   * Nodes report the transaction's id as soon as it has one; one that cannot, or has begun the
   * transaction behind statements of it, is taken at the statements' word.
   */
  static boolean hasTransactionId(Backend backend) {
    boolean told = backend.connection.reportsTokens() && !backend.begunBehindWork;
    return backend.connection.transactionToken() != null || !told && backend.wrote;
  }

  /**
   * Sends the vote behind the work, when several nodes have written; the answers come with the
   * group's.
   */
  public void voteEarly() {
    CommitOrder order = new CommitOrder(backends.hasTemporaryObjects());
    for (Backend backend : backends.begun()) {
      if (backend.wrote && backend.isUsable()) {
        order.add(backend, true);
      }
    }
    List<Backend> writers = order.writers();
    boolean locks = backends.begun().stream().anyMatch(backend -> backend.locks && !backend.wrote);
    if (early != null || writers.size() < 2 || locks || replies.failed()) {
      return; // Who only locks rows must not let go of them before the decision.
    }
    Backend holder = writers.get(0);
    List<Integer> nodes = writers.stream().map(backend -> backend.nodeId).toList();
    EarlyVote vote = services.coordinated().voteEarly(nodes, session);
    early = new Early(vote, holder, writers.subList(1, writers.size()), new ArrayList<>());
    ask(holder, List.of(vote.toHolder(participant(holder))), new TagSum());
    for (Backend other : early.others()) {
      TagSum answer = new TagSum();
      early.answers().add(answer);
      ask(other, vote.toOther(participant(other)), answer);
    }
  }

  /** The answer is that to the last one. */
  private void ask(Backend backend, List<String> statements, TagSum answers) {
    backends.touch(backend);
    int last = statements.size() - 1;
    statements.subList(0, last).forEach(sql -> ask(backend.connection, sql, new TagSum()));
    ask(backend.connection, statements.get(last), answers);
  }

  private void ask(NodeConnection connection, String sql, TagSum answers) {
    if (connection.parseUnnamed(NodeStatement.of(sql))) {
      replies.add(NodeReply.swallow(connection));
    }
    connection.writer().begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0).int2(0).end();
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    replies.add(NodeReply.swallow(connection));
    replies.add(NodeReply.count(connection, answers));
  }

  private boolean commitEarly() {
    Early vote = early;
    CommitOrder order = new CommitOrder(backends.hasTemporaryObjects());
    for (Backend backend : backends.begun()) {
      order.add(backend, backend == vote.holder() || vote.others().contains(backend));
    }
    boolean yes =
        vote.answers().stream().allMatch(answer -> answer.tag().equals("PREPARE TRANSACTION"))
            && vote.others().stream().allMatch(TransactionEnding::hasEnded)
            && vote.holder().isUsable();
    if (!yes) {
      rollbackAll();
      return false;
    }
    early = null;
    announce(new ClassChoice(CommitClass.COORDINATED, state.work().obstacle(), null));
    CommitRequest request = order.request(session, null, false, this::participant);
    CommitOutcome outcome = services.coordinated().commitEarly(vote.vote(), request);
    boolean committed = answer(outcome);
    ended(committed);
    return committed;
  }

  private static boolean hasEnded(Backend backend) {
    return backend.isUsable() && backend.connection.transactionStatus() == 'I';
  }

  private BackendParticipant participant(Backend backend) {
    return new BackendParticipant(backend, replies.output()::pass);
  }

  private List<Participant> participants(List<Backend> nodes) {
    return nodes.stream().<Participant>map(this::participant).toList();
  }

  /** Those that have prepared are rolled back under the vote's name. */
  private void abandonEarly() {
    if (early != null) {
      Early vote = early;
      early = null;
      List<Backend> prepared = vote.others().stream().filter(backend -> !isOpen(backend)).toList();
      services.coordinated().abandon(vote.vote(), participants(prepared));
    }
  }

  private static boolean isOpen(Backend backend) {
    return backend.isUsable() && backend.connection.transactionStatus() != 'I';
  }

  /**
   * Tells the client what became of its transaction.
   *
   * @return false when it was rolled back because it had failed before
   * @throws RuntimeException when it was rolled back for another reason, or nobody knows
   */
  public boolean answer(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Committed committed) {
      committed
          .warnings()
          .forEach(text -> replies.output().notice(ErrorFields.of("WARNING", "01000", text)));
      return true;
    }
    if (outcome instanceof CommitOutcome.RolledBackByNode byNode) {
      ended(false);
      throw new ClientError(ErrorFields.read((byte[]) byNode.failure().error()));
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
  private static void sync(Backend backend) throws NodeLostException {
    backend.connection.writer().empty(FrontendType.SYNC);
    backend.connection.flush();
    NodeCall.await(backend.connection, true);
  }

  private void syncTouched(List<Backend> nodes) {
    for (Backend backend : nodes) {
      if (backend.touched && backend.isUsable()) {
        try {
          sync(backend);
        } catch (NodeLostException e) {
          // isUsable() says so from here on.
        }
      }
      backends.untouch(backend);
    }
  }

  /** Rolls back on all nodes that can be reached; the others do it by themselves. */
  public void rollbackAll() {
    List<Backend> begun = backends.begun();
    syncTouched(begun);
    abandonEarly();
    List<BackendParticipant> told = new ArrayList<>();
    for (Backend backend : begun) {
      if (backend.isUsable() && backend.connection.transactionStatus() != 'I') {
        BackendParticipant participant = participant(backend);
        participant.send("ROLLBACK");
        told.add(participant);
      }
    }
    for (BackendParticipant participant : told) {
      if (!(participant.await() instanceof Answer.Done)) {
        participant.close();
      }
    }
    ended(false);
  }

  /** No node has the transaction open any more. */
  public void ended(boolean committed) {
    boolean kept = committed && !state.isFailed();
    watch.transactionEnded(kept, backends.begun());
    settle(kept);
    boolean changed = schemaChanged;
    schemaChanged = false;
    schemaChangedAt = NEVER;
    for (Backend backend : backends.begun()) {
      backend.transactionEnds();
      if (backend.connection != null) { // Its name is reported with the next ReadyForQuery only.
        backend.connection.transactionToken(null);
      }
    }
    state.end();
    listener.ended(kept);
    if (changed) {
      listener.schemaChanged(committed);
    }
  }

  /** What comes later in the group takes nothing of this back. */
  private void settle(boolean kept) {
    backends.finished();
    if (kept) {
      backends.settings().beginGroup();
    }
  }

  /** The transaction has gone back to a savepoint. */
  void wentBack() {
    int left = state.history().size();
    if (schemaChangedAt >= left) { // Else it stays.
      backends.forgetStatements();
      schemaChangedAt = left - 1;
    }
    listener.wentBack();
  }

  /** What was found out about statements may not hold after this transaction. */
  public void schemaChanged() {
    schemaChanged = true;
    schemaChangedAt = state.history().size();
  }

  /** A node has shown that what was found out about statements does not hold any more. */
  public void schemaIsKnownToHaveChanged() {
    listener.schemaChanged(true);
  }

  /** COMMIT or ROLLBACK without BEGIN has ended what nodes have done for the group so far. */
  public void endedWithoutBlock(boolean committed) {
    settle(committed);
    state.groupEnds();
    listener.ended(committed);
  }

  /**
   * A group of messages outside of any transaction ended, which each node has committed or rolled
   * back by itself.
   */
  public void withoutTransaction(boolean committed) {
    if (schemaChanged) {
      schemaChanged = false;
      schemaChangedAt = NEVER;
      listener.schemaChanged(committed);
    }
  }
}
