package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.harness.Fault;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes and connections that die under a statement for many sessions: no acknowledged operation is
 * lost, none is done twice, and whoever cannot know is told so.
 */
class CombiningFaultsIT {
  private static final int CLIENTS = 24;
  private static final int KILLS = 3;
  private static final long PROGRESS = 20L * CLIENTS;
  private static final String ADD = "UPDATE hot SET likes = likes + 1 WHERE id = 1";

  private static ProxiedCluster cluster;

  private LocalNode home;
  private int homeIndex;

  @BeforeAll
  static void create() {
    cluster = ProxiedCluster.create(2);
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection owner = cluster.router().connect();
        Statement statement = owner.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS hot");
      statement.execute("CREATE TABLE hot (id int PRIMARY KEY, likes abelian.counter NOT NULL)");
      statement.execute("SELECT create_distributed_table('hot', 'id')");
      statement.execute("INSERT INTO hot VALUES (1, 0)");
    }
    homeIndex = rowsAt(0) == 1 ? 0 : 1;
    home = cluster.node(homeIndex);
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  private static long rowsAt(int node) throws SQLException {
    return ProxiedCluster.number(cluster.node(node), "SELECT count(*) FROM hot");
  }

  private long likes() throws SQLException {
    return ProxiedCluster.number(home, "SELECT likes FROM hot");
  }

  private void assertNothingLostOrDoubled(CombiningCrew crew) throws SQLException {
    long likes = likes();
    assertTrue(likes >= crew.acknowledged(), () -> likes + " of " + crew);
    assertTrue(likes <= crew.acknowledged() + crew.unknown(), () -> likes + " of " + crew);
  }

  @Test
  void kill9LosesNoAcknowledgedOperationAndDoublesNone() throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      List<Future<Void>> clients =
          crew.start(
              (connection, client) -> {
                try (Statement statement = connection.createStatement()) {
                  while (!stopped.get()) {
                    crew.add(statement, ADD, 1);
                  }
                }
              });
      try {
        for (int i = 0; i < KILLS; i++) {
          awaitProgress(crew);
          home.kill();
          home.start();
        }
        awaitProgress(crew);
      } finally {
        stopped.set(true);
      }
      CombiningCrew.await(clients);
      assertTrue(crew.errors() > 0, "no kill met a statement: " + crew);
      assertTrue(crew.acknowledged() > CLIENTS, crew::toString);
      assertNothingLostOrDoubled(crew);
    }
  }

  /** Waits, boundedly, until each client could have been acknowledged a few times more. */
  private static void awaitProgress(CombiningCrew crew) throws InterruptedException {
    long goal = crew.acknowledged() + PROGRESS;
    for (int i = 0; i < 1000 && crew.acknowledged() < goal; i++) {
      Thread.sleep(50);
    }
    assertTrue(crew.acknowledged() >= goal, () -> "no progress: " + crew);
  }

  @Test
  void whoseStatementWasCutOffBeforeItArrivedIsToldThatNobodyKnows() throws Exception {
    assertEquals(0, cutAt(Fault.Moment.BEFORE));
  }

  @Test
  void whoseStatementWasCutOffAfterItsCommitIsToldThatNobodyKnows() throws Exception {
    assertTrue(cutAt(Fault.Moment.ANSWERED) > 1, "the cut statement was for one session only");
  }

  /** Cuts one combined statement off; gives how many of those in doubt have taken effect. */
  private long cutAt(Fault.Moment moment) throws Exception {
    Fault fault = cluster.proxy(homeIndex).arm(Fault.cut(moment, "abelian.combined("));
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      long end = System.nanoTime() + 20_000_000_000L;
      crew.run(
          (connection, client) -> {
            try (Statement statement = connection.createStatement()) {
              boolean goesOn = true;
              while (goesOn && crew.unknown() == 0 && System.nanoTime() - end < 0) {
                goesOn = crew.add(statement, ADD, 1);
              }
            }
          });
      assertTrue(fault.hasStruck(1), "nothing was combined");
      assertTrue(crew.unknown() > 1, crew::toString);
      assertEquals(crew.errors(), crew.errors("08007"), crew::toString);
      assertNothingLostOrDoubled(crew);
      return likes() - crew.acknowledged();
    }
  }
}
