package org.abelian.advisor.applied;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.LoggedServer;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.moves.Move;
import org.abelian.advisor.moves.MovePlan;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.TransactionKind;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;
import org.abelian.advisor.workload.Part;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The advised placement does what was predicted. A workload runs on one PostgreSQL; its log is
 * advised on; the placement is made on an empty cluster through the router; and the transactions
 * that nothing was learnt from run there. The router's count of commits by class is then that of
 * the prediction.
 */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AppliedPlacementIT {
  /** Transactions of each workload, of which a quarter is held out. */
  private static final int TRANSACTIONS = Integer.getInteger("abelian.applied.transactions", 500);

  private static final long SEED = Long.getLong("abelian.applied.seed", 5);

  /** By how much a share may be another than predicted. */
  private static final double TOLERANCE = 0.02;

  @TempDir static Path folder;
  private final LocalCluster cluster;
  private LoggedServer server;

  AppliedPlacementIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void start() throws Exception {
    server = new LoggedServer(folder, Map.of());
  }

  @AfterAll
  void drop() {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Scenario.class)
  void placementHasThePredictedShares(Scenario scenario) throws Exception {
    List<Transaction> transactions = scenario.transactions(TRANSACTIONS, SEED);
    log(scenario, transactions);
    Path advice = advise(scenario);
    Validation validation =
        JsonFile.read(ValidationPhase.file(advice.resolve("validation")), Validation.class);
    String sql = Files.readString(advice.resolve("report/placement.sql"));
    for (String part : scenario.placed()) {
      assertTrue(sql.contains(part), () -> part + " is not in\n" + sql);
    }
    List<Transaction> judging = heldOut(advice, transactions);
    assertEquals(validation.transactions(), judging.size());
    Judgement predicted = validation.judgement(validation.loadable());
    Map<String, Map<String, Integer>> classes = new TreeMap<>();
    Map<TransactionKind, Double> observed;
    try (Connection connection = cluster.connect()) {
      place(connection, scenario, presentPlacement(scenario));
      PlacedRows present = PlacedRows.of(cluster, scenario);
      MovePlan plan = plan(advice);
      drop(connection, scenario);
      place(connection, scenario, placement(sql));
      assertEquals(
          PlacedRows.of(cluster, scenario).movedFrom(present), moved(plan), () -> plan.toString());
      observed = run(connection, judging, classes);
      drop(connection, scenario);
    }
    String shares = compared(scenario, predicted, observed);
    System.out.print(shares);
    for (TransactionKind kind : TransactionKind.values()) {
      assertEquals(
          predicted.shares().get(kind),
          observed.get(kind),
          TOLERANCE,
          () -> "seed " + SEED + "\n" + shares + classes + "\n" + predicted.classes() + "\n" + sql);
    }
  }

  /** Only the workload itself is logged, by one session: so its order is that of the trace. */
  private void log(Scenario scenario, List<Transaction> transactions) throws Exception {
    String database = database(scenario);
    server.createDatabase(database);
    try (Connection connection = server.connect(database)) {
      Client client = new Client(connection);
      client.run(
          List.of(
              "SET log_min_duration_statement = -1", "CREATE EXTENSION abelian_cluster CASCADE"));
      client.run(List.of(scenario.schema()));
      client.run(scenario.rows());
      client.run(List.of("RESET log_min_duration_statement"));
      for (Transaction transaction : transactions) {
        client.run(transaction, false);
      }
    }
    server.awaitLogs(database);
  }

  private static String database(Scenario scenario) {
    return scenario.name().toLowerCase(Locale.ROOT);
  }

  private Path advise(Scenario scenario) throws Exception {
    Path schema = Files.writeString(folder.resolve(database(scenario) + ".sql"), scenario.schema());
    Path advice = folder.resolve(database(scenario));
    assertEquals(
        0,
        Commands.execute(
            "run",
            "--log",
            server.log("server.csv").toString(),
            "--database",
            database(scenario),
            "--schema",
            schema.toString(),
            "--analyze-on",
            server.url("abelian"),
            "--nodes",
            "" + cluster.nodes().size(),
            "--starts",
            "3",
            "--output",
            advice.toString()));
    return advice;
  }

  /** Those of which the trace's numbers are held out. */
  private static List<Transaction> heldOut(Path advice, List<Transaction> transactions) {
    Explanation explanation = new ExplanationFiles(advice.resolve("explanation")).explanation();
    String from = " FROM " + Engine.parquet(new TraceFiles(advice.resolve("trace")).transactions());
    List<Transaction> heldOut = new ArrayList<>();
    try (Engine engine = Engine.open()) {
      assertEquals(transactions.size(), engine.number("SELECT count(*)" + from));
      engine.each(
          "SELECT tx"
              + from
              + " WHERE "
              + new Part(explanation.seed(), explanation.heldOut()).judging()
              + " ORDER BY tx",
          row -> heldOut.add(transactions.get(row.getInt(1))));
    }
    return heldOut;
  }

  /** As the report says: after the tables are created, and before they have rows. */
  private static void place(Connection connection, Scenario scenario, List<String> placement)
      throws SQLException {
    Client client = new Client(connection);
    client.run(List.of(scenario.schema()));
    client.run(placement);
    client.run(scenario.rows());
  }

  private static List<String> placement(String sql) {
    return Arrays.stream(sql.split("\n"))
        .filter(line -> !line.isEmpty() && !line.startsWith("--"))
        .toList();
  }

  /** What somebody may have who has asked nobody: the hash of each table's first column. */
  private static List<String> presentPlacement(Scenario scenario) {
    return scenario.firstColumns().entrySet().stream()
        .map(
            table ->
                "SELECT create_distributed_table('"
                    + table.getKey()
                    + "', '"
                    + table.getValue()
                    + "')")
        .toList();
  }

  private static void drop(Connection connection, Scenario scenario) throws SQLException {
    Client client = new Client(connection);
    for (String routine : scenario.routines()) {
      client.run(List.of("DROP ROUTINE " + routine));
    }
    client.run(List.of("DROP TABLE " + String.join(", ", scenario.firstColumns().keySet())));
  }

  private MovePlan plan(Path advice) {
    String url = cluster.node(1).jdbcUrl() + "?user=app&password=app";
    assertEquals(0, Commands.execute("moves", advice.toString(), "--cluster", url));
    return JsonFile.read(advice.resolve("moves/moves.json"), MovePlan.class);
  }

  /** Rows that the plan sends, as {@link PlacedRows#movedFrom} gives them. */
  private Map<String, Long> moved(MovePlan plan) {
    Map<String, Long> moved = new TreeMap<>();
    for (Move move : plan.moves()) {
      moved.merge(
          PlacedRows.way(move.table(), move.from() - 1, move.to() - 1), move.rows(), Long::sum);
    }
    return moved;
  }

  /**
   * The share of each kind; of those that stay on one node the router counts only calls of
   * procedures.
   */
  private static Map<TransactionKind, Double> run(
      Connection connection, List<Transaction> judging, Map<String, Map<String, Integer>> classes)
      throws SQLException {
    Client client = new Client(connection);
    client.run(List.of("SET abelian.commit_notice = on"));
    Map<String, Long> before = CommitClasses.of(connection);
    for (Transaction transaction : judging) {
      // A single read is counted only in a block.
      client.run(transaction, transaction.steps().get(0).sql().startsWith("SELECT"));
      SQLWarning notice = connection.getWarnings();
      String told = notice == null ? "" : notice.getMessage();
      connection.clearWarnings();
      classes
          .computeIfAbsent(transaction.name(), name -> new TreeMap<>())
          .merge(told, 1, Integer::sum);
    }
    connection.setAutoCommit(true);
    Map<String, Long> after = CommitClasses.of(connection);
    Map<TransactionKind, Double> shares = new EnumMap<>(TransactionKind.class);
    double several = 0;
    for (Map.Entry<String, TransactionKind> kind :
        Map.of(
                "single", TransactionKind.READS,
                "commuting", TransactionKind.COMMUTING,
                "independent", TransactionKind.INDEPENDENT,
                "coordinated", TransactionKind.COORDINATED)
            .entrySet()) {
      long count = after.get(kind.getKey()) - before.get(kind.getKey());
      if (kind.getValue() == TransactionKind.READS) {
        count -= client.callsOfOneNode();
      }
      double share = count / (double) judging.size();
      shares.put(kind.getValue(), share);
      several += share;
    }
    shares.put(TransactionKind.SINGLE, 1 - several);
    return shares;
  }

  private static String compared(
      Scenario scenario, Judgement predicted, Map<TransactionKind, Double> observed) {
    StringBuilder text = new StringBuilder(scenario + " by " + predicted.name() + ":");
    for (TransactionKind kind : TransactionKind.values()) {
      text.append(
          String.format(
              Locale.ROOT,
              " %s predicted %.1f%% observed %.1f%%",
              kind,
              100 * predicted.shares().get(kind),
              100 * observed.get(kind)));
    }
    return text.append('\n').toString();
  }
}
