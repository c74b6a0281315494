package org.abelian.router;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.ConnectionSetup;
import org.abelian.router.backend.Greeting;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.catalog.Node;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Exchanges;
import org.abelian.router.engine.Executor;
import org.abelian.router.engine.ReadBatching;
import org.abelian.router.engine.ReadTurns;
import org.abelian.router.engine.UpdateBatching;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientInput;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.explain.Explain;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.frontend.CopyOutCommand;
import org.abelian.router.frontend.CopyRelay;
import org.abelian.router.frontend.CursorCommands;
import org.abelian.router.frontend.ExecuteCommand;
import org.abelian.router.frontend.ExtendedProtocol;
import org.abelian.router.frontend.GroupMessages;
import org.abelian.router.frontend.KeyGeneration;
import org.abelian.router.frontend.NodeCursors;
import org.abelian.router.frontend.OutcomeRoute;
import org.abelian.router.frontend.Pipeline;
import org.abelian.router.frontend.Portals;
import org.abelian.router.frontend.RouterSettings;
import org.abelian.router.frontend.SessionCommands;
import org.abelian.router.frontend.SessionRouting;
import org.abelian.router.frontend.SessionStatements;
import org.abelian.router.frontend.SimpleProtocol;
import org.abelian.router.frontend.Startup;
import org.abelian.router.frontend.StatementStarter;
import org.abelian.router.frontend.StatementTrace;
import org.abelian.router.notification.Mailbox;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
import org.abelian.router.procedure.CallContext;
import org.abelian.router.procedure.ProcedureCalls;
import org.abelian.router.procedure.ProcedureServices;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MalformedMessageException;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.StartupSettings;
import org.abelian.router.session.BatchScope;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.CatalogAdvance;
import org.abelian.router.session.CommitClass;
import org.abelian.router.session.CommitStatistics;
import org.abelian.router.session.CommonSnapshot;
import org.abelian.router.session.GroupRetry;
import org.abelian.router.session.IdleTimeout;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.session.SessionNotifications;
import org.abelian.router.session.SettingsWatch;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.session.TransactionClock;
import org.abelian.router.session.TransactionCommands;
import org.abelian.router.session.TransactionEnding;
import org.abelian.router.session.TransactionState;
import org.abelian.router.session.Transactions;
import org.abelian.router.statement.Analyzer;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.SchemaScope;
import org.abelian.router.statement.SessionCatalog;
import org.abelian.router.trace.SessionTrace;
import org.abelian.router.transaction.SessionLabel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's dialogue with the cluster. Bytes of the client go in by {@link #receive}, bytes for
 * it come out of {@link #output}, and {@link #advance} does the work between, in the caller's
 * thread. {@link #cancel} and {@link #abort} may come from other threads, everything else from one
 * at a time. It only wires the parts, of which each does one thing.
 */
public final class ClientSession
    implements SessionRegistry.Entry, Startup.Host, Pipeline.Listener, TransactionEnding.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

  /** A client that sends more than this without reading has it worked on meanwhile. */
  private static final int LARGEST_BACKLOG = 1 << 20;

  /** The same for COPY data. */
  private static final int LARGEST_COPY_BACKLOG = 1 << 16;

  /** After so long without more, the client seems to wait for answers that it has not asked for. */
  private static final int PATIENCE_MILLIS = 500;

  private static final int ABORT_GRACE_SECONDS = 5;

  /** Nobody who knows the keys of some sessions shall guess those of others. */
  private static final SecureRandom SECRETS = new SecureRandom();

  private final RouterServices services;
  private final int id;
  private final int secret = SECRETS.nextInt();
  private final ClientInput input;
  private final ClientOutput output;
  private final ReplyQueue replies;
  private final Cancellation cancellation = new Cancellation();
  private final BatchSlot slot = new BatchSlot(cancellation);
  private final TransactionState transaction;
  private final ClientStatements named;
  private final Portals portals;
  private final NodeCursors cursors = new NodeCursors();
  private final Startup startup;
  private SessionSettings settings;
  private SchemaScope scope;
  private Transactions transactions;
  private TransactionCommands transactionCommands;

  /** The deadlock detector looks at it; null before the client is known. */
  private volatile GroupRetry retry;

  private CatalogAdvance advance;
  private SnapshotGate gate;
  private ProcedureCalls procedures;
  private ReadBatching reads;
  private final Mailbox mailbox;
  private SessionNotifications notifications;
  private Pipeline pipeline;
  private CopyRelay copy;

  /** Null while nothing is traced. */
  private SessionTrace trace;

  /** Other threads cancel and abort by it; null before the client is known. */
  private volatile BackendSession backends;

  private volatile boolean closed;

  ClientSession(RouterServices services, int id, Authentication authentication) {
    this.services = services;
    this.id = id;
    input = new ClientInput(services.memory());
    output = new ClientOutput(services.memory());
    mailbox = new Mailbox(services.memory());
    transaction = new TransactionState(services.memory());
    named = new ClientStatements(services.memory());
    portals = new Portals(services.memory());
    replies = new ReplyQueue(output);
    startup = new Startup(this, output, authentication);
  }

  // ---- for the faces

  @Override
  public int id() {
    return id;
  }

  @Override
  public int secret() {
    return secret;
  }

  /** Takes bytes of the client. */
  public void receive(byte[] bytes, int offset, int length) {
    input.receive(bytes, offset, length);
  }

  /** What counts the buffers of all sessions. */
  public MemoryBudget memory() {
    return services.memory();
  }

  /** True when so much has come that it should be worked on although the client sends on. */
  public boolean isBehind() {
    int most = replies.copyIn() == null ? LARGEST_BACKLOG : LARGEST_COPY_BACKLOG;
    return input.queue().size() > most;
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
    return (pipeline == null || !pipeline.isInGroup())
        && replies.isEmpty()
        && !transaction.isOpen();
  }

  /**
   * How long the client may take to send more, in milliseconds, before {@link #waited} is to be
   * called; 0 for ever.
   */
  public int patience() {
    if (closed || !isStarted()) {
      return 0;
    }
    if (pipeline.isWaiting()) {
      return PATIENCE_MILLIS;
    }
    return pipeline.isInGroup() ? 0 : idleTimeout().millis();
  }

  private IdleTimeout idleTimeout() {
    return IdleTimeout.of(backends, transaction.isOpen());
  }

  /** The client has sent nothing for that long. */
  public void waited() {
    if (pipeline.isWaiting()) {
      pipeline.hurry();
    } else {
      output.error(idleTimeout().error());
      close();
    }
  }

  /** What other sessions have notified this one of, until its client is told. */
  public Mailbox mailbox() {
    return mailbox;
  }

  /** True when it may be notified of something. */
  public boolean listens() {
    return !closed && notifications != null && notifications.isActive();
  }

  /**
   * Tells the client what it was notified of, or why the session must end, unless it has begun
   * something.
   */
  public void deliver() {
    if (!closed && isStarted() && isIdle() && input.queue().isEmpty()) {
      mailbox.take(output.queue());
      endIfFailed();
    }
  }

  private void endIfFailed() {
    ErrorFields failure = mailbox.failure();
    if (failure != null && !closed) {
      output.error(failure);
      end();
    }
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
      if (replies.isEmpty()) {
        return !settings.isTooLong() ? pipeline.dispatch() : refuseSettings();
      }
      if (replies.copyIn() != null && !copy.forward()) {
        return false;
      }
      replies.run();
      return true;
    } catch (ProtocolException | MalformedMessageException e) {
      return endWith(SqlState.PROTOCOL_VIOLATION, e.getMessage());
    } catch (RuntimeException fault) {
      // How far it came is not known: going on could mix up answers.
      LOG.error("{} is ended by a fault", this, fault);
      return endWith(SqlState.INTERNAL_ERROR, "fault of the router: " + fault);
    }
  }

  private boolean refuseSettings() {
    return endWith(
        SqlState.CONFIGURATION_LIMIT_EXCEEDED, "the settings of the session are too long");
  }

  private boolean endWith(SqlState state, String message) {
    output.error(ErrorFields.of("FATAL", state.code(), message));
    close();
    return false;
  }

  private boolean advanceStartup() throws IOException {
    boolean goesOn = startup.advance(input.queue());
    if (startup.isDone()) {
      input.checkTypes();
    }
    return goesOn;
  }

  /** Asks the nodes to cancel what they do for this session. */
  @Override
  public void cancel() {
    cancellation.request();
    BackendSession current = backends;
    if (current != null && !slot.cancel()) {
      current.cancel();
    }
  }

  @Override
  public void deadlock(AbelianException error) {
    cancellation.deadlock(error);
  }

  @Override
  public void spare(AbelianException error) {
    cancellation.spare(error);
  }

  @Override
  public boolean keepsOrder() {
    GroupRetry current = retry;
    return current != null && current.keepsOrder();
  }

  /**
   * Breaks the session off: whoever runs it gets errors, and what nodes do for it is cancelled. For
   * other threads.
   */
  @Override
  public void abort() {
    end();
    BackendSession current = backends;
    if (current == null) {
      return;
    }
    if (slot.cancel()) {
      // It may be running what others wait for: for them, its nodes may still answer.
      CompletableFuture.delayedExecutor(ABORT_GRACE_SECONDS, TimeUnit.SECONDS)
          .execute(
              () -> {
                if (slot.isWaiting()) {
                  current.abort();
                }
              });
    } else if (current.isWaiting()) {
      // A node whose connection is closed would not notice before its statement ends.
      Thread canceller = new Thread(() -> cancelAndAbort(current), "abelian-abort");
      canceller.setDaemon(true);
      canceller.start();
    } else {
      current.abort();
    }
  }

  private static void cancelAndAbort(BackendSession backends) {
    try {
      backends.cancel();
    } finally {
      backends.abort();
    }
  }

  /** Ends the session. What was open is rolled back. */
  @Override
  public void close() {
    end();
    if (backends != null) {
      slot.endGroup();
      gate.abandon();
      traceEnd(false);
      notifications.clear();
      backends.close();
    }
  }

  /** Gives up its memory: the client has got, or will not get, what was left for it. */
  public void free() {
    input.queue().close();
    output.queue().close();
    replies.abandon();
    named.free();
    portals.clear();
    transaction.end();
    if (settings != null) {
      settings.free();
    }
  }

  private void end() {
    closed = true;
    mailbox.close();
    cancellation.close();
    services.sessions().remove(this);
  }

  // ---- the beginning

  @Override
  public void cancel(int session, int key) {
    services.sessions().cancel(session, key);
  }

  /** A node must accept the client before the router does anything for it. */
  @Override
  public Map<String, String> connect(NodeIdentity identity, StartupSettings asked)
      throws IOException {
    NodePool accepting = anyNode(identity);
    build(identity, asked);
    return greeting(identity, accepting);
  }

  /**
   * The first node's if it can be reached: clients ask the catalogues by the version that they are
   * told, and that node answers.
   */
  private Map<String, String> greeting(NodeIdentity identity, NodePool accepting)
      throws IOException {
    Node first = services.catalogs().current().first();
    NodePool pool = services.pools().pool(new NodeAddress(first.host(), first.port()), identity);
    Greeting greeting = new Greeting(settings, services.sealKeys());
    try {
      return greeting.of(this, pool);
    } catch (NodeLostException lost) {
      if (pool == accepting) {
        throw lost;
      }
      return greeting.of(this, accepting);
    }
  }

  private NodePool anyNode(NodeIdentity identity) throws IOException {
    NodeLostException last = null;
    for (Node node : services.seeds()) {
      NodePool pool = services.pools().pool(new NodeAddress(node.host(), node.port()), identity);
      try {
        NodeConnection accepted = pool.borrow(this, null);
        String database = identity.startup().get("database");
        if (!services.database().equals(database)) {
          pool.drop(accepted); // Nobody has a use for it, and CREATE DATABASE would wait for it.
          throw notServed(database);
        }
        pool.giveBackToAnyone(accepted);
        return pool;
      } catch (NodeLostException e) {
        last = e;
      }
    }
    throw new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "no node of the cluster can be reached" + (last == null ? "" : ": " + last.getMessage()),
        "Check that the nodes run, and the addresses that the router was given.");
  }

  /** Where the rows of tables are is known for one database. */
  private AbelianException notServed(String asked) {
    return new AbelianException(
        SqlState.INVALID_CATALOG_NAME,
        "database \"" + asked + "\" is not served here",
        "This router serves the database \"" + services.database() + "\".",
        "Connect to that one. Another database needs a router of its own.",
        null);
  }

  @Override
  public void opened() {
    services.sessions().add(this);
    services.firstSession().run();
  }

  private void build(NodeIdentity identity, StartupSettings asked) {
    String label = new SessionLabel(services.uuid(), id).toString();
    long version = services.catalogs().current().version();
    settings = new SessionSettings(services.memory(), label, version, asked);
    if (services.tracer() != null) {
      trace = services.tracer().session(id, identity.user(), identity.startup().get("database"));
    }
    scope = new SchemaScope(identity, settings, transaction::changesOf);
    backends =
        new BackendSession(
            this,
            services.pools(),
            new ConnectionSetup(settings, services.sealKeys(), services.schemaEpoch()),
            identity,
            settings,
            scope);
    SettingsWatch watch = new SettingsWatch(transaction, backends, replies);
    TransactionEnding ending =
        new TransactionEnding(id, transaction, backends, replies, watch, services.commits(), this);
    retry =
        new GroupRetry(
            transaction,
            backends,
            output,
            named,
            settings,
            services.catalogs(),
            ending,
            services.order());
    gate =
        new SnapshotGate(
            services.control(),
            services.uuid(),
            services.intents(),
            cancellation,
            services.ledger());
    transactions =
        new Transactions(
            transaction,
            backends,
            replies,
            watch,
            ending,
            new CommonSnapshot(transaction, backends, replies, services.catalogs()::current, gate),
            new TransactionClock(
                transaction, backends, replies, InstantSource.system(), services.uuid()));
    transactionCommands =
        new TransactionCommands(
            transactions,
            backends,
            replies,
            watch,
            retry,
            () -> backends.home(services.catalogs().current()));
    notifications =
        new SessionNotifications(id, services.notifications(), mailbox, transaction, backends);
    wire();
  }

  private void wire() {
    GroupMessages group = new GroupMessages();
    EngineContext engine =
        new EngineContext(
            backends,
            transactions,
            replies,
            gate,
            retry,
            scope,
            services.memory(),
            services.uuid(),
            cancellation,
            group,
            services.guesses(),
            new Exchanges(),
            new ReadTurns(services.procedures().independents(), id));
    BatchScope batchScope = new BatchScope(backends, scope, settings, replies);
    procedures =
        new ProcedureCalls(
            new CallContext(
                id, engine, settings, cancellation, slot, batchScope, services.procedures()));
    SessionCatalog catalog = new SessionCatalog(services.catalogs(), scope, backends);
    advance =
        new CatalogAdvance(transaction, backends, services.catalogs(), scope::hasChangedSchema);
    Analyzer analyzer =
        new Analyzer(
            backends,
            settings,
            scope,
            services.statements(),
            catalog,
            services.schemaEpoch(),
            services.numbers(),
            services.tracer() == null,
            services.figures()::analysed);
    Executor executor = new Executor(engine);
    KeyGeneration keys = new KeyGeneration(executor, services.catalogs(), services.keys());
    SessionStatements statements =
        new SessionStatements(
            services.statements(), named, analyzer, keys, engine, services.catalogs(), catalog);
    SessionErrors errors =
        new SessionErrors(
            output,
            transaction,
            backends,
            services.commits().coordinated(),
            cancellation,
            retry,
            procedures::misrouted,
            this);
    replies.errors(errors);
    replies.numbers(services.numbers());
    StatementStarter starter = starter(executor, batchScope, statements);
    SessionCommands commands =
        new SessionCommands(
            engine,
            settings,
            statements,
            services.catalogs(),
            portals,
            cursors,
            starter.trace(),
            transactionCommands,
            notifications);
    ExecuteCommand executes = new ExecuteCommand(engine, starter, statements);
    ExtendedProtocol extended =
        new ExtendedProtocol(
            engine, starter, statements, commands, executes, portals, input.queue());
    SimpleProtocol simple =
        new SimpleProtocol(
            engine, starter, statements, commands, executes, services.catalogs(), errors);
    pipeline = new Pipeline(input, engine, errors, extended, simple, named, portals, this);
    group.of(pipeline, extended, simple);
    copy = new CopyRelay(replies, input.queue(), pipeline);
  }

  private StatementStarter starter(
      Executor executor, BatchScope batchScope, SessionStatements statements) {
    EngineContext engine = executor.context();
    ProcedureServices shared = services.procedures();
    RouterSettings router =
        new RouterSettings(
            engine, this::statistics, services.figures()::json, shared.rules()::json);
    SessionRouting routing =
        new SessionRouting(
            engine, new OutcomeRoute(services.outcomes()), router, portals, cursors, named);
    UpdateBatching batching =
        new UpdateBatching(engine, services.updates(), slot, batchScope, services.statements());
    reads =
        new ReadBatching(
            engine,
            services.reads(),
            services.readsOfSeveral(),
            slot,
            batchScope,
            System::nanoTime);
    return new StatementStarter(
        executor,
        routing,
        batching,
        reads,
        procedures,
        new Explain(executor, procedures),
        new CursorCommands(executor, routing, statements, portals, cursors),
        new CopyOutCommand(executor, routing, statements),
        new StatementTrace(engine, trace),
        services.figures().routes());
  }

  private String statistics() {
    CommitStatistics counts = services.procedures().statistics();
    return services.tracer() == null ? counts.json() : counts.json(services.tracer().counts());
  }

  // ---- groups of messages, and transactions

  @Override
  public void groupBegins() {
    transactions.beginGroup();
    advance.groupBegins();
    retry.beginGroup();
    cancellation.takeDeadlock(); // One that came too late for the group before, or this one's try.
    gate.abandon();
  }

  @Override
  public void groupEnds(boolean failed) {
    named.endGroup();
    try {
      procedures.groupEnded(failed);
      transactions.endGroup(failed);
    } finally {
      if (!transaction.isOpen()) {
        portals.clear();
        cursors.ended(!failed);
        traceEnd(!failed);
        notifications.ended(!failed);
        notifications.groupEnded(output);
      }
    }
  }

  @Override
  public void groupRunsAgain() {
    if (trace != null) {
      trace.runsAgain();
    }
  }

  private void traceEnd(boolean committed) {
    if (trace != null) {
      trace.ended(committed);
    }
  }

  @Override
  public void groupIsOver() {
    reads.groupIsOver();
  }

  @Override
  public void terminate() {
    close();
  }

  @Override
  public void announced(CommitClass commitClass) {
    if (trace != null) {
      trace.commitClass(commitClass.toString());
    }
  }

  @Override
  public void ended(boolean committed) {
    advance.ended();
    portals.clear();
    cursors.ended(committed);
    notifications.ended(committed);
    scope.transactionEnded();
    traceEnd(committed);
  }

  @Override
  public void commits() {
    notifications.commits();
  }

  @Override
  public void wentBack() {
    scope.wentBack();
    advance.wentBack();
  }

  @Override
  public void schemaChanged(boolean committed) {
    if (committed) {
      services.schemaChanged().run();
    }
    settings.placementVersion(services.catalogs().current().version());
  }

  @Override
  public String toString() {
    return "session " + id + (closed ? " (closed)" : "");
  }
}
