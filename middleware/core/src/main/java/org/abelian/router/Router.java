package org.abelian.router;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.abelian.router.backend.CatalogReader;
import org.abelian.router.backend.FirstNodeNumbers;
import org.abelian.router.backend.SealKeys;
import org.abelian.router.batching.BatchLimits;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.LockWaits;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Node;
import org.abelian.router.engine.LookupGuesses;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.frontend.PasswordAuthentication;
import org.abelian.router.notification.NotificationHub;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodePool;
import org.abelian.router.pool.NodePools;
import org.abelian.router.procedure.BrokenPromises;
import org.abelian.router.procedure.ProcedureServices;
import org.abelian.router.procedure.RoutingRules;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.ScramVerifier;
import org.abelian.router.session.CommitServices;
import org.abelian.router.session.CommitStatistics;
import org.abelian.router.session.LockOrder;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.statement.StatementCache;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.trace.Tracer;
import org.abelian.router.transaction.CommitLedger;
import org.abelian.router.transaction.CommutingCommit;
import org.abelian.router.transaction.ControlNetwork;
import org.abelian.router.transaction.ControlPools;
import org.abelian.router.transaction.CoordinatedCommit;
import org.abelian.router.transaction.DeadlockDetector;
import org.abelian.router.transaction.DecisionRetention;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.IntentRecovery;
import org.abelian.router.transaction.JdbcControlNetwork;
import org.abelian.router.transaction.JdbcIntentNetwork;
import org.abelian.router.transaction.JdbcWaitSource;
import org.abelian.router.transaction.NodeCalls;
import org.abelian.router.transaction.NodeWatch;
import org.abelian.router.transaction.OutcomeInquiry;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.Recovery;
import org.abelian.router.transaction.independent.IndependentLedger;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.JdbcLaneNetwork;
import org.abelian.router.transaction.independent.LaneRecovery;
import org.postgresql.jdbcurlresolver.PgPassParser;

/**
 * What the sessions of one process share: the catalogue, pools, what is known about texts, and what
 * is done beside the sessions. It keeps nothing that matters: another router can finish what a dead
 * one began.
 */
public final class Router implements AutoCloseable {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration FORGET_PERIOD = Duration.ofMillis(250);
  private static final Duration SWEEP_PERIOD = Duration.ofMinutes(1);
  private static final Duration VERSIONS_PERIOD = Duration.ofSeconds(5);
  private static final Duration WATCH_PERIOD = Duration.ofSeconds(10);

  /** What is known about texts may take such a share of what buffers may, in addition. */
  private static final int STATEMENTS_SHARE = 8;

  private static final String VERIFIER = "SELECT abelian.scram_verifier(?::name)";

  private final MemoryBudget memory;
  private final NodeTls tls;
  private final NodePools pools;
  private final RouterConfig config;
  private final ScramSecret secret;
  private final Map<NodeAddress, NodeIdentity> controlIdentities = new ConcurrentHashMap<>();
  private final ControlPools controlPools;
  private final CatalogStore catalogs;
  private final SessionRegistry sessions = new SessionRegistry();
  private final AtomicLong schemaEpoch = new AtomicLong();
  private final RouterServices services;
  private final NotificationHub notifications;
  private final Consumer<BackgroundTasks> tasks;
  private BackgroundTasks running;
  private boolean closed;

  private Router(RouterConfig config, Tracer tracer) {
    UUID uuid = UUID.randomUUID();
    List<Node> seeds = new ArrayList<>();
    for (NodeAddress seed : config.seeds()) {
      seeds.add(new Node(seeds.size() + 1, seed.host(), seed.port()));
    }
    this.config = config;
    secret = config.password() == null ? null : new ScramSecret.Password(config.password());
    memory = new MemoryBudget(config.memoryBytes());
    tls = new NodeTls(config.tls());
    pools = new NodePools(config.limits(), IoContext.of(memory, tls));
    controlPools = new ControlPools(config.database(), config.user(), config.password(), tls);
    catalogs = new CatalogStore(new CatalogReader(this::controlPool), seeds);
    notifications = new NotificationHub(this::controlPool, () -> catalogs.current().nodes());
    NodeCalls calls = new NodeCalls(controlPools, catalogs::current);
    JdbcControlNetwork network = new JdbcControlNetwork(calls);
    CommitLedger ledger = new CommitLedger();
    GidSource gids = new GidSource(uuid);
    IntentLedger intents = new IntentLedger(gids);
    JdbcIntentNetwork intentNetwork = new JdbcIntentNetwork(calls);
    JdbcLaneNetwork lanes = new JdbcLaneNetwork(calls);
    IndependentLedger independentLedger = new IndependentLedger();
    CommitServices commits =
        new CommitServices(
            new CoordinatedCommit(network, gids, ledger, Pause.SLEEP),
            new CommutingCommit(intentNetwork, intents, Pause.SLEEP),
            new CommitStatistics());
    ProcedureServices procedures =
        procedures(commits, new IndependentTransactions(uuid, lanes, independentLedger));
    services =
        new RouterServices(
            uuid,
            config.database(),
            List.copyOf(seeds),
            pools,
            memory,
            new SealKeys(this::controlPool, uuid),
            catalogs,
            new StatementCache(memory.limit() / STATEMENTS_SHARE),
            sessions,
            new Batcher<>(BatchLimits.DEFAULT, System::nanoTime),
            new Batcher<>(BatchLimits.READS, System::nanoTime),
            new Batcher<>(BatchLimits.READS_OF_SEVERAL, System::nanoTime),
            commits,
            procedures,
            intents,
            new ReadLedger(),
            new OutcomeInquiry(network, intents::isOpen, Pause.SLEEP),
            this::controlPool,
            tracer,
            UUID::randomUUID,
            schemaEpoch::get,
            this::schemaChanged,
            this::startTasks,
            new LookupGuesses(),
            notifications,
            new FirstNodeNumbers(() -> catalogs.current().first(), this::controlPool),
            new RouterFigures(sessions, pools, memory),
            new LockOrder());
    tasks =
        started -> {
          coordinated(started, network, ledger, config.courtesy(), services.figures());
          DeadlockDetector deadlocks =
              new DeadlockDetector(new JdbcWaitSource(calls), sessions, uuid, Pause.SLEEP);
          started.every(SECOND, "deadlock detection", deadlocks::runOnce);
          IntentRecovery recovery =
              new IntentRecovery(intentNetwork, intents, uuid, config.courtesy());
          started.every(SECOND, "recovery of intents", recovery::runOnce);
          started.every(FORGET_PERIOD, "intents", recovery::forget);
          started.every(SECOND, "notifications", notifications::look);
          NodeWatch watch = new NodeWatch(calls, catalogs::current);
          started.every(
              WATCH_PERIOD, "figures of nodes", () -> services.figures().nodeStates(watch.look()));
          lanes(started, new LaneRecovery(lanes, independentLedger, config.courtesy()), procedures);
        };
  }

  private static void coordinated(
      BackgroundTasks tasks,
      ControlNetwork network,
      CommitLedger ledger,
      Duration courtesy,
      RouterFigures figures) {
    Recovery recovery = new Recovery(network, ledger, courtesy);
    DecisionRetention retention =
        new DecisionRetention(network, ledger, DecisionRetention.SWEEP_AGE);
    tasks.every(SECOND, "recovery", () -> figures.inDoubt(recovery.runOnce()));
    tasks.every(SECOND, "decisions", retention::forgetFinished);
    tasks.every(
        SWEEP_PERIOD, "sweep of decisions", () -> network.nodes().forEach(retention::sweep));
  }

  private static void lanes(
      BackgroundTasks tasks, LaneRecovery recovery, ProcedureServices procedures) {
    tasks.every(SECOND, "recovery of lanes", recovery::runOnce);
    tasks.every(SECOND, "records", recovery::forgetAcknowledged);
    tasks.every(SWEEP_PERIOD, "sweep of records", recovery::sweep);
    tasks.every(SECOND, "broken promises", procedures.promises()::look);
    tasks.every(VERSIONS_PERIOD, "versions of nodes", procedures.independents()::lookAgain);
  }

  private ProcedureServices procedures(
      CommitServices commits, IndependentTransactions independents) {
    return new ProcedureServices(
        commits.commuting(),
        independents,
        new Batcher<>(BatchLimits.CALLS, System::nanoTime),
        new Batcher<>(BatchLimits.CALLS_IN_LINE, System::nanoTime),
        new LockWaits<>(),
        new Batcher<>(BatchLimits.CALLS_IN_LINE, System::nanoTime),
        new RoutingRules(),
        new BrokenPromises(catalogs, this::controlPool, commits.coordinated(), this::schemaChanged),
        commits.statistics());
  }

  /** Starts a router. Nodes are asked for the catalogue when it is needed first. */
  public static Router open(RouterConfig config) {
    return open(config, null);
  }

  /**
   * The same, and records transactions.
   *
   * @param tracer closed by whoever has opened it; null to record none
   */
  public static Router open(RouterConfig config, Tracer tracer) {
    return new Router(config, tracer);
  }

  /** A session for a client that will prove itself in that way. */
  public ClientSession openSession(Authentication authentication) {
    return new ClientSession(services, sessions.nextId(), authentication);
  }

  /**
   * How programs of this process say who they are: by a password, if the router was given one. Else
   * nodes let them in by its certificate, or not at all.
   */
  public Authentication ownAuthentication() {
    return secret == null ? Authentication.NONE : new PasswordAuthentication(secret);
  }

  /** What the buffers of all sessions may take. */
  public MemoryBudget memory() {
    return memory;
  }

  /**
   * Starts recovery and deadlock detection now, for a router that has a control role of its own:
   * what another router left prepared must not wait for the first client. Otherwise they start with
   * the first session.
   */
  public synchronized void startTasks() {
    if (running == null && !closed) {
      running = new BackgroundTasks();
      tasks.accept(running);
    }
  }

  /** The sessions that are open. */
  public SessionRegistry sessions() {
    return sessions;
  }

  /** The newest catalogue that the router has seen, and a way to a newer one. */
  public CatalogStore catalog() {
    return catalogs;
  }

  /** What it has done and does now. */
  public RouterFigures figures() {
    return services.figures();
  }

  /** How many transactions were committed in which class. */
  public CommitStatistics statistics() {
    return services.commits().statistics();
  }

  /**
   * The verifier that the nodes have for a role; empty when there is no such role or it has none.
   *
   * @throws AbelianException 08001 when no node can be asked
   */
  public Optional<ScramVerifier> verifier(String user) {
    SQLException failure = null;
    for (Node node : catalogs.current().nodes()) {
      try (Connection connection = controlPools.connection(node);
          PreparedStatement statement = connection.prepareStatement(VERIFIER)) {
        statement.setString(1, user);
        try (ResultSet rows = statement.executeQuery()) {
          String text = rows.next() ? rows.getString(1) : null;
          return Optional.ofNullable(text)
              .filter(value -> value.startsWith("SCRAM-"))
              .map(ScramVerifier::parse);
        }
      } catch (SQLException e) {
        failure = e;
      }
    }
    throw new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "no node could be asked about the role"
            + (failure == null ? "" : ": " + failure.getMessage()),
        "Check that the nodes run and have the extension abelian_cluster, and that the router's own"
            + " role may call abelian.scram_verifier().");
  }

  /** Connections to a node in the router's own name, at the level of messages. */
  private NodePool controlPool(Catalog current, int nodeId) {
    Node node =
        current
            .node(nodeId)
            .orElseThrow(() -> AbelianException.internal("no node " + nodeId, null));
    return controlPool(new NodeAddress(node.host(), node.port()));
  }

  /** The same of the node at an address. */
  private NodePool controlPool(NodeAddress address) {
    return pools.routersPool(
        address, controlIdentities.computeIfAbsent(address, this::controlIdentity));
  }

  /** The router's own name at a node. */
  private NodeIdentity controlIdentity(NodeAddress address) {
    return new NodeIdentity(
        Map.of(
            "user",
            config.user(),
            "database",
            config.database(),
            "application_name",
            "abelian router",
            "client_encoding",
            "UTF8"),
        secret == null ? secretFromFile(address) : secret);
  }

  private ScramSecret secretFromFile(NodeAddress address) {
    String port = Integer.toString(address.port());
    String password =
        PgPassParser.getPassword(address.host(), port, config.database(), config.user());
    return password == null ? null : new ScramSecret.Password(password);
  }

  /** Nothing that was found out about texts before need hold. */
  private void schemaChanged() {
    schemaEpoch.incrementAndGet();
    catalogs.refresh(catalogs.current().version());
  }

  /** Ends all sessions and closes all connections. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (running != null) {
        running.close();
      }
    }
    sessions.all().forEach(SessionRegistry.Entry::abort);
    notifications.close();
    pools.close();
    controlPools.close();
    tls.close();
  }
}
