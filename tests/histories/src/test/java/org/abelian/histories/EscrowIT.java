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
import org.abelian.histories.escrow.Shop;
import org.abelian.histories.escrow.StockLoad;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many sellers on few stocks, near their bounds, with savepoints, aborts, prepared transactions and
 * kills: no snapshot shows a stock outside its bounds, and each is what the journal makes of it.
 * The node folds as eagerly as it can. System property {@code abelian.soak.seconds} makes the runs
 * longer; {@code abelian.soak.decrements} says how many decrements the run with 64 clients must do.
 */
@WithNode(
    exclusive = true,
    settings = {
      "abelian.fold_interval=5ms",
      "abelian.fold_after=1ms",
      "max_prepared_transactions=100",
      "deadlock_timeout=50ms"
    })
class EscrowIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 4);
  private static final long DECREMENTS = Long.getLong("abelian.soak.decrements", 2_000);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int SELLERS = 16;
  private static final int KILLS = 2;

  /** One is mostly enough, unless the machine has other work. */
  private static final int RUNS_UNTIL_NOTICED = 10;

  private final LocalNode node;

  EscrowIT(LocalNode node) {
    this.node = node;
  }

  private static Shop narrow(String type, String guard) {
    return new Shop(type, 3, 20, 0, 40, 9, 55, 10, guard);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bigint CHECK (stock BETWEEN 0 AND 40)",
        "abelian.bounded_counter(0, 40)",
        "abelian.bounded_decimal(2) CHECK (stock BETWEEN 0 AND 40.005)"
      })
  void noSnapshotShowsAStockOutsideItsBoundsAndNoneLosesAnOperation(String type) throws Exception {
    StockLoad load = StockLoad.create(node, narrow(type, ""));
    List<String> outside = watch(load);
    assertEquals(List.of(), outside, "seed " + SEED);
    assertAtRest(load);
    assertTrue(load.refused() > 0, "no bound was met, seed " + SEED);
  }

  @Test
  void theSameHoldsAfterCrashes() throws Exception {
    Random random = new Random(SEED);
    StockLoad load = StockLoad.create(node, narrow("abelian.bounded_counter(0, 40)", ""));
    for (int i = 0; i < KILLS; i++) {
      load.start(SELLERS, SEED + 1000 * i);
      Thread.sleep(SECONDS * 1000L / KILLS / 2 + random.nextInt(500));
      kill(load);
      assertAtRest(load);
    }
  }

  /** What the test above would miss, it could not prove. */
  @Test
  void aCheckAgainstCommittedValuesAloneIsNoticed() throws Exception {
    String guard = "AND (SELECT s.stock FROM stocks s WHERE s.id = %2$d) >= %1$d";
    boolean noticed = false;
    for (int run = 0; run < RUNS_UNTIL_NOTICED && !noticed; run++) {
      StockLoad load = StockLoad.create(node, narrow("abelian.counter", guard));
      noticed = !watch(load).isEmpty();
    }
    assertTrue(noticed, "nothing was noticed, seed " + SEED);
  }

  /**
   * 64 clients decrement 10 stocks until so many decrements are acknowledged, over kills of the
   * node.
   */
  @Test
  void decrementsBy64ClientsOn10StocksNeverCrossTheFloorOverKills() throws Exception {
    long initial = DECREMENTS * 3 / 10;
    Shop shop =
        new Shop("abelian.bounded_counter(0)", 10, initial, 0, Long.MAX_VALUE, 4, 100, 0, "");
    StockLoad load = StockLoad.create(node, shop);
    Random random = new Random(SEED);
    long deadline = System.nanoTime() + 3_600_000_000_000L;
    for (int round = 0; load.decrements() < DECREMENTS; round++) {
      long before = load.decrements();
      load.start(64, SEED + 1000L * round);
      long part = DECREMENTS / (KILLS + 1) + random.nextInt((int) (DECREMENTS / 20 + 1));
      while (load.decrements() < Math.min(before + part, DECREMENTS)) {
        assertTrue(System.nanoTime() < deadline, "too slow: " + load.decrements());
        Thread.sleep(20);
      }
      kill(load);
      assertAtRest(load);
      if (load.decrements() < DECREMENTS) {
        refill(initial);
      }
    }
  }

  /** Deliveries, journalled like everything else. */
  private void refill(long amount) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("UPDATE stocks SET stock = stock + " + amount);
      statement.execute("INSERT INTO journal SELECT 0, 0, id, " + amount + " FROM stocks");
      statement.execute("COMMIT");
    }
  }

  private void kill(StockLoad load) throws Exception {
    node.kill();
    load.crew().awaitEnd();
    node.start();
    load.resolvePrepared();
  }

  /** Runs sellers for a while, and gives what a reader saw outside its bounds. */
  private List<String> watch(StockLoad load) throws Exception {
    List<String> outside = new ArrayList<>();
    load.start(SELLERS, SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    int looks = 0;
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      while (System.nanoTime() < end && outside.isEmpty()) {
        outside.addAll(load.outside(statement));
        looks++;
      }
    }
    load.crew().stop();
    assertTrue(looks > 0 && load.crew().acknowledged() > 0, "nothing happened, seed " + SEED);
    return outside;
  }

  private void assertAtRest(StockLoad load) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      assertEquals(List.of(), load.outside(statement), "seed " + SEED);
      assertEquals(List.of(), load.lost(statement), "seed " + SEED);
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT count(DISTINCT (seller, number)) FROM journal WHERE seller > 0")) {
        rows.next();
        assertTrue(
            rows.getLong(1) <= load.crew().acknowledged() + load.crew().unknown(),
            "more than was attempted, seed " + SEED);
      }
    }
  }
}
