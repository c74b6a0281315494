package org.abelian.router.session;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.transaction.SessionLabel;

/**
 * One client's dialogue with the cluster. Bytes of the client go in by {@backend #receive}, bytes for
 * it come out of {@backend #output}, and {@backend #advance} does the work between, in the caller's
 * thread. {@backend #cancel} and {@backend #abort} may come from other threads, everything else from one
 * at a time.
 *
 * <p>Messages are planned group by group: a group ends with Sync, or is a simple query. Planning
 * writes messages to nodes and steps to the {@backend ReplyQueue}; running the plan reads the nodes'
 * answers. What needs an answer before it can be planned (an unknown text, several nodes) lets the
 * plan run first.
 */
public final class Session {
  /** So much COPY data is collected before it is passed on without being asked for. */
  private static final int COPY_BUFFER = 65536;

  private static final int ABORT_GRACE_SECONDS = 5;

  private final Router router;
  private final int id;
  private final int secret = ThreadLocalRandom.current().nextInt();
  private final ByteQueue input = new ByteQueue(8192);
  private final ClientOutput output = new ClientOutput();
  private final SessionErrors errors;
  private final ReplyQueue replies;
  private final TransactionState transaction = new TransactionState();
  private final Portals portals = new Portals();
  private final ClientStatements statements = new ClientStatements();
  private final Startup startup;
  private final CopyRelay copy;
  private final GroupRetry retry;
  private final Pipeline groups;
  private SessionSettings settings;
  private BatchSlot slot;
  private UpdateBatching updateBatching;
  private BackendSession backends;
  private TransactionControl control;
  private StatementRunner runner;
  private ExtendedQuery extended;
  private SimpleQuery simple;
  private ProcedureCalls procedures;
  private Explain explain;

  private volatile boolean closed;
  private volatile AbelianException deadlock;
  private final AtomicInteger cancels = new AtomicInteger();

  Session(Router router, int id, Authentication authentication) {
    this.router = router;
    this.id = id;
    errors = new SessionErrors(this);
    replies = new ReplyQueue(output, errors);
    startup = new Startup(this, authentication);
    copy = new CopyRelay(this);
    retry = new GroupRetry(this);
    groups = new Pipeline(this, input, replies);
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
    if (replies.copyIn() != null && input.size() > COPY_BUFFER) {
      copy.forward();
    }
  }

  /** The messages for the client. */
  public ClientOutput output() {
    return output;
  }

  /** How long a node may take to send something, in milliseconds; 0 for ever. */
  public void timeout(int millis) {
    replies.timeout(millis);
  }

  /** How long a node may take to send something, in milliseconds; 0 for ever. */
  public int timeout() {
    return replies.timeout();
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
    return !groups.isInGroup() && replies.isEmpty() && !transaction.isOpen();
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
      if (replies.isEmpty()) {
        return groups.dispatch();
      }
      if (replies.copyIn() != null && !copy.forward()) {
        return false;
      }
      replies.run();
      return true;
    } catch (ProtocolException | IllegalArgumentException e) {
      output.error(ErrorFields.of("FATAL", SqlState.PROTOCOL_VIOLATION.code(), e.getMessage()));
      close();
      return false;
    }
  }

  /** Asks the nodes to cancel what they do for this session. */
  public void cancel() {
    cancels.incrementAndGet();
    BackendSession current = backends;
    if (current != null && !slot.cancel()) {
      current.cancel();
    }
  }

  /** How often it was asked to cancel; see {@backend CancelWatch}. */
  int cancels() {
    return cancels.get();
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
    BackendSession current = backends;
    if (current == null) {
      return;
    }
    if (slot.cancel()) {
      // It may be running what others wait for: for them, its nodes may still answer.
      CompletableFuture.delayedExecutor(ABORT_GRACE_SECONDS, TimeUnit.SECONDS)
          .execute(() -> abortIfStillWaiting(current));
    } else {
      current.abort();
    }
  }

  private void abortIfStillWaiting(BackendSession current) {
    if (slot.isWaiting()) {
      current.abort();
    }
  }

  /** Ends the session. What was open is rolled back. */
  public void close() {
    closed = true;
    router.sessions().remove(this);
    if (backends != null) {
      slot.endGroup();
      extended.spread().close();
      backends.close();
    }
  }

  // ---- for the other parts of the session
  // --------------------------------------------------------------------------

  /** The client is known and may begin. */
  void opened(NodeIdentity identity) {
    SessionLabel label = new SessionLabel(router.uuid(), id);
    settings =
        new SessionSettings(
            label.toString(), router.catalog().current().version(), identity.startup());
    slot = new BatchSlot(this);
    updateBatching = new UpdateBatching(this);
    backends = new BackendSession(this, router, identity, settings);
    control = new TransactionControl(this);
    runner = new StatementRunner(this, identity);
    extended = new ExtendedQuery(this);
    simple = new SimpleQuery(this);
    procedures = new ProcedureCalls(this);
    explain = new Explain(this);
  }

  Router router() {
    return router;
  }

  ByteQueue input() {
    return input;
  }

  Pipeline groups() {
    return groups;
  }

  SessionErrors errors() {
    return errors;
  }

  ReplyQueue replies() {
    return replies;
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

  BackendSession backends() {
    return backends;
  }

  TransactionControl control() {
    return control;
  }

  BatchSlot batchSlot() {
    return slot;
  }

  UpdateBatching updateBatching() {
    return updateBatching;
  }

  StatementRunner runner() {
    return runner;
  }

  ExtendedQuery extended() {
    return extended;
  }

  SimpleQuery simple() {
    return simple;
  }

  ProcedureCalls procedures() {
    return procedures;
  }

  Explain explain() {
    return explain;
  }

  GroupRetry retry() {
    return retry;
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

  static ClientError transactionAborted() {
    return ClientError.of(
        "25P02", "current transaction is aborted, commands ignored until end of transaction block");
  }

  @Override
  public String toString() {
    return "session " + id + (closed ? " (closed)" : "");
  }
}
