package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.ConnectionSetup;
import org.abelian.router.backend.SealKeys;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.catalog.Node;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ErrorPolicy;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePools;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.StartupSettings;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.CommitClass;
import org.abelian.router.session.CommonSnapshot;
import org.abelian.router.session.GroupRetry;
import org.abelian.router.session.LockOrder;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.session.SettingsWatch;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.session.TransactionClock;
import org.abelian.router.session.TransactionCommands;
import org.abelian.router.session.TransactionEnding;
import org.abelian.router.session.TransactionState;
import org.abelian.router.session.Transactions;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SchemaScope;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.transaction.GidSource;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.independent.IndependentLedger;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.LaneNetwork;
import org.abelian.router.transaction.independent.LaneState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A session's executor over three nodes that answer as they were told to. */
public abstract class ScriptedCluster {
  private static final UUID ROUTER = new UUID(1, 2);
  protected TransactionCommands commands;
  protected static final String GATE = "SELECT abelian.snapshot_gate(5)";

  protected final List<String> log = new CopyOnWriteArrayList<>();
  protected final List<String> errors = new ArrayList<>();
  protected final List<ScriptedNode> nodes = new ArrayList<>();
  protected final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final NodeTls tls = new NodeTls(NodeTlsSettings.DEFAULT);
  private final NodePools pools = new NodePools(PoolLimits.DEFAULT, IoContext.of(memory, tls));
  private final NodeIdentity identity =
      new NodeIdentity(Map.of("user", "u", "database", "d"), null);
  private final ClientOutput output = new ClientOutput(memory);
  protected final ReplyQueue replies = new ReplyQueue(output);
  protected final TransactionState transaction = new TransactionState(memory);
  private final LaneNetwork lanes =
      (LaneNetwork)
          Proxy.newProxyInstance(
              LaneNetwork.class.getClassLoader(),
              new Class<?>[] {LaneNetwork.class},
              (proxy, method, arguments) -> {
                log.add(arguments[0] + ": " + method.getName());
                return switch (method.getName()) {
                  case "state" -> new LaneState(1, 5, true, true);
                  case "freeze" -> Optional.empty();
                  case "cancel", "advance" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                };
              });
  protected Catalog catalog;
  protected BackendSession backends;
  protected EngineContext context;

  /** Whether the client wants all rows at once. */
  protected boolean runsToEnd;

  /** The lookup indexes of the catalogue. */
  protected List<LookupIndex> lookups() {
    return List.of();
  }

  @BeforeEach
  protected void open() throws IOException {
    List<Node> addresses = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      ScriptedNode node = new ScriptedNode(id, log);
      node.answer(GATE, "SELECT 1", "t");
      node.answer("SELECT abelian.snapshot_gate(500,true)", "SELECT 1", "t");
      node.answer("SELECT abelian.snapshot_gate(5,true)", "SELECT 1", "t");
      nodes.add(node);
      addresses.add(new Node(id, node.host(), node.port()));
    }
    catalog = new Catalog(1, addresses, Map.of(), lookups());
    CatalogStore catalogs =
        new CatalogStore(
            address -> {
              throw new IOException("nobody asks");
            },
            addresses);
    SessionSettings settings =
        new SessionSettings(
            MemoryBudget.unlimited(), "1-1", 1, new StartupSettings(Map.of(), Map.of()));
    SchemaScope scope = new SchemaScope(identity, settings, transaction::changesOf);
    SealKeys keys = new SealKeys(address -> pools.routersPool(address, identity), ROUTER);
    ConnectionSetup setup = new ConnectionSetup(settings, keys, () -> 1);
    backends = new BackendSession(this, pools, setup, identity, settings, scope);
    context = context(settings, scope, catalogs);
    replies.errors(new Errors());
    replies.beginGroup();
  }

  private EngineContext context(SessionSettings settings, SchemaScope scope, CatalogStore known) {
    SettingsWatch watch = new SettingsWatch(transaction, backends, replies);
    TransactionEnding ending =
        new TransactionEnding(1, transaction, backends, replies, watch, null, new Nobody());
    GroupRetry retry =
        new GroupRetry(
            transaction,
            backends,
            output,
            new ClientStatements(memory),
            settings,
            known,
            ending,
            new LockOrder());
    SnapshotGate gate =
        new SnapshotGate(
            (current, id) -> {
              Node node = current.node(id).orElseThrow();
              return pools.routersPool(new NodeAddress(node.host(), node.port()), identity);
            },
            ROUTER,
            new IntentLedger(new GidSource(ROUTER)),
            new Cancellation(),
            new ReadLedger());
    Transactions transactions =
        new Transactions(
            transaction,
            backends,
            replies,
            watch,
            ending,
            new CommonSnapshot(transaction, backends, replies, () -> catalog, gate),
            new TransactionClock(transaction, backends, replies, () -> Instant.EPOCH, ROUTER));
    commands = new TransactionCommands(transactions, backends, replies, watch, retry, () -> null);
    return new EngineContext(
        backends,
        transactions,
        replies,
        gate,
        retry,
        scope,
        memory,
        ROUTER,
        new Cancellation(),
        new OnlyOne(),
        new LookupGuesses(),
        new Exchanges(),
        new ReadTurns(new IndependentTransactions(ROUTER, lanes, new IndependentLedger()), 1));
  }

  @AfterEach
  protected void close() throws IOException {
    backends.close();
    pools.close();
    tls.close();
    for (ScriptedNode node : nodes) {
      node.close();
    }
  }

  private final class Errors implements ErrorPolicy {
    @Override
    public void nodeError(NodeConnection connection, byte[] array, int frame, int length) {
      errors.add(ErrorFields.read(array, frame).sqlState());
    }

    @Override
    public void stepFailed(RuntimeException cause) {
      errors.add(cause.toString());
    }

    @Override
    public void nodeLost(NodeConnection connection, NodeLostException cause) {
      errors.add(cause.toString());
    }
  }

  private static final class Nobody implements TransactionEnding.Listener {
    @Override
    public void announced(CommitClass commitClass) {
      // As below.
    }

    @Override
    public void ended(boolean committed) {
      // The test looks by itself.
    }

    @Override
    public void wentBack() {
      // As above.
    }

    @Override
    public void schemaChanged(boolean committed) {
      // As above.
    }

    @Override
    public void commits() {
      // As above.
    }
  }

  private final class OnlyOne implements GroupView {
    @Override
    public boolean isOneStatement() {
      return true;
    }

    @Override
    public boolean runsNext(BindMessage bound) {
      return true;
    }

    @Override
    public boolean runsToEnd(BindMessage bound) {
      return runsToEnd;
    }

    @Override
    public boolean describesNext(BindMessage bound) {
      return false;
    }

    @Override
    public boolean hasSynced() {
      return false;
    }
  }

  /** How answers of nodes are merged. */
  protected static MergeFacts merge(MergeFacts.Mode mode, MergeFacts.Finish finish) {
    return new MergeFacts(
        mode,
        "worker",
        null,
        "final",
        List.of(25),
        List.of(1009),
        List.of(),
        false,
        false,
        null,
        null,
        null,
        finish);
  }

  protected BoundStatement bound(String sql, String facts) {
    ByteQueue queue = new ByteQueue(32);
    new FrameWriter(queue)
        .begin(FrontendType.BIND)
        .string("")
        .string("")
        .int2(0)
        .int2(0)
        .int2(0)
        .end();
    BindMessage bind = new BindMessage();
    bind.look(queue.toByteArray(), 0);
    RoutedStatement routed =
        new RoutedStatement(
            Routing.compile(sql, FactsParser.parse("[" + facts + "]").get(0), catalog));
    return new BoundStatement(new SharedStatement(NodeStatement.of(sql)), routed, bind, true);
  }

  protected Execution bind(String sql, String facts, Route route) throws IOException {
    return new Executor(context).bind(bound(sql, facts), route);
  }

  /** Lets the nodes answer. */
  protected void answer() throws IOException {
    backends.requestAnswers();
    replies.run();
    assertTrue(replies.isEmpty());
  }

  /** The client's group of messages ends. */
  protected void endGroup() throws IOException {
    for (Backend backend : List.copyOf(backends.touched())) {
      backends.sync(backend);
      replies.add(NodeReply.end(backend.connection));
    }
    backends.flush();
    replies.run();
    backends.untouch();
  }

  /** What the nodes ran, but for what sets connections up. */
  protected List<String> ran() {
    return log.stream()
        .filter(line -> !line.contains("abelian.") && !line.contains(": SET "))
        .toList();
  }

  /** The rows and tags that the client has got. */
  protected List<String> told() {
    List<String> told = new ArrayList<>();
    ByteQueue queue = output.queue();
    for (int at = queue.start(); at < queue.end(); at += queue.frameAt(at)) {
      byte[] array = queue.array();
      if (array[at] == BackendType.DATA_ROW) {
        told.add(row(ByteBuffer.wrap(array, at + 5, queue.frameAt(at) - 5)));
      } else if (array[at] == BackendType.COMMAND_COMPLETE) {
        told.add(CString.read(array, at + 5, CString.end(array, at + 5, queue.end())));
      } else if (array[at] == BackendType.PORTAL_SUSPENDED) {
        told.add("suspended");
      }
    }
    return told;
  }

  private static String row(ByteBuffer message) {
    List<String> columns = new ArrayList<>();
    for (int left = message.getShort(); left > 0; left--) {
      byte[] value = new byte[message.getInt()];
      message.get(value);
      columns.add(new String(value, StandardCharsets.UTF_8));
    }
    return String.join("|", columns);
  }
}
