package org.abelian.router.session;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientInput;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ResponsePlan;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MalformedMessageException;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.StartupSettings;
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
  /** A client that sends more than this without reading has it worked on meanwhile. */
  private static final int LARGEST_BACKLOG = 1 << 20;

  /** The same for COPY data. */
  private static final int LARGEST_COPY_BACKLOG = 1 << 16;

  private static final int ABORT_GRACE_SECONDS = 5;

  /** Nobody who knows the keys of some sessions shall guess those of others. */
  private static final SecureRandom SECRETS = new SecureRandom();

  private final Router router;
  private final int id;
  private final int secret = SECRETS.nextInt();
  private final ClientInput input;
  private final ClientOutput output;
  private final SessionErrors errors;
  private final ResponsePlan plan;
  private final TransactionState transaction = new TransactionState();
  private final Portals portals = new Portals();
  private final ClientStatements statements = new ClientStatements();
  private final Startup startup;
  private final CopyRelay copy;
  private final GroupRetry retry;
  private final MessageGroups groups;
  private final SettingsWatch watch = new SettingsWatch(this);
  private SessionSettings settings;
  private BatchSlot slot;
  private UpdateBatching updateBatching;
  private Links links;
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
    input = new ClientInput(router.memory());
    output = new ClientOutput(router.memory());
    errors = new SessionErrors(this);
    plan = new ResponsePlan(output, errors);
    startup = new Startup(this, authentication);
    copy = new CopyRelay(this);
    retry = new GroupRetry(this);
    groups = new MessageGroups(this, input.queue(), plan);
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

  /** Takes bytes of the client. */
  public void receive(byte[] bytes, int offset, int length) {
    input.receive(bytes, offset, length);
  }

  /** What counts the buffers of all sessions. */
  public MemoryBudget memory() {
    return router.memory();
  }

  /** True when so much has come that it should be worked on although the client sends on. */
  public boolean isBehind() {
    return input.queue().size() > (plan.copyIn() == null ? LARGEST_BACKLOG : LARGEST_COPY_BACKLOG);
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
    return !groups.isInGroup() && plan.isEmpty() && !transaction.isOpen();
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
        return advanceStartup();
      }
      if (plan.isEmpty()) {
        return groups.dispatch();
      }
      if (plan.copyIn() != null && !copy.forward()) {
        return false;
      }
      plan.run();
      return true;
    } catch (ProtocolException | MalformedMessageException e) {
      output.error(ErrorFields.of("FATAL", SqlState.PROTOCOL_VIOLATION.code(), e.getMessage()));
      close();
      return false;
    }
  }

  private boolean advanceStartup() throws IOException {
    boolean goesOn = startup.advance(input.queue());
    if (startup.isDone()) {
      input.checkTypes();
    }
    return goesOn;
  }

  /** Asks the nodes to cancel what they do for this session. */
  public void cancel() {
    cancels.incrementAndGet();
    Links current = links;
    if (current != null && !slot.cancel()) {
      current.cancel();
    }
  }

  /** How often it was asked to cancel; see {@link CancelWatch}. */
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

  /**
   * Breaks the session off: whoever runs it gets errors, and what nodes do for it is cancelled. For
   * other threads.
   */
  public void abort() {
    closed = true;
    router.sessions().remove(this);
    Links current = links;
    if (current == null) {
      return;
    }
    if (slot.cancel()) {
      // It may be running what others wait for: for them, its nodes may still answer.
      CompletableFuture.delayedExecutor(ABORT_GRACE_SECONDS, TimeUnit.SECONDS)
          .execute(() -> abortIfStillWaiting(current));
    } else if (current.isWaiting()) {
      // A node whose connection is closed would not notice before its statement ends.
      Thread canceller = new Thread(() -> cancelAndAbort(current), "abelian-abort");
      canceller.setDaemon(true);
      canceller.start();
    } else {
      current.abort();
    }
  }

  private static void cancelAndAbort(Links links) {
    try {
      links.cancel();
    } finally {
      links.abort();
    }
  }

  private void abortIfStillWaiting(Links current) {
    if (slot.isWaiting()) {
      current.abort();
    }
  }

  /** Ends the session. What was open is rolled back. */
  public void close() {
    closed = true;
    router.sessions().remove(this);
    if (links != null) {
      slot.endGroup();
      extended.spread().close();
      links.close();
    }
  }

  /** Gives up its memory: the client has got, or will not get, what was left for it. */
  public void free() {
    input.queue().close();
    output.queue().close();
  }

  // ---- for the other parts of the session
  // --------------------------------------------------------------------------

  /**
   * The client is known and may begin.
   *
   * @param asked what it asked for when it connected
   */
  void opened(NodeIdentity identity, StartupSettings asked) {
    SessionLabel label = new SessionLabel(router.uuid(), id);
    settings = new SessionSettings(label.toString(), router.catalog().current().version(), asked);
    slot = new BatchSlot(this);
    updateBatching = new UpdateBatching(this);
    links = new Links(this, router, identity, settings);
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
    return input.queue();
  }

  /** What the client did wrong, so that the dialogue cannot go on. */
  ProtocolException violation() {
    return input.violation();
  }

  MessageGroups groups() {
    return groups;
  }

  SessionErrors errors() {
    return errors;
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

  SettingsWatch watch() {
    return watch;
  }

  /** The value of a setting, as a transaction that is open has it; null for its default. */
  String setting(String name) {
    Link begun = links.firstBegun();
    return (begun == null ? settings.current() : begun.reported()).value(name);
  }

  /** True when a setting has one of these values. */
  boolean says(String name, String... values) {
    String value = setting(name);
    return value != null && Arrays.stream(values).anyMatch(value::equalsIgnoreCase);
  }

  Links links() {
    return links;
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
    return IsolationSettings.readsFromOneSnapshot(this);
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
