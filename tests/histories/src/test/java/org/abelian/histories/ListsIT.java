package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.abelian.harness.CommitCounts;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.ListRun;
import org.abelian.histories.lists.ListTables;
import org.abelian.histories.order.ListChecker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Histories over three nodes, of transactions of all commit classes at once. System property {@code
 * abelian.seconds} sets how long, {@code abelian.seed} the first seed.
 */
@WithCluster(settings = {"deadlock_timeout=100ms"})
class ListsIT {
  private static final long SECONDS = Long.getLong("abelian.seconds", 10);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int CLIENTS = 6;
  private static final int MANY_CLIENTS = 20;
  private static final int KEYS_MAX = 6;
  private static final int EACH = 40;

  private static ListTables tables;

  private final LocalCluster cluster;

  ListsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void createTables(LocalCluster cluster) throws Exception {
    tables = ListTables.of(cluster);
  }

  @Test
  void historiesOfAllClassesAreSerializable() throws Exception {
    runHistories(EnumSet.allOf(Kind.class), CLIENTS, SECONDS);
  }

  /**
   * So many clients that calls gather, on few keys. Beside what closes the lanes for moments:
   * nothing becomes a coordinated transaction for that.
   */
  @Test
  void historiesOfCallsThatShareTransactionsAreSerializable() throws Exception {
    long shared = counted(CommitCounts::shared);
    long refused = counted(CommitCounts::refusedByLanes);
    runHistories(
        EnumSet.of(Kind.INDEPENDENT, Kind.COMMUTING_CALL, Kind.SINGLE_READ, Kind.SPREAD_READ),
        MANY_CLIENTS,
        SECONDS / 2);
    assertTrue(
        counted(CommitCounts::shared) > shared, "seed " + SEED + ": no call was run with another");
    assertEquals(
        refused, counted(CommitCounts::refusedByLanes), "seed " + SEED + ": coordinated calls");
  }

  /** Reads a count of the router. */
  @FunctionalInterface
  private interface Count {
    long read(Connection connection) throws SQLException;
  }

  private long counted(Count count) throws SQLException {
    try (Connection connection = cluster.connect()) {
      return count.read(connection);
    }
  }

  private void runHistories(Set<Kind> kinds, int clients, long seconds) throws Exception {
    ListSummary summary = new ListSummary();
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    for (long seed = SEED; System.nanoTime() < end; seed++) {
      ListHistory history =
          ListRun.start(
                  tables.makeKeys(KEYS_MAX - (int) Math.floorMod(seed, 4L)),
                  seed,
                  clients,
                  number -> new ListClient(cluster::connect),
                  kinds,
                  EACH)
              .awaitEnd(cluster::connect);
      summary.add(history);
      List<String> complaints = ListChecker.complaints(history);
      assertEquals(List.of(), complaints, "seed " + seed + ": " + String.join("\n", complaints));
    }
    System.out.println("from seed " + SEED + ": " + summary);
    assertEquals(Set.of(), summary.surprises(), "seed " + SEED);
    assertTrue(summary.allCommitted(kinds), () -> "seed " + SEED + ": " + summary);
  }
}
