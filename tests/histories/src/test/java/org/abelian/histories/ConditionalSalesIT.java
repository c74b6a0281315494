package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.escrow.ConditionalSales;
import org.abelian.histories.escrow.ConditionalSales.Way;
import org.abelian.histories.load.Kills;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many buyers of few stocks by decrements under a condition, with savepoints, aborts, prepared
 * transactions, and sessions that are killed: no stock is oversold, nothing is sold twice, and
 * nobody is refused what was there. System property {@code abelian.soak.seconds} makes the runs
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
class ConditionalSalesIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 3);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final long DECREMENTS = Long.getLong("abelian.soak.decrements", 2_000);
  private static final long SOAK_SECONDS_MAX = 3_600;
  private static final int BUYERS = 16;
  private static final int MANY_BUYERS = 64;
  private static final int MANY_STOCKS = 10;
  private static final int NODE_KILLS = 2;
  private static final int KILLS_PER_SECOND = 10;

  private final LocalNode node;

  ConditionalSalesIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "CONDITION", "DECIMAL"})
  void nothingIsOversoldNorSoldTwiceNorRefusedWithoutNeedWhileSessionsAreKilled(Way way)
      throws Exception {
    ConditionalSales sales = ConditionalSales.create(node, way);
    assertFalse(run(sales), "a snapshot shows less than nothing, seed " + SEED);
    assertEquals(List.of(), sales.faults(), "seed " + SEED);
    assertTrue(sales.record().refused() > 0, "nobody was refused, seed " + SEED);
    assertTrue(sales.record().granted() > 0, "nobody got anything, seed " + SEED);
  }

  /** What the test above would miss, it could not prove. */
  @Test
  void aTestOfCommittedValuesAloneIsNoticed() throws Exception {
    ConditionalSales sales = ConditionalSales.create(node, Way.COMMITTED_ALONE);
    assertTrue(run(sales) || !sales.faults().isEmpty(), "nothing was noticed, seed " + SEED);
  }

  /** As above. */
  @Test
  void aRefusalBecauseOfWhatMayBeGivenBackIsNoticed() throws Exception {
    ConditionalSales sales = ConditionalSales.create(node, Way.IMPATIENT);
    run(sales);
    assertFalse(sales.faults().isEmpty(), "nothing was noticed, seed " + SEED);
  }

  /** Some of what is bought is there from the beginning, the rest is delivered meanwhile. */
  @Test
  void decrementsBy64ClientsOn10StocksSellNothingTwiceOverKillsOfTheNode() throws Exception {
    ConditionalSales sales =
        ConditionalSales.create(node, Way.CONDITION, MANY_STOCKS, DECREMENTS / 10);
    long deadline = System.nanoTime() + SOAK_SECONDS_MAX * 1_000_000_000L;
    for (int kill = 1; kill <= NODE_KILLS + 1; kill++) {
      sales.start(MANY_BUYERS, SEED + 1000L * kill);
      watch(sales, DECREMENTS * kill / (NODE_KILLS + 1), deadline);
      node.kill();
      sales.crew().awaitEnd();
      node.start();
      resolve(sales);
      assertEquals(List.of(), sales.faults(), "seed " + SEED);
    }
    assertTrue(sales.record().refused() > 0, "nobody was refused, seed " + SEED);
  }

  private void watch(ConditionalSales sales, long granted, long deadline) throws Exception {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      while (sales.record().granted() < granted) {
        assertFalse(
            sales.isOversold(statement), "a snapshot shows less than nothing, seed " + SEED);
        assertTrue(
            System.nanoTime() < deadline,
            "too slow: " + sales.record().granted() + ", seed " + SEED);
        Thread.sleep(20);
      }
    }
  }

  /** Runs buyers for a while, and kills some; whether a reader saw a stock oversold. */
  private boolean run(ConditionalSales sales) throws Exception {
    Kills kills = new Kills(BUYERS, SECONDS * KILLS_PER_SECOND, 1000 / KILLS_PER_SECOND);
    boolean wrong = sales.workBesideKills(kills, SEED);
    resolve(sales);
    assertTrue(sales.crew().acknowledged() > 0, "nothing happened, seed " + SEED);
    return wrong;
  }

  /** What a killed session had prepared is rolled back: its commit was never asked for. */
  private void resolve(ConditionalSales sales) throws SQLException {
    sales.crew().resolvePrepared(n -> false);
  }
}
