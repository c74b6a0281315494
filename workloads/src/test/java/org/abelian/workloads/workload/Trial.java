package org.abelian.workloads.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.client.Pace;
import org.abelian.workloads.client.Tally;
import org.abelian.workloads.database.Database;

/** Runs a workload for a moment and requires that nothing fails and that its rules hold. */
public final class Trial implements AutoCloseable {
  /** The modes of workloads without procedures. */
  public static final List<Mode> STATEMENTS =
      List.of(Mode.READ_COMMITTED, Mode.SERIALIZABLE, Mode.AUTOCOMMIT);

  private static final int CLIENTS = 6;
  private static final int MOST_MOMENTS = 50;
  private static final long SEED = 11;
  private static final Duration MOMENT = Duration.ofMillis(700);

  private final WorkloadTables tables;
  private final Map<String, Long> committed = new HashMap<>();
  private boolean onlyTransactions = true;

  private Trial(WorkloadTables tables) throws SQLException {
    this.tables = tables;
    tables.create(SEED);
  }

  /** Loads the tables of a workload on one node. */
  public static Trial on(LocalNode node, Workload workload) throws SQLException {
    return new Trial(
        new WorkloadTables(
            workload, new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER), false));
  }

  /** Loads the tables of a workload over a cluster's nodes. */
  public static Trial on(LocalCluster cluster, Workload workload) throws SQLException {
    return new Trial(
        new WorkloadTables(
            workload, new Database(cluster.driverUrl(), LocalNode.USER, LocalNode.USER), true));
  }

  /** Runs clients until transactions of all these types have committed; none may fail. */
  public void run(Mode mode, Set<String> types) throws Exception {
    onlyTransactions &= mode != Mode.AUTOCOMMIT;
    ClientOptions options = new ClientOptions(CLIENTS, mode, Pace.UNLIMITED, Duration.ZERO);
    Tally tally = new Tally();
    for (int i = 0; i < MOST_MOMENTS && !tally.committed().keySet().equals(types); i++) {
      Clients.of(tables, options, tally, SEED + i * CLIENTS).measure(MOMENT);
    }
    Map<String, Long> failed = tally.failed();
    failed.remove("40001"); // Given up when the time was over.
    failed.remove("40P01");
    assertEquals(Map.of(), failed, mode + ", seed " + SEED);
    assertEquals(types, tally.committed().keySet(), mode + ", seed " + SEED);
    tally.committed().forEach((type, count) -> committed.merge(type, count, Long::sum));
  }

  /** The same in each of several modes; every rule must hold after each. */
  public void runEach(List<Mode> modes, Set<String> types) throws Exception {
    for (Mode mode : modes) {
      run(mode, types);
      requireConsistent();
    }
  }

  /** Requires that every rule holds. */
  public void requireConsistent() throws SQLException {
    for (Finding finding : tables.check(committed, onlyTransactions)) {
      assertEquals(0, finding.violations(), finding.claim());
    }
  }

  /** How many rules a change of the tables breaks. */
  public long rulesBrokenBy(String sql) throws SQLException {
    tables.database().execute(sql);
    return tables.check(committed, onlyTransactions).stream()
        .filter(finding -> finding.violations() != 0)
        .count();
  }

  /** Drops the tables. */
  @Override
  public void close() throws SQLException {
    tables.drop();
  }
}
