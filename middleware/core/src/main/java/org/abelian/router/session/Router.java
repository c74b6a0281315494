package org.abelian.router.session;

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
import java.util.function.Supplier;
import org.abelian.router.batching.Amounts;
import org.abelian.router.batching.BatchLimits;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.LockWaits;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodePool;
import org.abelian.router.pool.NodePools;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.ScramVerifier;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.transaction.BackgroundDuties;
import org.abelian.router.transaction.CommitLedger;
import org.abelian.router.transaction.CommutingCommit;
import org.abelian.router.transaction.ControlPools;
import org.abelian.router.transaction.CoordinatedCommit;
import org.abelian.router.transaction.DeadlockDetector;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.IntentRecovery;
import org.abelian.router.transaction.JdbcControlNetwork;
import org.abelian.router.transaction.JdbcIntentNetwork;
import org.abelian.router.transaction.JdbcWaitSource;
import org.abelian.router.transaction.NodeCalls;
import org.abelian.router.transaction.OutcomeInquiry;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.Recovery;
import org.abelian.router.transaction.independent.IndependentLedger;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.JdbcLaneNetwork;
import org.abelian.router.transaction.independent.LaneRecovery;
import org.postgresql.jdbcurlresolver.PgPassParser;

/**
 * What the sessions of one process share: the catalogue, pools, what is known about texts, and the
 * duties beside the sessions. It keeps nothing that matters: another router can finish what a dead
 * one began.
 */
public final class Router implements AutoCloseable {
  private static final Duration PROMISES_PERIOD = Duration.ofSeconds(1);
  private static final Duration VERSIONS_PERIOD = Duration.ofSeconds(5);
  private static final String VERIFIER = "SELECT abelian.scram_verifier(?::name)";

  private final UUID uuid = UUID.randomUUID();
  private final List<Node> seeds = new ArrayList<>();
  private final MemoryBudget memory;
  private final NodeTls tls;
  private final NodePools pools;
  private final RouterConfig config;
  private final Map<NodeAddress, NodeIdentity> controlIdentities = new ConcurrentHashMap<>();
  private final ControlPools controlPools;
  private final CatalogStore catalog;
  private final StatementCache statements = new StatementCache();
  private final SessionRegistry sessions = new SessionRegistry();
  private final Batcher<Amounts> batcher = new Batcher<>(BatchLimits.DEFAULT, System::nanoTime);
  private final Batcher<Calls<SharedCall>> calls =
      new Batcher<>(BatchLimits.CALLS, System::nanoTime);

  private final Batcher<Calls<SharedCall>> callsInLine =
      new Batcher<>(BatchLimits.CALLS_IN_LINE, System::nanoTime);
  private final LockWaits<CallObject> awaited = new LockWaits<>();
  private final Batcher<Calls<LaneCall>> lanes =
      new Batcher<>(BatchLimits.CALLS_IN_LINE, System::nanoTime);
  private final Supplier<UUID> keys = UUID::randomUUID;
  private final CoordinatedCommit commit;
  private final CommutingCommit commuting;
  private final IntentLedger intents;
  private final CommitStatistics statistics = new CommitStatistics();
  private final RoutingRules rules = new RoutingRules();
  private final IndependentTransactions independents;
  private final BrokenPromises promises = new BrokenPromises(this);
  private final OutcomeInquiry outcomes;
  private final SealKeys sealKeys = new SealKeys(this, uuid);
  private final Supplier<BackgroundDuties> startDuties;
  private BackgroundDuties duties;
  private boolean closed;
  private final AtomicLong schemaEpoch = new AtomicLong();

  private Router(RouterConfig config) {
    int number = 1;
    for (NodeAddress seed : config.seeds()) {
      seeds.add(new Node(number++, seed.host(), seed.port()));
    }
    this.config = config;
    memory = new MemoryBudget(config.memoryBytes());
    tls = new NodeTls(config.tls());
    pools = new NodePools(config.limits(), IoContext.of(memory, tls));
    controlPools = new ControlPools(config.database(), config.user(), config.password(), tls);
    catalog = new CatalogStore(controlPools, seeds);
    NodeCalls calls = new NodeCalls(controlPools, catalog::current);
    JdbcControlNetwork network = new JdbcControlNetwork(calls);
    CommitLedger ledger = new CommitLedger();
    GidSource gids = new GidSource(uuid);
    commit = new CoordinatedCommit(network, gids, ledger, Pause.SLEEP);
    intents = new IntentLedger(gids);
    JdbcIntentNetwork intentNetwork = new JdbcIntentNetwork(calls);
    commuting = new CommutingCommit(intentNetwork, intents, Pause.SLEEP);
    IntentRecovery recovery = new IntentRecovery(intentNetwork, intents, uuid, config.courtesy());
    outcomes = new OutcomeInquiry(network, intents::isOpen, Pause.SLEEP);
    Recovery prepared = new Recovery(network, ledger, config.courtesy());
    DeadlockDetector deadlocks =
        new DeadlockDetector(new JdbcWaitSource(calls), sessions, uuid, Pause.SLEEP);
    JdbcLaneNetwork lanes = new JdbcLaneNetwork(calls);
    IndependentLedger independentLedger = new IndependentLedger();
    independents = new IndependentTransactions(uuid, lanes, independentLedger);
    LaneRecovery laneRecovery = new LaneRecovery(lanes, independentLedger, config.courtesy());
    startDuties =
        () -> {
          BackgroundDuties started =
              BackgroundDuties.start(network, ledger, prepared, deadlocks, recovery, laneRecovery);
          started.every(PROMISES_PERIOD, "broken promises", promises::look);
          started.every(VERSIONS_PERIOD, "versions of nodes", independents::lookAgain);
          return started;
        };
  }

  /** Starts a router. Nodes are asked for the catalogue when it is needed first. */
  public static Router open(RouterConfig config) {
    return new Router(config);
  }

  /** A session for a client that will prove itself in that way. */
  public Session openSession(Authentication authentication) {
    return new Session(this, sessions.nextId(), authentication);
  }

  /** True when the router's own role has a password that was given, not looked up. */
  public boolean hasPassword() {
    return config.password() != null;
  }

  /**
   * A client has proved itself: from the first one on, the router does its duties beside the
   * sessions.
   */
  void opened(Session session) {
    sessions.add(session);
    startDuties();
  }

  /**
   * Starts recovery and deadlock detection now, for a router that has a control role of its own:
   * what another router left prepared must not wait for the first client.
   */
  public synchronized void startDuties() {
    if (duties == null && !closed) {
      duties = startDuties.get();
    }
  }

  /** The sessions that are open. */
  public SessionRegistry sessions() {
    return sessions;
  }

  /** The newest catalogue that the router has seen, and a way to a newer one. */
  public CatalogStore catalog() {
    return catalog;
  }

  /**
   * The verifier that the nodes have for a role; empty when there is no such role or it has none.
   *
   * @throws AbelianException 08001 when no node can be asked
   */
  public Optional<ScramVerifier> verifier(String user) {
    SQLException failure = null;
    for (Node node : catalog.current().nodes()) {
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
        "Check that the nodes run and that the router's own role may call"
            + " abelian.scram_verifier().");
  }

  UUID uuid() {
    return uuid;
  }

  /** What tells nodes this router's own words from its clients'. */
  SealKeys sealKeys() {
    return sealKeys;
  }

  List<Node> seeds() {
    return seeds;
  }

  NodePools pools() {
    return pools;
  }

  /** What the buffers of all sessions may take. */
  public MemoryBudget memory() {
    return memory;
  }

  /** Where keys of rows come from: random UUIDs that nobody can foresee. */
  Supplier<UUID> keys() {
    return keys;
  }

  StatementCache statements() {
    return statements;
  }

  Batcher<Amounts> batcher() {
    return batcher;
  }

  /** Where commuting calls are batched, whatever rows they name. */
  Batcher<Calls<SharedCall>> calls() {
    return calls;
  }

  /** Where those are batched that name a row at which others wait for a lock. */
  Batcher<Calls<SharedCall>> callsInLine() {
    return callsInLine;
  }

  /** Such rows. */
  LockWaits<CallObject> awaited() {
    return awaited;
  }

  /** Where calls are batched that become one independent transaction. */
  Batcher<Calls<LaneCall>> lanes() {
    return lanes;
  }

  CoordinatedCommit commit() {
    return commit;
  }

  CommutingCommit commuting() {
    return commuting;
  }

  /** This router's commuting transactions that are not over. */
  IntentLedger intents() {
    return intents;
  }

  /** How many transactions were committed in which class. */
  public CommitStatistics statistics() {
    return statistics;
  }

  /** What was learned from misrouted calls. */
  RoutingRules rules() {
    return rules;
  }

  IndependentTransactions independents() {
    return independents;
  }

  /** Stops procedures that are not what they are declared to be. */
  BrokenPromises promises() {
    return promises;
  }

  OutcomeInquiry outcomes() {
    return outcomes;
  }

  /** Connections to a node in the router's own name, at the level of messages. */
  NodePool controlPool(Catalog current, int nodeId) {
    Node node =
        current
            .node(nodeId)
            .orElseThrow(() -> AbelianException.internal("no node " + nodeId, null));
    return controlPool(new NodeAddress(node.host(), node.port()));
  }

  /** The same of the node at an address. */
  NodePool controlPool(NodeAddress address) {
    return pools.routersPool(
        address, controlIdentities.computeIfAbsent(address, this::controlIdentity));
  }

  /** The router's own name at a node. */
  private NodeIdentity controlIdentity(NodeAddress address) {
    String password = config.password();
    if (password == null) {
      String port = Integer.toString(address.port());
      password = PgPassParser.getPassword(address.host(), port, config.database(), config.user());
    }
    return new NodeIdentity(
        Map.of(
            "user",
            config.user(),
            "database",
            config.database(),
            "application_name",
            "abelian router"),
        password == null ? null : new ScramSecret.Password(password));
  }

  /** Grows when a schema was changed through this router. */
  long schemaEpoch() {
    return schemaEpoch.get();
  }

  /**
   * A schema or the placement was changed: nothing that was found out about texts before need hold.
   */
  void schemaChanged() {
    schemaEpoch.incrementAndGet();
    catalog.refresh(catalog.current().version());
  }

  /** Ends all sessions and closes all connections. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (duties != null) {
        duties.close();
      }
    }
    sessions.all().forEach(Session::abort);
    pools.close();
    controlPools.close();
    tls.close();
  }
}
