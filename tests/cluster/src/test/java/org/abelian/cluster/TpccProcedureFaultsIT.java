package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.CaseShare;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.input.HomeWarehouse;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * TPC-C with NewOrder and Payment as independent transactions, with a fault at each message of
 * theirs while all terminals go on.
 */
class TpccProcedureFaultsIT {
  private static final String PROPOSE = "independent_propose";
  private static final String EXECUTE = "independent_run";
  private static final String FREEZE = "independent_freeze";
  private static final long SEED = 45;
  private static final int TERMINALS = 3;
  private static final int STRUCK_SECONDS_MAX = 60;
  private static final int OPEN_SECONDS_MAX = 60;
  private static final long STOP_MILLIS_MAX = 120_000;

  /** More of the calls than the specification wants have a part on the other node. */
  private static final InputOptions REMOTE = new InputOptions(HomeWarehouse.FIXED, 10, 60, 1);

  @TempDir Path folder;

  /** A fault at one message to one node. */
  private record Kill(Moment moment, String step, Victim victim, int node) {}

  @Test
  void faultsAtEachMessageOfNewOrderAndPaymentLeaveTheDatabaseConsistent() throws Exception {
    SmallTpcc tpcc = new SmallTpcc(SEED);
    Path journalFile = folder.resolve("journal");
    try (ProxiedCluster cluster = ProxiedCluster.create(2);
        FileJournal journal = new FileJournal(journalFile)) {
      Database router = SmallTpcc.database(cluster.router().jdbcUrl());
      tpcc.load(router, true);
      Thread terminals = tpcc.startTerminals(router, TERMINALS, REMOTE, journal);
      for (Kill kill : kills()) {
        strike(cluster, kill);
      }
      terminals.interrupt();
      terminals.join(STOP_MILLIS_MAX);
      assertFalse(terminals.isAlive(), "the terminals hang");
      assertEquals(List.of(), cluster.preparedAfterRecovery());
      assertEquals(List.of(), cluster.lanesAfterRecovery(OPEN_SECONDS_MAX));
      tpcc.assertHolds(router, journalFile, cluster.nodes());
    }
  }

  private static List<Kill> kills() {
    List<Kill> kills = new ArrayList<>();
    for (String step : List.of(PROPOSE, EXECUTE, FREEZE)) {
      for (Moment moment : Moment.values()) {
        for (Victim victim : Victim.values()) {
          kills.add(new Kill(moment, step, victim, 1));
          if (step.equals(EXECUTE)) {
            kills.add(new Kill(moment, step, victim, 0));
          }
        }
      }
    }
    Collections.shuffle(kills, new Random(SEED));
    return CaseShare.of(kills.stream()).toList();
  }

  private static void strike(ProxiedCluster cluster, Kill kill) throws Exception {
    int node = kill.node;
    Fault fault = Fault.cut(kill.moment, kill.step, () -> kill.victim.strike(cluster, node));
    cluster.proxy(node).arm(fault);
    if (kill.step.equals(FREEZE)) { // Only what has lost a connection is settled.
      cluster.proxy(0).arm(Fault.cut(Moment.BEFORE, EXECUTE));
    }
    assertTrue(fault.hasStruck(STRUCK_SECONDS_MAX), () -> kill + " has not struck");
    cluster.heal();
    assertEquals(List.of(), closed(cluster), kill.toString());
  }

  /** Waits until both lanes are open: what follows is not to meet what this fault has left. */
  private static List<String> closed(ProxiedCluster cluster)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(OPEN_SECONDS_MAX);
    List<String> closed = cluster.closedLanes();
    while (!closed.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(50);
      closed = cluster.closedLanes();
    }
    return closed;
  }
}
