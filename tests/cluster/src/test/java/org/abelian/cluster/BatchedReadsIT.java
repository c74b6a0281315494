package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Many sessions read at once, so that their reads go to nodes together: nobody may notice. */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchedReadsIT {
  private static final int SESSIONS = 64;
  private static final int READS = 150;
  private static final int ROWS = 640;
  private static final String BY_KEY = "SELECT n, span FROM batched WHERE id = ?";
  private static final String LOCKED = "SELECT id FROM locked WHERE id = ?";
  private static final String BY_NAME = "SELECT n, span FROM batched WHERE name = ?";

  private final LocalCluster cluster;
  private RouterServer router;

  BatchedReadsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void start() {
    router = RouterServer.startWithProcessors(2, cluster); // Reads are batched where these are few.
  }

  @AfterAll
  void stop() {
    router.close();
  }

  @BeforeEach
  void createTable() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS batched");
      statement.execute(
          "CREATE TABLE batched (id int PRIMARY KEY, name text, n int, span interval)");
      statement.execute("SELECT create_distributed_table('batched', 'id')");
      statement.execute(
          "INSERT INTO batched SELECT i, 'n' || i, 0, interval '26 h'"
              + " FROM generate_series(0, "
              + (ROWS - 1)
              + ") i");
      statement.execute("CREATE INDEX ON batched (name)");
    }
  }

  /** What a session does. */
  private interface Client {
    void run(Connection connection, int number) throws SQLException;
  }

  private long batched() throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement();
        ResultSet count =
            statement.executeQuery(
                "SELECT value FROM abelian.router_statistics WHERE name = 'batched_reads'")) {
      count.next();
      return count.getLong(1);
    }
  }

  /**
   * All at once; each of them has a connection.
   *
   * @param options of the sessions, in turns
   * @return how many reads were answered in batches
   */
  private long together(Client client, String... options) throws Exception {
    long before = batched();
    CyclicBarrier connected = new CyclicBarrier(SESSIONS);
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    try {
      Future<?>[] sessions = new Future<?>[SESSIONS];
      for (int i = 0; i < SESSIONS; i++) {
        int number = i;
        String own = options.length == 0 ? "" : options[i % options.length];
        Callable<Void> session =
            () -> {
              try (Connection connection = connect(own)) {
                connected.await(60, TimeUnit.SECONDS);
                client.run(connection, number);
              }
              return null;
            };
        sessions[i] = threads.submit(session);
      }
      for (Future<?> session : sessions) {
        session.get(120, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    return batched() - before;
  }

  private Connection connect(String options) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", LocalNode.USER);
    properties.setProperty("password", LocalNode.USER);
    properties.setProperty("options", options);
    properties.setProperty("prepareThreshold", "1"); // Nodes prepare the first one under a name.
    return DriverManager.getConnection(router.jdbcUrl(), properties);
  }

  private static void assertSome(long batched) {
    assertTrue(batched > 0, "no read went with another");
  }

  private static int read(PreparedStatement query) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      assertTrue(rows.next());
      int n = rows.getInt(1);
      assertTrue(!rows.next(), "a row too many");
      return n;
    }
  }

  @Test
  void eachSeesItsOwnRowAndWhatItHasJustWritten() throws Exception {
    long batched =
        together(
            (connection, number) -> {
              try (PreparedStatement byKey = connection.prepareStatement(BY_KEY);
                  PreparedStatement byName = connection.prepareStatement(BY_NAME);
                  PreparedStatement write =
                      connection.prepareStatement("UPDATE batched SET n = ? WHERE id = ?")) {
                for (int i = 1; i <= READS; i++) {
                  int id = number + SESSIONS * (i % (ROWS / SESSIONS));
                  byKey.setInt(1, id);
                  byName.setString(1, "n" + id);
                  if (i % 5 == 0) {
                    write.setInt(1, i);
                    write.setInt(2, id);
                    assertEquals(1, write.executeUpdate());
                    assertEquals(i, read(byKey));
                    assertEquals(i, read(byName));
                  } else {
                    assertEquals(read(byName), read(byKey));
                  }
                }
              }
            });
    assertSome(batched);
  }

  @Test
  void anErrorReachesItsOwnClientAndNobodyElse() throws Exception {
    AtomicInteger errors = new AtomicInteger();
    long batched =
        together(
            (connection, number) -> {
              String divides = "SELECT 1 / (n + ?) FROM batched WHERE id = ?";
              try (PreparedStatement byKey = connection.prepareStatement(BY_KEY);
                  PreparedStatement divided = connection.prepareStatement(divides)) {
                for (int i = 1; i <= READS; i++) {
                  byKey.setInt(1, i);
                  assertEquals(0, read(byKey));
                  divided.setInt(1, number % 8 == 0 && i % 3 == 0 ? 0 : 1);
                  divided.setInt(2, i);
                  if (number % 8 == 0 && i % 3 == 0) {
                    SQLException error = assertThrows(SQLException.class, () -> read(divided));
                    assertEquals("22012", error.getSQLState());
                    errors.incrementAndGet();
                  } else {
                    assertEquals(1, read(divided));
                  }
                }
              }
            });
    assertSome(batched);
    assertEquals(SESSIONS / 8 * (READS / 3), errors.get());
  }

  @Test
  void sessionsWithOtherSettingsGetTheirOwnTexts() throws Exception {
    String text = "SELECT span FROM batched WHERE id = ?";
    long batched =
        together(
            (connection, number) -> {
              try (PreparedStatement query = connection.prepareStatement(text)) {
                for (int i = 1; i <= READS; i++) {
                  query.setInt(1, 7);
                  try (ResultSet rows = query.executeQuery()) {
                    rows.next();
                    assertEquals(number % 2 == 0 ? "26:00:00" : "PT26H", rows.getString(1));
                  }
                }
              }
            },
            "",
            "-c intervalstyle=iso_8601");
    assertSome(batched);
  }

  /** Whoever holds the lock waits for a session that reads another table. */
  @Test
  void aReadThatWaitsForALockHoldsUpNobodyWhoDoesNot() throws Exception {
    try (Connection locker = router.connect();
        Statement lock = locker.createStatement()) {
      lock.execute("DROP TABLE IF EXISTS locked");
      lock.execute("CREATE TABLE locked (id int PRIMARY KEY)");
      lock.execute("SELECT create_distributed_table('locked', 'id')");
      lock.execute("INSERT INTO locked SELECT generate_series(0, 99)");
      try (PreparedStatement known = locker.prepareStatement(LOCKED)) {
        known.setInt(1, 5);
        assertEquals(5, read(known), "the router knows the text before the table is locked");
      }
      AtomicInteger others = new AtomicInteger(SESSIONS - SESSIONS / 8);
      locker.setAutoCommit(false);
      lock.execute("LOCK TABLE locked");
      long batched =
          together(
              (connection, number) -> {
                boolean waits = number % 8 == 0;
                try (PreparedStatement query = connection.prepareStatement(BY_KEY);
                    PreparedStatement other = connection.prepareStatement(LOCKED)) {
                  for (int i = 0; i < READS; i++) {
                    query.setInt(1, i % 100);
                    assertEquals(0, read(query));
                    if (waits && i > READS / 8) {
                      other.setInt(1, i % 100);
                      assertEquals(i % 100, read(other));
                    }
                  }
                }
                if (!waits && others.decrementAndGet() == 0) {
                  locker.commit();
                }
              });
      assertSome(batched);
    }
  }

  /** A transfer moves an amount between two rows: no sum over all nodes may miss a part of it. */
  @Test
  void noReadOfAllNodesIsTornByTransfersBesideIt() throws Exception {
    String rows = "SELECT n FROM batched WHERE name = ? OR name = ?";
    long batched =
        together(
            (connection, number) -> {
              Random random = new Random(number);
              try (PreparedStatement query = connection.prepareStatement(rows);
                  Statement transfer = connection.createStatement()) {
                for (int i = 1; i <= READS; i++) {
                  int first = 2 * random.nextInt(8);
                  if (number % 16 == 0) {
                    connection.setAutoCommit(false);
                    transfer.execute("UPDATE batched SET n = n + " + i + " WHERE id = " + first);
                    transfer.execute(
                        "UPDATE batched SET n = n - " + i + " WHERE id = " + (first + 1));
                    connection.commit();
                    connection.setAutoCommit(true);
                  } else {
                    query.setString(1, "n" + first);
                    query.setString(2, "n" + (first + 1));
                    assertEquals(0, sum(query), "torn: " + first);
                  }
                }
              }
            });
    assertSome(batched);
  }

  private static long sum(PreparedStatement query) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      long sum = 0;
      while (rows.next()) {
        sum += rows.getLong(1);
      }
      return sum;
    }
  }

  @Test
  void aSessionThatHasTakenItselfOutReadsAlone() throws Exception {
    long batched =
        together(
            (connection, number) -> {
              try (PreparedStatement query = connection.prepareStatement(BY_KEY)) {
                for (int i = 0; i < READS; i++) {
                  query.setInt(1, i);
                  assertEquals(0, read(query));
                }
              }
            },
            "-c abelian.combine=off");
    assertEquals(0, batched);
  }
}
