package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ErrorPolicy;
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
import org.abelian.router.session.GroupRetry;
import org.abelian.router.session.Progress;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.session.SettingsWatch;
import org.abelian.router.session.SnapshotGate;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each way to run a statement, on three nodes that answer as they were told to. */
class ExecutionTest {
  private static final UUID ROUTER = new UUID(1, 2);
  private static final String GATE = "SELECT abelian.snapshot_gate(5)";

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private final List<ScriptedNode> nodes = new ArrayList<>();
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final NodeTls tls = new NodeTls(NodeTlsSettings.DEFAULT);
  private final NodePools pools = new NodePools(PoolLimits.DEFAULT, IoContext.of(memory, tls));
  private final NodeIdentity identity =
      new NodeIdentity(Map.of("user", "u", "database", "d"), null);
  private final ClientOutput output = new ClientOutput(memory);
  private final ReplyQueue replies = new ReplyQueue(output);
  private final TransactionState transaction = new TransactionState(memory);
  private Catalog catalog;
  private BackendSession backends;
  private EngineContext context;

  @BeforeEach
  void open() throws IOException {
    List<Node> addresses = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      ScriptedNode node = new ScriptedNode(id, log);
      node.answer(GATE, "SELECT 1", "t");
      nodes.add(node);
      addresses.add(new Node(id, node.host(), node.port()));
    }
    catalog = new Catalog(1, addresses, Map.of());
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
    backends =
        new BackendSession(this, pools, setup, identity, settings, scope::hasTemporaryObjects);
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
            transaction, backends, output, new ClientStatements(memory), settings, known, ending);
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
    return new EngineContext(
        backends,
        new Transactions(transaction, backends, replies, watch, ending, retry, () -> null),
        replies,
        gate,
        retry,
        scope,
        memory,
        ROUTER,
        new Cancellation(),
        new OnlyOne(),
        new LookupGuesses());
  }

  @AfterEach
  void close() throws IOException {
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
  }

  private static final class OnlyOne implements GroupView {
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
      return false;
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

  private BoundStatement bound(String sql, String facts) {
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

  private Execution bind(String sql, String facts, Route route) throws IOException {
    return new Executor(context).bind(bound(sql, facts), route);
  }

  /** Lets the nodes answer. */
  private void answer() throws IOException {
    backends.requestAnswers();
    replies.run();
    assertTrue(replies.isEmpty());
  }

  /** What the nodes ran, but for what sets connections up. */
  private List<String> ran() {
    return log.stream()
        .filter(line -> !line.contains("abelian.") && !line.contains(": SET "))
        .toList();
  }

  /** The rows and tags that the client has got. */
  private List<String> told() {
    List<String> told = new ArrayList<>();
    ByteQueue queue = output.queue();
    for (int at = queue.start(); at < queue.end(); at += queue.frameAt(at)) {
      byte[] array = queue.array();
      if (array[at] == BackendType.DATA_ROW) {
        int end = at + queue.frameAt(at);
        told.add(new String(array, at + 11, end - at - 11, StandardCharsets.UTF_8));
      } else if (array[at] == BackendType.COMMAND_COMPLETE) {
        told.add(CString.read(array, at + 5, CString.end(array, at + 5, queue.end())));
      } else if (array[at] == BackendType.PORTAL_SUSPENDED) {
        told.add("suspended");
      }
    }
    return told;
  }

  private static Route.Scatter scatter(MergeFacts.Mode mode) {
    return new Route.Scatter(
        List.of(1, 2, 3),
        new MergeFacts(
            mode,
            "worker",
            null,
            "final",
            List.of(25),
            List.of(1009),
            List.of(),
            false,
            false,
            null));
  }

  @Test
  void oneNodeAnswersAsItIs() throws IOException {
    nodes.get(1).answer("SELECT 1", "SELECT 1", "x");
    BoundStatement bound = bound("SELECT 1", "{\"kind\": \"select\", \"returns_rows\": true}");
    Execution execution =
        SingleNodeExecution.bind(context, bound, backends.backend(catalog, 2), true, null, false);
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("2: SELECT 1"), ran());
    assertEquals(List.of("x", "SELECT 1"), told());
  }

  @Test
  void whatMaySetSomethingIsFollowedByTheQuestion() throws IOException {
    nodes.get(0).answer("SHOW abelian.settings", "SHOW", "work_mem=1MB\n");
    BoundStatement bound =
        bound("SELECT f()", "{\"kind\": \"select\", \"returns_rows\": true, \"sets\": true}");
    Execution execution =
        SingleNodeExecution.bind(context, bound, backends.backend(catalog, 1), true, null, false);
    assertEquals(Progress.SETTLE, execution.execute(0));
    answer();
    assertEquals("1MB", backends.setting("work_mem"));
    assertEquals(List.of("SELECT 0"), told());
  }

  @Test
  void writesOnSeveralNodesAreOneTransactionAndAddUp() throws IOException {
    String sql = "DELETE FROM t";
    for (int i = 0; i < 3; i++) {
      nodes.get(i).answer(sql, "DELETE " + (i + 1));
    }
    Execution execution =
        bind(sql, "{\"kind\": \"delete\"}", new Route.ScatterWrite(List.of(1, 2, 3)));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("DELETE 6"), told());
    assertEquals(TransactionState.Kind.IMPLICIT, transaction.kind());
    for (int id = 1; id <= 3; id++) {
      assertTrue(ran().indexOf(id + ": BEGIN") < ran().indexOf(id + ": " + sql), ran().toString());
    }
  }

  @Test
  void theFirstNodeGoesAheadWithAChangeOfAll() throws IOException {
    String sql = "CREATE TABLE t ()";
    Execution execution =
        bind(
            sql,
            "{\"kind\": \"utility\", \"utility\": \"ddl\", \"tag\": \"CREATE TABLE\"}",
            new Route.AllNodes(Route.Purpose.SCHEMA));
    assertEquals(Progress.BARRIER, execution.execute(0));
    answer();
    List<String> changes = ran().stream().filter(line -> line.endsWith(sql)).toList();
    assertEquals("1: " + sql, changes.get(0));
    assertEquals(3, changes.size());
    assertEquals(List.of(sql), told());
  }

  @Test
  void whatTheFirstNodeRefusesTheOthersAreNotAsked() throws IOException {
    String sql = "CREATE TABLE t ()";
    nodes.get(0).fail(sql, "42P07");
    Execution execution =
        bind(
            sql,
            "{\"kind\": \"utility\", \"utility\": \"ddl\", \"tag\": \"CREATE TABLE\"}",
            new Route.AllNodes(Route.Purpose.SCHEMA));
    execution.execute(0);
    answer();
    assertEquals(List.of("42P07"), errors);
    assertEquals(1, ran().stream().filter(line -> line.endsWith(sql)).count());
  }

  @Test
  void rowsOfSeveralNodesComeOneNodeAfterTheOther() throws IOException {
    String sql = "SELECT a FROM t";
    nodes.get(0).answer(sql, "SELECT", "1a", "1b");
    nodes.get(1).answer(sql, "SELECT");
    nodes.get(2).answer(sql, "SELECT", "3a");
    Execution execution =
        bind(
            sql, "{\"kind\": \"select\", \"returns_rows\": true}", scatter(MergeFacts.Mode.CONCAT));
    assertEquals(Progress.NEXT, execution.execute(0));
    answer();
    assertEquals(List.of("1a", "1b", "3a", "SELECT 3"), told());
    for (int id = 1; id <= 3; id++) {
      assertTrue(log.contains(id + ": " + GATE), log.toString());
    }
  }

  @Test
  void gatesAreLeftByAReadThatCannotBeBound() {
    AbelianException refusal = AbelianException.internal("no memory for its values", null);
    JointSnapshot.Read read =
        new JointSnapshot.Read() {
          @Override
          public void bind(Backend backend) {
            if (backend.nodeId == 3) {
              throw refusal;
            }
          }

          @Override
          public void run(Backend backend) {
            throw new AssertionError("not everybody has its snapshot");
          }

          @Override
          public void close(Backend backend) {
            throw new AssertionError("nothing is bound anew");
          }
        };
    BoundStatement bound = bound("SELECT 1", "{\"kind\": \"select\", \"returns_rows\": true}");
    List<Backend> all = List.of(1, 2, 3).stream().map(id -> backends.backend(catalog, id)).toList();
    JointSnapshot snapshot = new JointSnapshot(context, bound.routed(), all, read, false, false);
    assertSame(refusal, assertThrows(AbelianException.class, snapshot::take));
    for (int id = 1; id <= 3; id++) {
      assertTrue(log.contains(id + ": COMMIT"), log.toString());
    }
  }

  @Test
  void rowLimitsGoOnWhereTheyEnded() throws IOException {
    String sql = "SELECT a FROM t";
    nodes.get(0).answer(sql, "SELECT", "1a", "1b");
    nodes.get(1).answer(sql, "SELECT");
    nodes.get(2).answer(sql, "SELECT", "3a");
    Execution execution =
        bind(
            sql, "{\"kind\": \"select\", \"returns_rows\": true}", scatter(MergeFacts.Mode.CONCAT));
    answer();
    assertTrue(execution.runsQuiet(1));
    for (int i = 0; i < 4; i++) {
      assertEquals(Progress.BARRIER, execution.execute(1));
      answer();
    }
    assertEquals(
        List.of("1a", "suspended", "1b", "suspended", "3a", "suspended", "SELECT 0"), told());
  }

  @Test
  void gatheredRowsAreFinishedOnOneNodeAndGivenUp() throws IOException {
    for (ScriptedNode node : nodes) {
      node.answer("worker", "SELECT", "w");
      node.answer("final", "SELECT", "sum");
    }
    long before = memory.used();
    Execution execution =
        bind(
            "SELECT sum(a) FROM t",
            "{\"kind\": \"select\", \"returns_rows\": true}",
            scatter(MergeFacts.Mode.COMBINE));
    assertInstanceOf(SingleNodeExecution.class, execution);
    assertTrue(memory.used() <= before + (1 << 14), "the rows are given up");
    execution.execute(0);
    answer();
    assertEquals(3, ran().stream().filter(line -> line.endsWith(": worker")).count());
    assertEquals(1, ran().stream().filter(line -> line.endsWith(": final")).count());
    assertEquals(List.of("sum", "SELECT 1"), told());
  }

  @Test
  void whenAWorkerFailsNothingIsFinished() throws IOException {
    nodes.get(2).fail("worker", "22012");
    assertNull(
        bind(
            "SELECT sum(a) FROM t",
            "{\"kind\": \"select\", \"returns_rows\": true}",
            scatter(MergeFacts.Mode.COMBINE)));
    assertEquals(List.of("22012"), errors);
    assertFalse(ran().stream().anyMatch(line -> line.endsWith(": final")));
  }

  @Test
  void nodeByNodeTheFirstErrorEndsIt() throws IOException {
    nodes.get(1).fail("VACUUM", "57014");
    Execution execution =
        bind(
            "VACUUM",
            "{\"kind\": \"utility\", \"utility\": \"vacuum\", \"tag\": \"VACUUM\"}",
            new Route.AllNodes(Route.Purpose.NODE_BY_NODE));
    replies.run();
    assertTrue(execution.runsQuiet(0));
    ClientError error = assertThrows(ClientError.class, () -> execution.execute(0));
    assertEquals("57014", error.fields().sqlState());
    assertEquals(List.of("1: VACUUM", "2: VACUUM"), ran());
  }

  @Test
  void inABlockTheFirstNodeRefusesWhatMustBeAlone() throws IOException {
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    nodes.get(0).fail("VACUUM", "25001");
    Execution execution =
        bind(
            "VACUUM",
            "{\"kind\": \"utility\", \"utility\": \"vacuum\", \"tag\": \"VACUUM\","
                + " \"outside_transaction\": true}",
            new Route.AllNodes(Route.Purpose.NODE_BY_NODE));
    execution.execute(0);
    answer();
    assertEquals(List.of("25001"), errors);
    assertEquals(List.of("1: BEGIN", "1: VACUUM"), ran());
  }
}
