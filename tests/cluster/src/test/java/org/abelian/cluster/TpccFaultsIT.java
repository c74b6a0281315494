package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.abelian.workloads.tpcc.run.RunOptions;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.TypeStatistics;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TPC-C while the router server and each of the nodes are killed, one after another. System
 * property {@code abelian.faults.rounds} sets how often.
 */
@WithCluster(exclusive = true)
class TpccFaultsIT {
  private static final long SEED = 44;
  private static final int ROUNDS = Integer.getInteger("abelian.faults.rounds", 1);
  private static final long BETWEEN_KILLS_MILLIS = 1_500;
  private static final long RECOVERY_SECONDS = 10;

  @TempDir Path folder;

  private final LocalCluster cluster;

  TpccFaultsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest(name = "as procedures: {0}")
  @ValueSource(booleans = {false, true})
  void killedRoutersAndNodesLoseNoAcknowledgedCommitAndLeaveNoPreparedTransaction(
      boolean procedures) throws Exception {
    SmallTpcc tpcc = new SmallTpcc(SEED);
    tpcc.load(SmallTpcc.database(cluster.driverUrl()), procedures);
    Path journalFile = folder.resolve("journal");
    try (RouterServer server = RouterServer.start(cluster)) {
      RunResult run = runWhileKilling(server, journalFile, procedures);
      awaitNoPreparedTransaction();
      assertTrue(!procedures || lanesHaveMoved(), "no call ran as an independent transaction");
      assertTrue(run.total().committed() > 0, () -> "nothing was committed: " + told(run));
      tpcc.assertHolds(SmallTpcc.database(server.jdbcUrl()), journalFile, cluster.nodes());
    }
  }

  /** Two thirds of the terminals go through the server, a third through the driver. */
  private RunResult runWhileKilling(RouterServer server, Path journalFile, boolean procedures)
      throws Exception {
    long kills = ROUNDS * (cluster.nodes().size() + 1L);
    Duration time = Duration.ofMillis((kills + 1) * (BETWEEN_KILLS_MILLIS + 1_000));
    try (FileJournal journal = new FileJournal(journalFile)) {
      CompletableFuture<RunResult> byServer =
          CompletableFuture.supplyAsync(() -> run(server.jdbcUrl(), 4, time, journal, procedures));
      CompletableFuture<RunResult> byDriver =
          CompletableFuture.supplyAsync(
              () -> run(cluster.driverUrl(), 2, time, journal, procedures));
      for (int round = 0; round < ROUNDS; round++) {
        for (LocalNode node : cluster.nodes()) {
          Thread.sleep(BETWEEN_KILLS_MILLIS);
          node.kill();
          node.start();
        }
        Thread.sleep(BETWEEN_KILLS_MILLIS);
        server.kill();
        server.start();
      }
      byDriver.join();
      return byServer.join();
    }
  }

  private RunResult run(
      String url, int terminals, Duration time, FileJournal journal, boolean procedures) {
    RunOptions options =
        new RunOptions(
            SmallTpcc.SCALE,
            terminals,
            Duration.ZERO,
            time,
            InputOptions.specified(),
            true,
            false,
            20,
            SEED + terminals,
            procedures);
    try {
      return new TpccRun(SmallTpcc.database(url), options, WarehouseLocations.single(), journal)
          .run((second, completed) -> {});
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** The bound is the promise: ten seconds after the last restart all are decided. */
  private void awaitNoPreparedTransaction() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RECOVERY_SECONDS);
    int left = preparedTransactions();
    while (left > 0 && System.nanoTime() < deadline) {
      Thread.sleep(100);
      left = preparedTransactions();
    }
    assertEquals(0, left, "prepared transactions are left");
  }

  private static String told(RunResult run) {
    TypeStatistics total = run.total();
    return "%d retries, %d failures, %d ambiguous, %s"
        .formatted(total.retries(), total.failures(), total.ambiguous(), run.errors());
  }

  private boolean lanesHaveMoved() throws SQLException {
    boolean moved = false;
    for (LocalNode node : cluster.nodes()) {
      moved |= ProxiedCluster.number(node, "SELECT at FROM abelian.independent_lane") > 0;
    }
    return moved;
  }

  private int preparedTransactions() throws SQLException {
    int count = 0;
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_prepared_xacts")) {
        row.next();
        count += row.getInt(1);
      }
    }
    return count;
  }
}
