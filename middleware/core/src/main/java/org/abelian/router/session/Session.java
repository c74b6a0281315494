package org.abelian.router.session;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ResponsePlan;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.transaction.SessionLabel;

/**
 * One client's dialogue with the cluster. Bytes of the client go in by {@link #receive}, bytes for
 * it come out of {@link #output}, and {@link #advance} does the work between, in the caller's
 * thread. {@link #cancel} and {@link #abort} may come from other threads, everything else from one
 * at a time.
 *
 * <p>Messages are planned group by group: a group ends with Sync, or is a simple query. Planning
 * writes messages to nodes and steps to the {@link ResponsePlan}; running the plan reads the nodes'
 * answers. What needs an answer before it can be planned (an unknown text, several nodes) lets the
 * plan run first.
 */
public final class Session {
  /** A group larger than this is planned before its end has come. */
  private static final int LARGEST_GROUP = 8 << 20;

  /** So much COPY data is collected before it is passed on without being asked for. */
  private static final int COPY_BUFFER = 65536;

  private static final int LARGEST_MESSAGE = 1 << 30;
  private static final int LARGEST_IDLE_BUFFER = 1 << 20;

  private final Router router;
  private final int id;
  private final int secret = ThreadLocalRandom.current().nextInt();
  private final ByteQueue input = new ByteQueue(8192);
  private final ClientOutput output = new ClientOutput();
  private final SessionErrors errors;
  private final ResponsePlan plan;
  private final TransactionState transaction = new TransactionState();
  private final Portals portals = new Portals();
  private final ClientStatements statements = new ClientStatements();
  private final Startup startup;
  private final CopyRelay copy;
  private final GroupRetry retry;
  private SessionSettings settings;
  private Links links;
  private TransactionControl control;
  private StatementRunner runner;
  private ExtendedQuery extended;
  private SimpleQuery simple;

  /** How much of the input is planned; it stays there until its group is answered. */
  private int planned;

  /** How much of the input was searched for the end of a group. */
  private int searched;

  private boolean groupEnds;
  private boolean inGroup;
  private boolean simpleGroup;
  private boolean skipping;
  private boolean settleFirst;
  private boolean synced;

  /**
   * After COPY in the extended protocol a client sends a second Sync, since servers ignore the one
   * before the data.
   */
  private boolean surplusSync;

  private volatile boolean closed;
  private volatile AbelianException deadlock;

  Session(Router router, int id, Authentication authentication) {
    this.router = router;
    this.id = id;
    errors = new SessionErrors(this);
    plan = new ResponsePlan(output, errors);
    startup = new Startup(this, authentication);
    copy = new CopyRelay(this);
    retry = new GroupRetry(this);
  }

  // ---- for the faces
  // -----------------------------------------------------------------------------------------------

  /** The number that the client knows as its process id. */
  public int id() {
    return id;
  }

  /** The key that a cancel request must name. */
  int secret() {
    return secret;
  }

  /** Takes bytes of the client. COPY data is passed on at once when it has become much. */
  public void receive(byte[] bytes, int offset, int length) throws IOException {
    input.append(bytes, offset, length);
    if (plan.copyIn() != null && input.size() > COPY_BUFFER) {
      copy.forward();
    }
  }

  /** The messages for the client. */
  public ClientOutput output() {
    return output;
  }

  /** How long a node may take to send something, in milliseconds; 0 for ever. */
  public void timeout(int millis) {
    plan.timeout(millis);
  }

  /** How long a node may take to send something, in milliseconds; 0 for ever. */
  public int timeout() {
    return plan.timeout();
  }

  /** True when the dialogue is over; output may still be there. */
  public boolean isClosed() {
    return closed;
  }

  /** True when the client is known and may send queries. */
  public boolean isStarted() {
    return startup.isDone();
  }

  /** True when no transaction is open and nothing is being answered. */
  public boolean isIdle() {
    return !inGroup && plan.isEmpty() && !transaction.isOpen();
  }

  /**
   * Does a piece of work.
   *
   * @return false when nothing can be done before the client sends more
   * @throws ProtocolException when the client sends what the protocol does not allow; it has been
   *     told
   */
  public boolean advance() throws IOException {
    if (closed) {
      return false;
    }
    try {
      if (!startup.isDone()) {
        return startup.advance(input);
      }
      if (plan.isEmpty()) {
        return dispatch();
      }
      if (plan.copyIn() != null && !copy.forward()) {
        return false;
      }
      plan.run();
      return true;
    } catch (ProtocolException | IllegalArgumentException e) {
      output.error(ErrorFields.of("FATAL", SqlState.PROTOCOL_VIOLATION.code(), e.getMessage()));
      close();
      return false;
    }
  }

  /** Asks the nodes to cancel what they do for this session. */
  public void cancel() {
    Links current = links;
    if (current != null) {
      current.cancel();
    }
  }

  /**
   * The next cancellation of this session is to be told as this error; null for an ordinary one.
   */
  void deadlock(AbelianException error) {
    deadlock = error;
  }

  /** The error to tell in place of a cancellation, once; else null. */
  AbelianException takeDeadlock() {
    AbelianException error = deadlock;
    deadlock = null;
    return error;
  }

  /** Breaks the session off: whoever runs it gets errors. For other threads. */
  public void abort() {
    closed = true;
    router.sessions().remove(this);
    Links current = links;
    if (current != null) {
      current.abort();
    }
  }

  /** Ends the session. What was open is rolled back. */
  public void close() {
    closed = true;
    router.sessions().remove(this);
    if (links != null) {
      extended.spread().close();
      links.close();
    }
  }

  // ---- planning
  // ----------------------------------------------------------------------------------------------------

  private boolean dispatch() throws IOException {
    if (surplusSync && !inGroup && input.hasFrame()) {
      surplusSync = false;
      if (input.array()[input.start()] == FrontendType.SYNC) {
        input.consume(input.frameAt(input.start()));
        return true;
      }
    }
    if (!groupIsThere()) {
      return false;
    }
    if (!inGroup) {
      inGroup = true;
      plan.beginGroup();
      control.beginGroup();
      retry.beginGroup();
      extended.spread().beginGroup();
    }
    skipping |= plan.failed();
    for (; ; ) {
      int at = input.start() + planned;
      int length = input.frameAt(at);
      if (length == 0) {
        links.flush();
        return !plan.isEmpty();
      }
      byte type = input.array()[at];
      if (mustSkip(type)) {
        planned += length;
        continue;
      }
      if (settleFirst && type != FrontendType.SYNC && !plan.isEmpty()) {
        requestAnswers();
        return true;
      }
      settleFirst = false;
      switch (handleSafely(type, at, length)) {
        case NEXT -> planned += length;
        case TURN -> {
          planned += length;
          links.flush();
          return true;
        }
        case WAIT -> {
          requestAnswers();
          return true;
        }
      }
    }
  }

  private boolean mustSkip(byte type) {
    if (type == FrontendType.COPY_DATA
        || type == FrontendType.COPY_DONE
        || type == FrontendType.COPY_FAIL) {
      return true; // What the client sent before it learnt that its COPY had failed.
    }
    return skipping
        && type != FrontendType.SYNC
        && type != FrontendType.TERMINATE
        && !(type == FrontendType.QUERY && simple.isRunning());
  }

  /** True when a whole group, or too much of one, has come. */
  private boolean groupIsThere() throws ProtocolException {
    while (!groupEnds) {
      int at = input.start() + searched;
      if (input.end() - at >= 5) {
        int length = BigEndian.int4(input.array(), at + 1);
        if (length < 4 || length > LARGEST_MESSAGE) {
          throw new ProtocolException("invalid message length");
        }
      }
      int length = input.frameAt(at);
      if (length == 0) {
        return input.size() > LARGEST_GROUP && planned < searched;
      }
      byte type = input.array()[at];
      searched += length;
      groupEnds =
          type != FrontendType.PARSE
              && type != FrontendType.BIND
              && type != FrontendType.DESCRIBE
              && type != FrontendType.EXECUTE
              && type != FrontendType.CLOSE;
    }
    return true;
  }

  private Outcome handleSafely(byte type, int at, int length) throws IOException {
    try {
      return handle(type, at, length);
    } catch (Failure failure) {
      return fail(type, failure.fields());
    } catch (AbelianException error) {
      return fail(type, Failure.fields(error));
    } catch (NodeLostException lost) {
      return fail(type, SessionErrors.connectionLost(lost));
    }
  }

  /** The client gets the error in its turn; the rest of its group is skipped. */
  private Outcome fail(byte type, ErrorFields error) {
    control.failGroup();
    plan.add(
        Action.then(
            () -> {
              errors.requestFailed(error);
              plan.fail();
            }));
    skipping = true;
    return type == FrontendType.QUERY || type == FrontendType.FUNCTION_CALL
        ? simple.finish()
        : Outcome.NEXT;
  }

  private Outcome handle(byte type, int at, int length) throws IOException {
    byte[] array = input.array();
    return switch (type) {
      case FrontendType.PARSE -> extended.parse(array, at, length);
      case FrontendType.BIND -> extended.bind(array, at, length);
      case FrontendType.DESCRIBE -> extended.describe(array, at, length);
      case FrontendType.EXECUTE -> extended.execute(array, at, length);
      case FrontendType.CLOSE -> extended.close(array, at, length);
      case FrontendType.SYNC -> sync();
      case FrontendType.FLUSH -> {
        requestAnswers();
        yield flushed();
      }
      case FrontendType.QUERY -> {
        simpleGroup = true;
        yield simple.query(array, at, length);
      }
      case FrontendType.FUNCTION_CALL -> simple.functionCall(array, at, length);
      case FrontendType.TERMINATE -> {
        close();
        yield Outcome.TURN;
      }
      default -> throw new ProtocolException("invalid frontend message type " + (type & 255));
    };
  }

  /** Everything before the Flush is to be answered; the group goes on. */
  private Outcome flushed() {
    groupEnds = false;
    return Outcome.TURN;
  }

  /**
   * Ends the group: each node gets a Sync, and when all have answered, the client gets
   * ReadyForQuery.
   */
  Outcome sync() {
    synced = true;
    for (Link link : links.touched()) {
      if (link.connection != null) {
        link.connection.writer().empty(FrontendType.SYNC);
        plan.add(NodeReply.sync(link.connection));
      }
    }
    links.untouch();
    return endGroupAfterPlan();
  }

  /** When all steps have run, the group ends. */
  Outcome endGroupAfterPlan() {
    plan.add(Action.always(this::endGroup));
    return Outcome.TURN;
  }

  private void endGroup() {
    if (retry.isWanted()) {
      planned = 0;
      searched = 0;
      retry.again();
      resetGroup();
      return;
    }
    retry.done();
    try {
      control.endGroup(plan.failed());
    } catch (Failure failure) {
      output.error(failure.fields());
    } catch (AbelianException error) {
      output.error(Failure.fields(error));
    }
    if (!transaction.isOpen()) {
      links.release();
      portals.clear();
    }
    output.readyForQuery(transaction.status());
    input.consume(planned);
    if (input.isEmpty()) {
      input.clear(LARGEST_IDLE_BUFFER);
    }
    planned = 0;
    searched = 0;
    resetGroup();
  }

  private void resetGroup() {
    groupEnds = false;
    inGroup = false;
    simpleGroup = false;
    skipping = false;
    settleFirst = false;
    synced = false;
    plan.beginGroup();
  }

  /** Nodes shall answer what they have got so far. */
  private void requestAnswers() {
    for (Link link : links.touched()) {
      if (link.connection != null) {
        link.connection.writer().empty(FrontendType.FLUSH);
      }
    }
    links.flush();
  }

  /** True when the nodes have got the Sync that ends the group. */
  boolean hasSynced() {
    return synced;
  }

  /** The group's Sync has come and will be answered; the client will send another. */
  void expectSurplusSync() {
    surplusSync = !simpleGroup;
  }

  /** COPY data of the client, after what is planned, has been passed on: it need not be kept. */
  void copied(int count) {
    retry.forbid();
    input.consume(planned + count);
    planned = 0;
    searched = 0;
  }

  // ---- for the other parts of the session
  // --------------------------------------------------------------------------

  /** The client is known and may begin. */
  void opened(NodeIdentity identity) {
    SessionLabel label = new SessionLabel(router.uuid(), id);
    settings =
        new SessionSettings(
            label.toString(), router.catalog().current().version(), identity.startup());
    links = new Links(this, router, identity, settings);
    control = new TransactionControl(this);
    runner = new StatementRunner(this, identity);
    extended = new ExtendedQuery(this);
    simple = new SimpleQuery(this);
  }

  Router router() {
    return router;
  }

  ByteQueue input() {
    return input;
  }

  /** Where the next message to be planned starts, relative to the start of the input. */
  int planned() {
    return planned;
  }

  ResponsePlan plan() {
    return plan;
  }

  TransactionState transaction() {
    return transaction;
  }

  Portals portals() {
    return portals;
  }

  ClientStatements statements() {
    return statements;
  }

  SessionSettings settings() {
    return settings;
  }

  Links links() {
    return links;
  }

  TransactionControl control() {
    return control;
  }

  StatementRunner runner() {
    return runner;
  }

  ExtendedQuery extended() {
    return extended;
  }

  GroupRetry retry() {
    return retry;
  }

  /** Messages after this one are planned only when it is answered. */
  void settleBeforeNext() {
    settleFirst = true;
  }

  /** The group has done what cannot be done twice. */
  void notRetryable() {
    retry.forbid();
  }

  /**
   * The group writes on several nodes at once: it still can be run again, since all of it is rolled
   * back then.
   */
  void notRetryableAfterWrites(boolean writes) {
    if (writes && !transaction.isOpen()) {
      retry.forbid();
    }
  }

  /** True when all reads of the transaction come from the snapshot of its first one. */
  boolean readsFromOneSnapshot() {
    return IsolationSettings.readsFromOneSnapshot(transaction, settings);
  }

  /** What is known about statements may no longer hold. */
  void schemaMayHaveChanged(boolean committed) {
    runner.newScope();
    if (committed) {
      router.schemaChanged();
    }
    settings.placementVersion(router.catalog().current().version());
  }

  static Failure transactionAborted() {
    return Failure.of(
        "25P02", "current transaction is aborted, commands ignored until end of transaction block");
  }

  @Override
  public String toString() {
    return "session " + id + (closed ? " (closed)" : "");
  }
}
