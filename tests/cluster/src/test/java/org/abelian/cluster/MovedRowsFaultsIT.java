package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.junit.jupiter.api.Test;

/**
 * A node, a router or a connection that is lost while rows follow a change of the placement: all of
 * it has happened or nothing. One fault at each step by the seed; all of them with {@code
 * -Dabelian.faults.all=true}.
 */
class MovedRowsFaultsIT {
  private static final long SEED = Long.getLong("abelian.seed", 20261123);
  private static final int ROWS = 500;
  private static final int ANSWERED_SECONDS_MAX = 60;
  private static final List<String> STEPS =
      List.of(
          "abelian.moves",
          "abelian.take_rows",
          "abelian.give_rows",
          "abelian.end_move",
          "prepare transaction",
          "commit prepared");

  private record Strike(String step, Moment moment, Victim victim) {}

  @Test
  void allRowsFollowOrNone() throws Exception {
    try (ProxiedCluster cluster = ProxiedCluster.create(2)) {
      int number = 0;
      for (Strike strike : strikes()) {
        follow(cluster, strike, "moved" + number++);
      }
    }
  }

  private static List<Strike> strikes() {
    Random random = new Random(SEED);
    List<Strike> chosen = new ArrayList<>();
    for (String step : STEPS) {
      List<Strike> all = new ArrayList<>();
      for (Moment moment : moments(step)) {
        for (Victim victim : Victim.values()) {
          all.add(new Strike(step, moment, victim));
        }
      }
      Collections.shuffle(all, random);
      chosen.addAll(Boolean.getBoolean("abelian.faults.all") ? all : all.subList(0, 1));
    }
    return chosen;
  }

  /** What comes in the middle of a group of messages has no answer that a proxy sees the end of. */
  private static List<Moment> moments(String step) {
    return step.startsWith("abelian.") ? List.of(Moment.BEFORE) : List.of(Moment.values());
  }

  private static void follow(ProxiedCluster cluster, Strike strike, String table) throws Exception {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, x text)");
      statement.execute(
          "INSERT INTO " + table + " SELECT i, 'x' || i FROM generate_series(1, " + ROWS + ") i");
    }
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int index = i;
      faults.add(
          cluster
              .proxy(i)
              .arm(
                  Fault.cut(
                      strike.moment, strike.step, () -> strike.victim.strike(cluster, index))));
    }
    CompletableFuture<String> pending =
        CompletableFuture.supplyAsync(() -> distribute(cluster, table));
    assertTrue(struck(faults), strike + ": the fault has not struck, seed " + SEED);
    cluster.heal();
    String told = pending.get(ANSWERED_SECONDS_MAX, TimeUnit.SECONDS);
    cluster.heal();
    String what = strike + " told " + told + ", seed " + SEED;
    assertEquals(List.of(), cluster.preparedAfterRecovery(), what);
    long first = count(cluster, 0, table);
    long second = count(cluster, 1, table);
    long placed =
        ProxiedCluster.number(
            cluster.node(0),
            "SELECT count(*) FROM abelian.placement WHERE relation = '" + table + "'::regclass");
    assertEquals(ROWS, first + second, what);
    assertEquals(placed == 1, second > 0, what);
    if (told.equals("done")) {
      assertEquals(1, placed, what);
    }
  }

  private static boolean struck(List<Fault> faults) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWERED_SECONDS_MAX);
    while (System.nanoTime() < deadline) {
      for (Fault fault : faults) {
        if (fault.hasStruck(0)) {
          return true;
        }
      }
      Thread.sleep(10);
    }
    return false;
  }

  private static String distribute(ProxiedCluster cluster, String table) {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT create_distributed_table('" + table + "', 'id')");
      return "done";
    } catch (SQLException e) {
      return e.getSQLState() + " " + e.getMessage();
    }
  }

  private static long count(ProxiedCluster cluster, int node, String table) throws SQLException {
    return ProxiedCluster.number(cluster.node(node), "SELECT count(*) FROM " + table);
  }
}
