package org.abelian.workloads.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.check.ConsistencyCheck;
import org.abelian.workloads.tpcc.check.JournalCheck;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.abelian.workloads.tpcc.journal.JournalReader;
import org.abelian.workloads.tpcc.load.Loader;
import org.abelian.workloads.tpcc.load.ProcedureInstaller;
import org.abelian.workloads.tpcc.load.TableCreator;
import org.abelian.workloads.tpcc.run.RunOptions;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import org.abelian.workloads.tpcc.schema.TpccSchema;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TPC-C over three nodes through the driver, small. */
@WithCluster
class TpccClusterIT {
  private static final Scale SMALL = new Scale(6, 300, 30);
  private static final long SEED = 43;

  @TempDir Path folder;

  private final LocalCluster cluster;
  private final Database database;

  TpccClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
    this.database = new Database(cluster.driverUrl(), LocalNode.USER, LocalNode.USER);
  }

  @ParameterizedTest
  @EnumSource(ColumnKind.class)
  void aRunOverThreeNodesKeepsEveryConditionAndEveryAcknowledgedCommit(ColumnKind columns)
      throws Exception {
    load(columns);
    assertTrue(nodesWithWarehouses() > 1, "the warehouses are on several nodes");
    Path journalFile = folder.resolve("journal");
    RunResult run = run(journalFile, false);
    assertEquals(List.of(), run.errors());
    assertTrue(run.total().committed() > 0);
    assertTrue(run.total().coordinated() > 0, "some transactions wrote on several nodes");
    assertTrue(ConsistencyCheck.holds(new ConsistencyCheck(database).run(SMALL.warehouses())));
    assertTrue(
        new JournalCheck(database).run(JournalReader.read(List.of(journalFile))).holds(),
        "seed " + SEED);
    assertEquals(0, preparedTransactions());
  }

  @ParameterizedTest
  @EnumSource(ColumnKind.class)
  void withDistributedProceduresTheConditionsHoldAsWell(ColumnKind columns) throws Exception {
    load(columns);
    new ProcedureInstaller(database).install(SMALL.warehouses());
    Path journalFile = folder.resolve("journal");
    RunResult run = run(journalFile, true);
    assertEquals(List.of(), run.errors());
    assertTrue(run.total().committed() > 0);
    assertTrue(remoteStockChanges() > 0, "orders took from the stock of warehouses on other nodes");
    assertTrue(ConsistencyCheck.holds(new ConsistencyCheck(database).run(SMALL.warehouses())));
    assertTrue(
        new JournalCheck(database).run(JournalReader.read(List.of(journalFile))).holds(),
        "seed " + SEED);
    assertEquals(0, preparedTransactions());
  }

  private int remoteStockChanges() throws SQLException {
    int sum = 0;
    for (LocalNode node : cluster.nodes()) {
      sum += number(node, "SELECT coalesce(sum(s_remote_cnt), 0) FROM stock");
    }
    return sum;
  }

  private void load(ColumnKind columns) throws Exception {
    TableCreator creator = new TableCreator(database);
    creator.create(new TpccSchema(columns), true);
    PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    new Loader(database, SMALL, SEED).load(2, quiet);
    creator.finish();
  }

  private RunResult run(Path journalFile, boolean procedures) throws Exception {
    RunOptions options =
        new RunOptions(
            SMALL,
            6,
            Duration.ZERO,
            Duration.ofSeconds(3),
            InputOptions.specified(),
            true,
            false,
            20,
            SEED,
            procedures);
    try (FileJournal journal = new FileJournal(journalFile)) {
      return new TpccRun(database, options, WarehouseLocations.ask(nodes()), journal)
          .run((second, completed) -> {});
    }
  }

  private List<Database> nodes() {
    List<Database> nodes = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      nodes.add(new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER));
    }
    return nodes;
  }

  private int nodesWithWarehouses() throws SQLException {
    int count = 0;
    for (LocalNode node : cluster.nodes()) {
      count += number(node, "SELECT count(*) FROM warehouse") > 0 ? 1 : 0;
    }
    return count;
  }

  private int preparedTransactions() throws SQLException {
    int count = 0;
    for (LocalNode node : cluster.nodes()) {
      count += number(node, "SELECT count(*) FROM pg_prepared_xacts");
    }
    return count;
  }

  private static int number(LocalNode node, String sql) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }
}
