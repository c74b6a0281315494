package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients take jobs of a table on several nodes: each job goes to one of them, and none waits. */
@WithCluster
class WorkQueueIT {
  private static final int JOBS = 120;
  private static final int SECONDS = 60;

  private static final String NEXT =
      "SELECT id FROM job WHERE state = 'new' ORDER BY prio LIMIT %d FOR UPDATE SKIP LOCKED";

  /** A client takes jobs by one of these. */
  private static final List<String> TAKES =
      List.of(
          "UPDATE job SET state = 'taken', takes = takes + 1 WHERE id = (%s) RETURNING id"
              .formatted(NEXT.formatted(1)),
          "WITH next AS (%s) UPDATE job SET state = 'taken', takes = takes + 1 FROM next WHERE"
                  .formatted(NEXT.formatted(2))
              + " job.id = next.id RETURNING job.id",
          "DELETE FROM job WHERE id IN (%s) RETURNING id".formatted(NEXT.formatted(3)));

  private final LocalCluster cluster;
  private final RouterServer router;
  private Connection admin;

  WorkQueueIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    admin = connect();
    run(admin, "DROP TABLE IF EXISTS job");
    run(admin, "CREATE TABLE job (id int PRIMARY KEY, prio int, state text, takes int)");
    run(admin, "SELECT create_distributed_table('job', 'id')");
    run(
        admin,
        "INSERT INTO job SELECT i, i %% 9, 'new', 0 FROM generate_series(1, %d) i".formatted(JOBS));
  }

  @AfterEach
  void drop() throws SQLException {
    run(admin, "DROP TABLE job");
    admin.close();
  }

  /** Whoever waits for a lock fails. */
  private Connection connect() throws SQLException {
    Connection connection = router.connect();
    run(connection, "SET lock_timeout = '150ms'");
    return connection;
  }

  @Test
  void eachJobIsTakenOnceAndNobodyWaits() throws Exception {
    List<String> taken = new ArrayList<>();
    try (Connection holder = router.connect()) {
      holder.setAutoCommit(false);
      taken.addAll(run(holder, NEXT.formatted(1)));
      ExecutorService threads = Executors.newFixedThreadPool(2 * TAKES.size() + 2);
      List<Future<List<String>>> clients = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        TAKES.forEach(take -> clients.add(threads.submit(() -> take(take))));
        clients.add(threads.submit(this::takeInBlocks));
      }
      for (Future<List<String>> client : clients) {
        List<String> own = client.get(SECONDS, TimeUnit.SECONDS);
        assertTrue(!own.isEmpty(), "it has got nothing");
        taken.addAll(own);
      }
      threads.shutdown();
      holder.rollback();
    }
    assertEquals(JOBS, taken.size());
    assertEquals(JOBS, taken.stream().distinct().count());
    assertEquals(List.of("1|"), run(admin, "SELECT count(*) FROM job WHERE state = 'new'"));
    assertEquals(List.of("1|"), run(admin, "SELECT max(takes) FROM job"));
  }

  /** The holder's is left. */
  private static boolean isLeft(Connection connection) throws SQLException {
    return !run(connection, "SELECT count(*) FROM job WHERE state = 'new'").equals(List.of("1|"));
  }

  private List<String> take(String sql) throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection connection = connect()) {
      do {
        taken.addAll(run(connection, sql));
      } while (isLeft(connection));
    }
    return taken;
  }

  private List<String> takeInBlocks() throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection connection = connect()) {
      connection.setAutoCommit(false);
      do {
        List<String> ids = run(connection, NEXT.formatted(2));
        for (String id : ids) {
          run(
              connection,
              "UPDATE job SET state = 'done', takes = takes + 1 WHERE id = " + id.replace("|", ""));
        }
        connection.commit();
        taken.addAll(ids);
      } while (isLeft(connection));
    }
    return taken;
  }

  /** On one PostgreSQL they wait one behind the other. */
  @Test
  void clientsThatWaitForTheFirstJobMeetInNoDeadlock() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<List<String>>> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(threads.submit(this::waitAndTake));
    }
    List<String> taken = new ArrayList<>();
    for (Future<List<String>> client : clients) {
      taken.addAll(client.get(SECONDS, TimeUnit.SECONDS));
    }
    threads.shutdown();
    assertEquals(JOBS, taken.size());
    assertEquals(JOBS, taken.stream().distinct().count());
  }

  private List<String> waitAndTake() throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection connection = router.connect()) {
      connection.setAutoCommit(false);
      List<String> ids;
      do {
        run(connection, "SELECT max(id) FROM job"); // So the transaction cannot be run again.
        ids =
            run(
                connection,
                "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE");
        for (String id : ids) {
          run(connection, "UPDATE job SET state = 'done' WHERE id = " + id.replace("|", ""));
        }
        connection.commit();
        taken.addAll(ids);
      } while (!ids.isEmpty());
    }
    return taken;
  }

  /** Three nodes lock a row each, of which one is the client's. */
  @Test
  void aBlockKeepsNoMoreLocksThanItsRows() throws SQLException {
    try (Connection holder = router.connect();
        Connection other = connect()) {
      holder.setAutoCommit(false);
      assertEquals(1, run(holder, NEXT.formatted(1)).size());
      String rest = "SELECT id FROM job FOR UPDATE SKIP LOCKED";
      assertEquals(JOBS - 1, run(other, rest).size());
      run(holder, "SAVEPOINT s");
      assertEquals(1, run(holder, TAKES.get(0)).size());
      assertEquals(JOBS - 1, run(other, rest).size());
      run(holder, "ROLLBACK TO s");
      assertEquals(1, run(holder, TAKES.get(0)).size());
      holder.commit();
      assertEquals(List.of("1|"), run(other, "SELECT count(*) FROM job WHERE state = 'taken'"));
      assertEquals(JOBS, run(other, rest).size());
    }
  }

  /** What has changed since the statement began is looked at again. */
  @Test
  void whatAnotherHasChangedIsLookedAtAgain() throws Exception {
    String take =
        "UPDATE job SET state = 'taken' WHERE id = (SELECT id FROM job WHERE state = 'new' ORDER BY"
            + " id LIMIT 1 FOR UPDATE) RETURNING id";
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = router.connect();
        Connection waiting = router.connect()) {
      holder.setAutoCommit(false);
      run(holder, "UPDATE job SET state = 'gone' WHERE id = 1");
      Future<List<String>> answer = thread.submit(() -> run(waiting, take));
      while (!someoneWaits()) {
        Thread.sleep(20);
      }
      holder.commit();
      assertEquals(List.of("2|"), answer.get(SECONDS, TimeUnit.SECONDS));
    } finally {
      thread.shutdown();
    }
  }

  private boolean someoneWaits() throws SQLException {
    boolean waits = false;
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        waits |=
            !run(direct, "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'").isEmpty();
      }
    }
    return waits;
  }
}
