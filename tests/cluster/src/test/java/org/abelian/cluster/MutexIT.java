package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who gets a lock on one node sees what its last owner has done on the others. */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MutexIT {
  private static final int SESSIONS = 3;
  private static final int ROUNDS = 60;

  private final RouterServer router;

  MutexIT(RouterServer router) {
    this.router = router;
  }

  /** How sessions exclude each other. */
  enum Mutex {
    ADVISORY("SELECT pg_advisory_xact_lock(77)"),
    LOCKED_TABLE("LOCK TABLE mutex IN EXCLUSIVE MODE"),
    LOCKED_ROW("SELECT k FROM guarded WHERE k = -%d FOR UPDATE"),
    LOCKED_BEHIND_SAVEPOINT(
        "SAVEPOINT s; UPDATE guarded SET v = v WHERE k = 1; ROLLBACK TO s;"
            + " SELECT k FROM guarded WHERE k = -%d FOR UPDATE"),
    LOCKED_BEHIND_NOTHING(
        "UPDATE guarded SET v = v WHERE k = 1 AND v < 0;"
            + " SELECT k FROM guarded WHERE k = -%d FOR UPDATE"),
    LOCKED_BEHIND_INSERT(
        "INSERT INTO entry VALUES (1);" + " SELECT k FROM guarded WHERE k = -%d FOR UPDATE"),
    UPDATED_IN_WITH(
        "WITH m AS (UPDATE guarded SET v = v WHERE k = -%d RETURNING k) SELECT * FROM m"),
    UPDATED_UNPLACED_ROW("UPDATE mutex SET k = k"),
    ADVISORY_BESIDE_UNPLACED_ROW("SELECT pg_advisory_xact_lock(78);UPDATE mutex SET k = k"),
    UPDATED_REFERENCE_ROW("UPDATE copied SET k = k"),
    UPDATED_ROW("UPDATE guarded SET v = v WHERE k = -%d");

    final String sql;

    Mutex(String sql) {
      this.sql = sql;
    }
  }

  /** What they do with it. */
  enum Work {
    /** One row of one node. */
    ROW("SELECT v FROM guarded WHERE k = 1", "UPDATE guarded SET v = %d WHERE k = 1"),
    /** Rows of several, read together. */
    ROWS("SELECT max(v) FROM guarded", "UPDATE guarded SET v = %d WHERE k IN (1, 2, 3)");

    final String read;
    final String write;

    Work(String read, String write) {
      this.read = read;
      this.write = write;
    }
  }

  @BeforeAll
  void create() throws SQLException {
    try (Connection connection = router.connect()) {
      run(connection, "CREATE TABLE guarded (k int PRIMARY KEY, v int)");
      run(connection, "SELECT create_distributed_table('guarded', 'k')");
      run(connection, "CREATE TABLE mutex (k int)");
      run(connection, "INSERT INTO mutex VALUES (1)");
      run(connection, "CREATE TABLE copied (k int)");
      run(connection, "SELECT create_reference_table('copied')");
      run(connection, "INSERT INTO copied VALUES (1)");
      run(connection, "CREATE TABLE entry (k int)");
      run(connection, "SELECT create_distributed_table('entry', 'k', colocate_with => 'guarded')");
      run(connection, "INSERT INTO guarded SELECT g, -1 FROM generate_series(-30, -1) g");
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection connection = router.connect()) {
      run(connection, "DROP TABLE guarded, mutex, entry, copied");
    }
  }

  @ParameterizedTest
  @EnumSource(Mutex.class)
  void nextOwnerOfLockSeesRowOfAnotherNode(Mutex mutex) throws Exception {
    countInTurns(mutex, Work.ROW);
  }

  @ParameterizedTest
  @EnumSource(Mutex.class)
  void nextOwnerOfLockSeesRowsOfSeveralNodes(Mutex mutex) throws Exception {
    countInTurns(mutex, Work.ROWS);
  }

  private void countInTurns(Mutex mutex, Work work) throws Exception {
    int guard;
    try (Connection connection = router.connect()) {
      run(connection, "DELETE FROM guarded WHERE k > 0");
      run(connection, "INSERT INTO guarded VALUES (1, 0), (2, 0), (3, 0)");
      guard = guardElsewhere(connection);
    }
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    List<Future<Void>> sessions = new ArrayList<>();
    for (int session = 0; session < SESSIONS; session++) {
      sessions.add(
          threads.submit(
              () -> {
                count(mutex.sql.formatted(guard), work);
                return null;
              }));
    }
    threads.shutdown();
    for (Future<Void> session : sessions) {
      session.get();
    }
    try (Connection connection = router.connect()) {
      assertEquals(SESSIONS * ROUNDS, number(connection, work.read));
    }
  }

  private void count(String lock, Work work) throws SQLException {
    try (Connection connection = router.connect()) {
      connection.setAutoCommit(false);
      for (int round = 0; round < ROUNDS; round++) {
        for (String statement : lock.split(";")) {
          run(connection, statement);
        }
        long next = number(connection, work.read) + 1;
        run(connection, work.write.formatted(next));
        connection.commit();
      }
    }
  }

  /** A row that lies on another node than row 1. */
  private static int guardElsewhere(Connection connection) throws SQLException {
    long node = number(connection, "SELECT abelian.node_of('guarded', '1')");
    for (int guard = 1; guard <= 30; guard++) {
      if (number(connection, "SELECT abelian.node_of('guarded', '-%d')".formatted(guard)) != node) {
        return guard;
      }
    }
    throw new AssertionError("all rows lie on one node");
  }

  private static long number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
