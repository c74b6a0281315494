package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.statement.RoutedStatement;

/**
 * Begins and ends transactions over as many nodes as they reach. A node is told BEGIN with the
 * first statement that goes there. A COMMIT that concerns one node is that node's own; one that
 * concerns several is coordinated.
 */
public final class Transactions {
  /** What has PostgreSQL take the transaction's snapshot. */
  private static final NodeStatement ANY_READ = NodeStatement.of("SELECT 1");

  /** No node waits alone for a moment at which it may read what it likes. */
  private static final NodeStatement NOT_DEFERRABLE =
      NodeStatement.of("SET TRANSACTION NOT DEFERRABLE");

  /** An error that costs nothing: there is no savepoint of that name. */
  private static final String FAIL = "ROLLBACK TO SAVEPOINT \"the transaction failed elsewhere\"";

  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final SettingsWatch watch;
  private final TransactionEnding ending;
  private final CommonSnapshot snapshot;
  private final SequenceDraws draws;
  private final TransactionClock clock;
  private boolean groupWrote;

  /** The number of the statement that goes to nodes now. */
  private int statement = 1;

  /** The same when a savepoint was made, by how much history there was with it. */
  private final Map<Integer, Integer> savepoints = new HashMap<>();

  /**
   * Nothing is open yet.
   *
   * @param snapshot gives transactions above READ COMMITTED their snapshots
   * @param clock when the transaction has begun
   */
  public Transactions(
      TransactionState state,
      BackendSession backends,
      ReplyQueue replies,
      SettingsWatch watch,
      TransactionEnding ending,
      CommonSnapshot snapshot,
      TransactionClock clock) {
    this.state = state;
    this.backends = backends;
    this.replies = replies;
    this.watch = watch;
    this.ending = ending;
    this.snapshot = snapshot;
    this.clock = clock;
    this.draws = new SequenceDraws(backends);
  }

  /** From which sequences the session has drawn. */
  public SequenceDraws draws() {
    return draws;
  }

  /** What is open, and what it has done. */
  public TransactionState state() {
    return state;
  }

  /** How it ends. */
  public TransactionEnding ending() {
    return ending;
  }

  /** What was found out about statements may not hold from now on, nor after this transaction. */
  public void schemaChanged() {
    ending.schemaChanged();
    backends.forgetStatements();
  }

  // ---- joining
  // ---------------------------------------------------------------------------------------------------

  /** A savepoint was made. */
  void savepointBegins() {
    savepoints.put(state.history().size(), statement);
  }

  /** The transaction is back at a savepoint: what it has locked since is let go. */
  void wentBack() {
    int then = savepoints.getOrDefault(state.history().size(), Integer.MAX_VALUE);
    for (Backend backend : backends.begun()) {
      backend.lockedBy = backend.lockedBy > then ? 0 : backend.lockedBy;
      backend.lockedLastBy = Math.min(backend.lockedLastBy, then);
    }
    ending.wentBack();
  }

  /** What goes to nodes from here on belongs to another statement than before. */
  public void statementBegins() {
    statement++;
  }

  /**
   * A statement is about to go there: connects, and opens the transaction there if there is one, or
   * if the group of messages needs one because it writes and concerns several nodes.
   */
  public void enter(Backend backend, RoutedStatement routed) {
    state.work().enters(routed);
    enter(backend, routed.writes(), routed.utility() != UtilityKind.LOCK);
    notes(backend, routed);
    if (routed.facts().calls().clock()) {
      clock.share(backend);
    }
  }

  /** A statement is about to go to several nodes, all of which have one time for it. */
  public void shareClock(RoutedStatement routed) {
    if (routed.facts().calls().clock()) {
      clock.share();
    }
  }

  /**
   * True when another node must be asked for the time of the transaction before the statement runs:
   * then all that was sent before must have been answered.
   *
   * @param only the node that runs it; null for several
   */
  public boolean asksForTime(RoutedStatement routed, Backend only) {
    boolean opens = only == null || routed.writes() || groupWrote || state.isOpen();
    return opens && routed.facts().calls().clock() && clock.asks(only);
  }

  /** A node is about to compute a value that may depend on the time. It takes part. */
  public void shareClock(Backend backend) {
    clock.share(backend);
  }

  /** True when its connection must forget the numbers of other sessions before the statement. */
  public boolean forgetsNumbers(Backend backend, RoutedStatement routed) {
    return !routed.facts().calls().nodeFunctions().draws().isEmpty()
        && (backend.connection == null || draws.areForeign(backend.connection));
  }

  /**
   * As above, for a statement that concerns no other node.
   *
   * @param lone whether its group of messages has no other statement
   */
  public void enterOnly(Backend backend, RoutedStatement routed, boolean lone) {
    statementBegins();
    if (lone && !state.isOpen()) {
      state.work().enters(routed);
      enterNode(backend, routed.writes(), true);
      notes(backend, routed);
    } else {
      enter(backend, routed);
    }
  }

  /** Others may have to wait there for the end of the transaction, from this statement on. */
  private void mayLock(Backend backend) {
    boolean hasLocked = backend.holdsLocks || TransactionEnding.hasTransactionId(backend);
    if (backend.lockedBy == 0 || !hasLocked) { // What found no row has locked nothing.
      backend.lockedBy = statement;
    }
    backend.lockedLastBy = statement;
  }

  private void notes(Backend backend, RoutedStatement routed) {
    List<String> sequences = routed.facts().calls().nodeFunctions().draws();
    if (!sequences.isEmpty() && draws.begin(backend, sequences)) {
      inject(backend, SequenceDraws.FORGET, false);
    }
    backend.unpreparable |= routed.unpreparable();
    backend.locks |= routed.locks();
    if (routed.makesOthersWait()) {
      mayLock(backend);
    }
    backend.holdsLocks |= routed.mayHoldLocks();
    backend.runsAtCommit |= routed.facts().command().holds();
    backend.notifies |= routed.notifies();
  }

  /** As above, for a part of a statement that other nodes may have a part of. */
  public void enter(Backend backend, boolean writes) {
    enter(backend, writes, true);
  }

  /** As above, for what concerns the session: it reads no rows of tables. */
  public void enterForSession(Backend backend, boolean writes) {
    boolean before = backend.worked;
    enterNode(backend, writes, true);
    backend.worked = before || writes;
  }

  private void enter(Backend backend, boolean writes, boolean reads) {
    openForSnapshot();
    enterNode(backend, writes, reads);
  }

  /**
   * What comes may concern several nodes, which then need one snapshot: above READ COMMITTED it is
   * a transaction from its beginning.
   */
  public void openForSnapshot() {
    if (!state.isOpen() && IsolationSettings.takesCommonSnapshot(state, backends)) {
      openImplicit();
    }
  }

  private void enterNode(Backend backend, boolean writes, boolean reads) {
    if (!state.isOpen()) {
      if (backends.isUnfinishedBeside(backend) && (writes || groupWrote)) {
        openImplicit();
      }
      groupWrote |= writes;
    }
    backends.connect(backend);
    joinOrCatchUp(backend, reads);
    backend.wrote |= writes;
    backend.unheard |= writes;
    backends.touch(backend);
  }

  /**
   * True when a read that every node answers alike need not make its node take part in the client's
   * transaction, which has reached no node yet: at READ COMMITTED a statement has a snapshot of its
   * own, and nothing that the transaction has done is to be seen. What it does next may belong to
   * another node.
   */
  public boolean passesBy(RoutedStatement routed) {
    return state.isBlock()
        && !state.isFailed()
        && backends.firstBegun() == null
        && state.history().isEmpty()
        && routed.isPureRead()
        && !isStrict();
  }

  /** Such a read is about to go there. */
  public void passBy(Backend backend) {
    if (state.isBlock()) {
      state.passedBy();
    }
    backends.connect(backend);
    backends.touch(backend);
  }

  /**
   * A read is about to go to all of these, whose snapshots are taken together.
   *
   * @param writes whether it may also write, as what calls a volatile function may
   */
  public void enterTogether(List<Backend> nodes, boolean writes) {
    if ((groupWrote || writes || readsFromOneSnapshot()) && nodes.size() > 1) {
      openImplicit(); // Not later: what begins a transaction would take the place of what is bound.
    }
    for (Backend backend : nodes) {
      backends.connect(backend);
      joinOrCatchUp(backend, true);
      if (writes) {
        mayLock(backend);
        backend.holdsLocks = true;
      }
    }
  }

  private void joinOrCatchUp(Backend backend, boolean reads) {
    backend.worked = true;
    if (state.isOpen() && (!backend.begun || state.lacksSnapshot())) {
      replies.apart(() -> snapshot.before(backend, reads, this::read));
    }
    if (state.isOpen() && !backend.begun) {
      join(backend);
    } else if (backend.begun) {
      catchUp(backend);
    }
    clock.tell(backend);
  }

  /**
   * From here to the end of the group, everything is one transaction over the nodes that it
   * concerns.
   */
  public void openImplicit() {
    if (state.isOpen()) {
      return;
    }
    state.beginImplicit();
    joinTouched();
  }

  void joinTouched() {
    for (Backend backend : backends.unfinished()) {
      backend.worked = true;
      join(backend);
    }
  }

  /** True above READ COMMITTED: a node has one snapshot for all statements. */
  public boolean isStrict() {
    return IsolationSettings.isStrict(state, backends);
  }

  /** True when what a node does beside the transaction has a snapshot for each statement, too. */
  public boolean mayReadBeside() {
    return !isStrict() && !IsolationSettings.isStrictByDefault(backends);
  }

  /** True when all reads of the transaction come from snapshots of one moment. */
  public boolean readsFromOneSnapshot() {
    return IsolationSettings.readsFromOneSnapshot(state, backends);
  }

  /**
   * The client has asked for a level: refuses one for which the transaction is on too many nodes.
   *
   * @param before the level until then
   */
  public void levelChanged(String before) {
    if (!level().equals(before)) {
      snapshot.levelChanged();
    }
  }

  /** The level of the transaction, in lower case. */
  public String level() {
    String level = IsolationSettings.level(state, backends);
    return level == null ? "" : level;
  }

  /** True when nodes have joined without a snapshot, which must come before all else. */
  public boolean awaitsSnapshot() {
    return state.snapshots() == TransactionState.Snapshots.AWAITED
        && state.isOpen()
        && !state.isFailed();
  }

  /** Takes it; nothing is on its way to a node. */
  public void takeSnapshot() throws IOException {
    snapshot.take(this::read);
  }

  /**
   * True when what a node tells of a statement, on a connection of the session, must not be a part
   * of what may follow: its snapshot would be older than those of other nodes.
   */
  public boolean asksApart(Backend backend) {
    return !backend.begun
        && !backend.touched
        && replies.isEmpty()
        && IsolationSettings.takesCommonSnapshot(state, backends);
  }

  /** Ends that: all is answered, and the node has seen the end of a transaction. */
  public void endApart(Backend backend) throws IOException {
    snapshot.endApart(backend);
  }

  /** The error of whatever is sent in a failed transaction. */
  public static ClientError aborted() {
    return ClientError.of(
        "25P02", "current transaction is aborted, commands ignored until end of transaction block");
  }

  private void read(Backend backend) {
    if (!backend.begun) {
      join(backend);
    } else if (IsolationSettings.maySpreadSerializable(state, backends) && !state.isInSavepoint()) {
      inject(backend, NOT_DEFERRABLE, false); // It may have been asked for since.
    }
    inject(backend, ANY_READ, false);
  }

  private void join(Backend backend) {
    backend.begun = true;
    backend.begunBehindWork = backend.touched;
    state.timestamp().begins(backend);
    backend.told = 0;
    inject(backend, state.beginStatement(), false);
    if (IsolationSettings.maySpreadSerializable(state, backends)) {
      catchUp(backend, state.savepointsFrom()); // PostgreSQL refuses it inside of a savepoint.
      inject(backend, NOT_DEFERRABLE, false);
    }
    catchUp(backend);
  }

  /** Tells a node of the transaction what it has not been told of its history. */
  public void catchUp(Backend backend) {
    catchUp(backend, state.history().size());
  }

  private void catchUp(Backend backend, int end) {
    List<TransactionState.Entry> history = state.history();
    while (backend.told < end) {
      inject(backend, history.get(backend.told++).statement(), false);
    }
  }

  /**
   * A node that the running statement has brought in takes part from now on; what it is told it
   * answers at once.
   */
  public void enterNow(Backend backend) throws IOException {
    openImplicit();
    backends.connect(backend);
    backend.begun = true;
    backend.begunBehindWork = false;
    state.timestamp().begins(backend);
    backend.worked = true;
    backend.told = state.history().size();
    backend.wrote = true;
    mayLock(backend);
    List<NodeStatement> told = new ArrayList<>(List.of(state.beginStatement()));
    state.history().forEach(entry -> told.add(entry.statement()));
    for (NodeStatement statement : told) {
      QueryResult result = NodeCall.prepared(backend.connection, statement, true);
      if (!result.succeeded()) {
        throw new ClientError(result.errorFields());
      }
    }
  }

  /**
   * Asks a node what is set there, behind a statement that may have set something. Nothing else may
   * be planned before the answer: {@link Progress#SETTLE}.
   */
  public void askSettings(Backend backend) {
    if (backends.unfinished().size() > 1) {
      openImplicit(); // The other nodes are in the midst of the group, too.
    }
    watch.ask(backend);
  }

  /** The client's own command changes settings, on all nodes of the transaction alike. */
  public void expectSettings() {
    watch.expect();
  }

  /** Runs a statement without parameters there, within the current group of messages. */
  public void inject(Backend backend, NodeStatement statement, boolean showTag) {
    inject(backend, statement, true, showTag);
  }

  /** The same for a text that does not come again: the node keeps no name for it. */
  public void injectOnce(Backend backend, NodeStatement statement) {
    inject(backend, statement, false, false);
  }

  private void inject(Backend backend, NodeStatement statement, boolean named, boolean showTag) {
    NodeConnection connection = backend.connection;
    backends.touch(backend);
    byte[] name = backends.prepare(backend, statement, named, replies);
    connection.writer().begin(FrontendType.BIND).int1(0).string(name).int2(0).int2(0).int2(0).end();
    connection.writer().begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    replies.add(NodeReply.swallow(connection));
    replies.add(showTag ? NodeReply.pass(connection) : NodeReply.swallow(connection));
  }

  /**
   * What decides about the snapshot comes before it, as in PostgreSQL.
   *
   * @param isolation null when it stays what it is
   */
  public void requireInTime(String isolation) {
    if (isolation == null || isolation.toLowerCase(Locale.ROOT).equals(level())) {
      return;
    }
    if (state.isInSavepoint()) {
      throw ClientError.of(
          "25001", "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
    }
    if (state.hasPassedBy()) {
      throw ClientError.of(
          "25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query");
    }
  }

  // ---- groups of messages
  // ----------------------------------------------------------------------------------------------------

  /** A group of messages begins. */
  public void beginGroup() {
    if (!state.isOpen()) {
      state.groupEnds();
    }
    state.locked(); // Also where the LOCK has failed.
    groupWrote = false;
    backends.settings().beginGroup();
    watch.beginGroup();
  }

  /**
   * The group fails by an error of the router's own, of which the nodes know nothing: what they
   * have done for it must be rolled back all the same when it ends.
   */
  public void failGroup() {
    if (state.isOpen()) {
      return;
    }
    for (Backend backend : backends.unfinished()) {
      if (!backend.skips && !backend.synced) {
        state.beginImplicit();
        join(backend);
      }
    }
  }

  /**
   * Nothing more comes in this group: nodes may vote for its transaction with what they have got.
   */
  public void voteEarly() {
    if (state.kind() == TransactionState.Kind.IMPLICIT
        && state.votesEarly()
        && !IsolationSettings.isSerializable(state, backends)) {
      ending.voteEarly();
    }
  }

  /**
   * A group of messages ended, and all nodes have answered its Sync.
   *
   * @throws RuntimeException what the client is to be told when its implicit transaction could not
   *     commit
   */
  public void endGroup(boolean failed) {
    try {
      endOrGoOn(failed || !settingsAgree(failed));
    } finally {
      noticeSettings();
    }
  }

  /** False, and the client knows why, when the group has made nodes differ in their settings. */
  private boolean settingsAgree(boolean failed) {
    try {
      watch.groupAnswered(failed);
      return true;
    } catch (AbelianException error) {
      replies.output().error(ClientError.fields(error));
      return false;
    }
  }

  /**
   * What nodes say is set there, whether the group's work was kept or not, is known from now on.
   */
  public void noticeSettings() {
    watch.groupEnded();
  }

  private void endOrGoOn(boolean failed) {
    if (failed && (!state.isBlock() || !state.isBeginAnswered())) {
      backends.settings().undoGroup();
    }
    if (state.kind() == TransactionState.Kind.IMPLICIT
        || state.isBlock() && failed && !state.isBeginAnswered()) {
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

  void commitImplicit() {
    if (!ending.commitAll()) {
      throw ClientError.of(
          "40000", "the statements were rolled back, since a node had rolled back its part");
    }
  }

  private void blockGoesOn(boolean failed) {
    if (state.isEnding()) {
      // COMMIT failed on its node, which has rolled back; or its connection is lost, which comes to
      // the same.
      Backend only = backends.firstBegun();
      if (only == null || !only.isUsable() || only.connection.transactionStatus() == 'I') {
        ending.ended(state.isCommitted());
        return;
      }
      state.goesOn();
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
    for (Backend backend : backends.begun()) {
      if (backend.isUsable() && backend.connection.transactionStatus() == 'T') {
        try {
          NodeCall.simple(backend.connection, FAIL);
        } catch (NodeLostException lost) {
          // The node ends what was open there.
        }
      }
    }
  }
}
