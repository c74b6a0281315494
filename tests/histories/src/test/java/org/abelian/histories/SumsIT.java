package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.load.JournalledLoad;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many writers on few rows for some seconds, with every addition also written as a journal row in
 * the same transaction: whatever happens, each counter is the sum of its journal. The node folds as
 * eagerly as it can. System property {@code abelian.soak.seconds} makes the runs longer.
 */
@WithNode(
    exclusive = true,
    settings = {"abelian.fold_interval=5ms", "abelian.fold_after=1ms"})
class SumsIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 2);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int WRITERS = 16;
  private static final int KILLS = 2;

  private final LocalNode node;

  SumsIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @ValueSource(strings = {"bigint, numeric", "abelian.counter, abelian.decimal_counter"})
  void everyCounterIsTheSumOfItsCommittedAdditions(String types) throws Exception {
    JournalledLoad load = JournalledLoad.create(node, types);
    load.start(WRITERS, SEED);
    Thread.sleep(SECONDS * 1000L);
    load.crew().stop();
    assertTrue(load.crew().acknowledged() > 0, "nothing was written, seed " + SEED);
    assertSums(load);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bigint, numeric", "abelian.counter, abelian.decimal_counter"})
  void everyCounterIsTheSumOfItsCommittedAdditionsAfterCrashes(String types) throws Exception {
    Random random = new Random(SEED);
    JournalledLoad load = JournalledLoad.create(node, types);
    for (int i = 0; i < KILLS; i++) {
      load.start(WRITERS, SEED + i);
      Thread.sleep(SECONDS * 1000L / KILLS / 2 + random.nextInt(500));
      node.kill();
      load.crew().awaitEnd();
      node.start();
      load.resolvePrepared();
      assertSums(load);
    }
  }

  /**
   * Rows go and leave their slices; what is left is collected, and nothing of the rows that stay.
   */
  @Test
  void everyCounterIsTheSumOfItsCommittedAdditionsWhileOrphansAreCollected() throws Exception {
    JournalledLoad load = JournalledLoad.create(node, "abelian.counter, abelian.decimal_counter");
    load.start(WRITERS, SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.split = always");
      statement.execute("DROP TABLE IF EXISTS going");
      statement.execute("CREATE TABLE going (id int PRIMARY KEY, c abelian.counter, pad text)");
      while (System.nanoTime() < end) {
        leaveOrphans(statement);
        number(statement, "SELECT abelian.collect_orphans()");
        // Rows move beside the search; one at a time, so that no writer waits in a circle.
        for (int id = 1; id <= 4; id++) {
          statement.execute("UPDATE sums SET note = note + 1 WHERE id = " + id);
        }
      }
      load.crew().stop();
      number(statement, "SELECT abelian.collect_orphans()");
      String left = "SELECT count(*) FROM abelian.slice WHERE relation = 'going'::regclass";
      assertEquals(0, number(statement, left), "seed " + SEED);
      assertTrue(number(statement, "SELECT orphans_collected FROM abelian.statistics") > 0);
    }
    assertTrue(load.crew().acknowledged() > 0, "nothing was written, seed " + SEED);
    assertSums(load);
  }

  private static void leaveOrphans(Statement statement) throws SQLException {
    statement.execute(
        "INSERT INTO going SELECT i, i, repeat('x', 1000) FROM generate_series(1, 20) i");
    statement.execute("UPDATE going SET c = c + 1");
    statement.execute("UPDATE going SET c = c + 1");
    assertEquals(
        250,
        number(statement, "WITH gone AS (DELETE FROM going RETURNING c) SELECT sum(c) FROM gone"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bigint, numeric", "abelian.counter, abelian.decimal_counter"})
  void transfersBetweenCountersNeverChangeTheirTotalInAnySnapshot(String types) throws Exception {
    JournalledLoad load = JournalledLoad.create(node, types);
    load.startTransfers(WRITERS, SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    int reads = 0;
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      while (System.nanoTime() < end) {
        assertEquals(0, number(statement, "SELECT sum(c) FROM sums"), "torn, seed " + SEED);
        assertEquals(0, number(statement, "SELECT 100 * sum(d) FROM sums"), "torn, seed " + SEED);
        reads++;
      }
    }
    load.crew().stop();
    assertTrue(reads > 0 && load.crew().acknowledged() > 0, "nothing happened, seed " + SEED);
    assertSums(load);
  }

  private void assertSums(JournalledLoad load) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      String wrong =
          "SELECT id, s.c::bigint, s.d::numeric, sum(j.c), sum(j.d) FROM sums s LEFT JOIN journal j"
              + " USING (id) GROUP BY id, s.c::bigint, s.d::numeric HAVING s.c::bigint <>"
              + " coalesce(sum(j.c), 0) OR s.d::numeric <> coalesce(sum(j.d), 0)";
      List<String> rows = new ArrayList<>();
      try (ResultSet found = statement.executeQuery(wrong)) {
        while (found.next()) {
          rows.add(
              "row %d: c %s of %s, d %s of %s"
                  .formatted(
                      found.getInt(1),
                      found.getString(2),
                      found.getString(4),
                      found.getString(3),
                      found.getString(5)));
        }
      }
      assertEquals(List.of(), rows, "seed " + SEED);
      long journal = number(statement, "SELECT count(DISTINCT (writer, number)) FROM journal");
      assertTrue(
          journal >= load.crew().acknowledged(),
          "acknowledged " + load.crew().acknowledged() + ", found " + journal + ", seed " + SEED);
      assertTrue(
          journal <= load.crew().acknowledged() + load.crew().unknown(),
          "attempted more than found, seed " + SEED);
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
