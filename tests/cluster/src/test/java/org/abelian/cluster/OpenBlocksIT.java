package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transaction blocks that are open go on when others change the schema, as in PostgreSQL. */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenBlocksIT {
  private static final int ACCOUNTS = 12;
  private static final int MOVE = 10;

  /** How many wait for a lock of the table on the first node. */
  private static final String WAITING =
      "SELECT count(*) FROM pg_locks WHERE NOT granted"
          + " AND relation = (SELECT oid FROM pg_class WHERE relname = 'money')";

  private final RouterServer router;
  private Connection block;
  private Connection other;

  OpenBlocksIT(RouterServer router) {
    this.router = router;
  }

  @BeforeAll
  void create() throws SQLException {
    block = router.connect();
    other = router.connect();
    block.setAutoCommit(false);
    run(other, "CREATE TABLE money (id int PRIMARY KEY, amount bigint NOT NULL)");
    run(other, "SELECT create_distributed_table('money', 'id')");
    run(other, "CREATE TABLE notes (id int PRIMARY KEY, note text)");
  }

  @BeforeEach
  void fill() throws SQLException {
    block.rollback();
    run(other, "DELETE FROM money");
    run(other, "INSERT INTO money SELECT g, 0 FROM generate_series(1, " + ACCOUNTS + ") g");
  }

  @AfterAll
  void drop() throws SQLException {
    block.close();
    run(other, "DROP TABLE money, notes");
    other.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE VIEW made AS SELECT * FROM money; DROP VIEW made",
        "CREATE FUNCTION made() RETURNS int LANGUAGE sql RETURN 1; DROP FUNCTION made()",
        "CREATE TYPE made AS ENUM ('a'); DROP TYPE made",
        "CREATE TABLE made (id int); DROP TABLE made",
        "ALTER TABLE notes ADD COLUMN more int; ALTER TABLE notes DROP COLUMN more",
        "CREATE TABLE made (id int); SELECT create_distributed_table('made', 'id'); DROP TABLE made"
      })
  void schemaChangesOfOthersLeaveBlocksAlone(String changes) throws SQLException {
    run(block, "UPDATE money SET amount = amount + 1 WHERE id = 1");
    for (String change : changes.split("; ")) {
      run(other, change);
      run(block, "UPDATE money SET amount = amount + 1 WHERE id IN (1, 2, 3)");
      assertEquals(
          ACCOUNTS, number(block, "SELECT count(*) FROM money /* " + change.hashCode() + " */"));
    }
    block.commit();
    int times = changes.split("; ").length;
    assertEquals(3 * times + 1, number(other, "SELECT sum(amount) FROM money"));
  }

  @Test
  void blockSeesWhatHasChanged() throws SQLException {
    run(other, "CREATE TABLE hidden (a int)");
    run(other, "INSERT INTO hidden VALUES (1)");
    assertEquals(0, number(block, "SELECT count(*) FROM notes"));
    assertEquals("a", columns(block, "SELECT * FROM hidden"));
    block.commit();
    run(block, "UPDATE money SET amount = 5 WHERE id = 1");

    run(other, "ALTER TABLE hidden ADD COLUMN b int");
    assertEquals("a b", columns(block, "SELECT * FROM hidden"));
    block.commit();

    run(block, "UPDATE money SET amount = 6 WHERE id = 1");
    run(other, "SELECT create_distributed_table('hidden', 'a')");
    run(other, "INSERT INTO hidden SELECT g FROM generate_series(2, 9) g");
    assertEquals(9, number(block, "SELECT count(*) FROM hidden"));
    run(block, "UPDATE hidden SET b = 1");
    block.commit();
    assertEquals(9, number(other, "SELECT sum(b) FROM hidden"));
    run(other, "DROP TABLE hidden");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT id FROM money ORDER BY id FOR UPDATE",
        "SELECT count(*) + 0 * count(random()) FROM money",
        "SELECT count(*) FROM money"
      })
  void definitionCommitsAlthoughReadsWaitForIt(String query) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection reader = router.connect()) {
      run(reader, query); // The router knows it from now on.
      run(block, "ALTER TABLE money ADD COLUMN more int");
      Future<Void> read =
          thread.submit(
              () -> {
                run(reader, query);
                return null;
              });
      while (0 == number(other, WAITING)) {
        Thread.sleep(10);
      }
      block.commit();
      read.get();
      run(block, "ALTER TABLE money DROP COLUMN more");
      block.commit();
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void nodesAreToldAgainBehindSavepoint() throws SQLException {
    run(block, "UPDATE money SET amount = 1 WHERE id = 1");
    run(block, "SAVEPOINT here");
    run(other, "CREATE VIEW made AS SELECT 1 AS one");
    run(block, "UPDATE money SET amount = 2");
    run(block, "ROLLBACK TO here");
    run(block, "UPDATE money SET amount = 3 WHERE id IN (2, 3, 4)");
    run(other, "DROP VIEW made");
    run(block, "ROLLBACK TO here");
    run(block, "UPDATE money SET amount = 4 WHERE id IN (5, 6, 7)");
    block.commit();
    assertEquals(13, number(other, "SELECT sum(amount) FROM money"));
  }

  /**
   * The client's unnamed portal has more rows to give, and the savepoint's end is in a pipeline.
   */
  @Test
  void portalsAndPipelinesGoOn() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("BEGIN").untilReady();
      client.parse("", "SELECT id FROM money ORDER BY id").bind("", "", 0).execute("", 2);
      assertEquals(List.of("1", "2"), rows(client.sync().untilReady()));
      client.query("SAVEPOINT here").untilReady();
      run(other, "CREATE VIEW made AS SELECT 1 AS one");
      client.parse("s", "SELECT amount FROM money WHERE id = 1").bind("", "s", 0).execute("", 0);
      assertEquals(List.of("0"), rows(client.sync().untilReady()));
      client.parse("", "ROLLBACK TO here").bind("", "", 0).execute("", 0);
      client.bind("", "s", 0).execute("", 0);
      assertEquals(List.of("0"), rows(client.sync().untilReady()));
      client.query("COMMIT").untilReady();

      client.query("BEGIN").untilReady();
      client.parse("", "SELECT id FROM money ORDER BY id").bind("", "", 0).execute("", 2);
      assertEquals(List.of("1", "2"), rows(client.sync().untilReady()));
      run(other, "DROP VIEW made");
      assertEquals(List.of("3", "4"), rows(client.execute("", 2).sync().untilReady()));
      client.query("COMMIT").untilReady();
    }
  }

  @Test
  void whatComesBehindTheEndInOneQueryGoesOn() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("BEGIN").untilReady();
      client.query("UPDATE money SET amount = 1 WHERE id = 1").untilReady();
      run(other, "CREATE VIEW made AS SELECT 1 AS one");
      List<String> answers =
          ParityFixture.ask(
              client,
              "UPDATE money SET amount = 2 WHERE id = 1; COMMIT; SELECT amount FROM money WHERE id"
                  + " = 1; BEGIN; UPDATE money SET amount = 3 WHERE id = 1; COMMIT");
      run(other, "DROP VIEW made");
      assertTrue(answers.stream().noneMatch(answer -> answer.startsWith("E")), answers::toString);
      assertEquals(3, number(other, "SELECT amount FROM money WHERE id = 1"));
    }
  }

  /** The first field of each row, in text form. */
  private static List<String> rows(List<Message> messages) {
    return messages.stream()
        .filter(message -> message.type() == 'D')
        .map(row -> new String(row.body(), 6, row.body().length - 6, StandardCharsets.US_ASCII))
        .toList();
  }

  @Test
  void settingsOfConnectionsStayAsTheyWere() throws SQLException {
    for (boolean committed : new boolean[] {true, false}) {
      run(block, "UPDATE money SET amount = amount + 1");
      run(other, "CREATE VIEW made AS SELECT 1 AS one");
      run(block, "UPDATE money SET amount = amount + 1");
      if (committed) {
        block.commit();
      } else {
        block.rollback();
      }
      run(other, "DROP VIEW made");
      run(block, "UPDATE money SET amount = amount + 1");
      block.commit();
    }
    assertEquals(4 * ACCOUNTS, number(other, "SELECT sum(amount) FROM money"));
  }

  /** Its snapshot does not see rows where they have gone. */
  @Test
  void oneSnapshotEndsWhereRowsHaveMoved() throws SQLException {
    run(other, "CREATE TABLE moved (id int)");
    run(other, "INSERT INTO moved SELECT g FROM generate_series(1, 9) g");
    block.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try {
      assertEquals(ACCOUNTS, number(block, "SELECT count(*) FROM money"));
      run(other, "SELECT create_distributed_table('moved', 'id')");
      SQLException error =
          assertThrows(SQLException.class, () -> number(block, "SELECT count(*) FROM moved"));
      assertEquals("40001", error.getSQLState());
      block.rollback();
      assertEquals(9, number(block, "SELECT count(*) FROM moved"));
      block.rollback();
    } finally {
      block.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      run(other, "DROP TABLE moved");
    }
  }

  @Test
  void transfersBesideSchemaChangesAreWhole() throws Exception {
    long seed = new Random().nextLong();
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Integer>> clients = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    for (int client = 0; client < 3; client++) {
      Random random = new Random(seed + client);
      clients.add(threads.submit(() -> transfer(random, over)));
    }
    try {
      for (int round = 0; round < 12; round++) {
        run(other, "CREATE TABLE made (id int PRIMARY KEY, n bigint)");
        run(other, "CREATE VIEW seen AS SELECT sum(n) AS n FROM made");
        run(other, "SELECT create_distributed_table('made', 'id')");
        run(other, "ALTER TABLE made ADD COLUMN more text DEFAULT 'x'");
        run(other, "DROP TABLE made CASCADE");
      }
    } finally {
      over.set(true);
      threads.shutdown();
    }
    int done = 0;
    for (Future<Integer> client : clients) {
      done += client.get();
    }
    String told = "seed " + seed;
    assertTrue(done > 0, told);
    assertEquals(0, number(other, "SELECT sum(amount) FROM money WHERE id < 12"), told);
    assertEquals(done, number(other, "SELECT amount FROM money WHERE id = 12"), told);
  }

  /** A node that has learned of the change has the others stop, which is none of the client's. */
  @Test
  void readsOfSeveralNodesAreRunAgainBesideChangesOfThePlacement() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<Void> changes =
        thread.submit(
            () -> {
              while (!over.get()) {
                run(other, "CREATE TABLE made (id int PRIMARY KEY)");
                run(other, "SELECT create_distributed_table('made', 'id')");
                run(other, "DROP TABLE made");
              }
              return null;
            });
    String many = " UNION SELECT id, amount FROM money".repeat(30);
    try (Connection reader = router.connect()) {
      for (int read = 0; read < 100; read++) {
        String sql = "SELECT count(*) FROM (SELECT id, amount FROM money%s) x".formatted(many);
        assertEquals(ACCOUNTS, number(reader, sql));
      }
    } finally {
      over.set(true);
      thread.shutdown();
    }
    changes.get();
  }

  /** Half of a transaction is never seen, whether it had savepoints or not. */
  @ParameterizedTest
  @ValueSource(strings = {"", "SAVEPOINT here"})
  void sumsBesideTransfersAreRight(String before) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<Void>> writers = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      Random random = new Random(writer);
      writers.add(
          threads.submit(
              () -> {
                while (!over.get()) {
                  swap(random, before);
                }
                return null;
              }));
    }
    try (Connection reader = router.connect()) {
      for (int read = 0; read < 300; read++) {
        assertEquals(0, number(reader, "SELECT sum(amount) FROM money"));
      }
    } finally {
      over.set(true);
      threads.shutdown();
    }
    for (Future<Void> writer : writers) {
      writer.get();
    }
  }

  private void swap(Random random, String before) throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      for (int round = 0; round < 20; round++) {
        int from = 1 + random.nextInt(ACCOUNTS / 2);
        int to = ACCOUNTS / 2 + 1 + random.nextInt(ACCOUNTS / 2);
        if (!before.isEmpty()) {
          run(client, before);
        }
        String sql = "UPDATE money SET amount = amount + CASE id WHEN %d THEN 1 ELSE -1 END";
        run(client, (sql + " WHERE id IN (%d, %d)").formatted(from, from, to));
        client.commit();
      }
    } catch (SQLException error) {
      assertEquals("40P01", error.getSQLState(), error.toString());
    }
  }

  /** Moves amounts between accounts, and counts in the last one; gives how often it was done. */
  private int transfer(Random random, AtomicBoolean over) throws SQLException {
    int done = 0;
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      while (!over.get()) {
        int from = 1 + random.nextInt(ACCOUNTS - 1);
        int to = 1 + random.nextInt(ACCOUNTS - 1);
        try {
          run(client, "UPDATE money SET amount = amount + 1 WHERE id = 12");
          run(client, "UPDATE money SET amount = amount - %d WHERE id = %d".formatted(MOVE, from));
          run(client, "UPDATE money SET amount = amount + %d WHERE id = %d".formatted(MOVE, to));
          client.commit();
          done++;
        } catch (SQLException error) {
          client.rollback();
          // A statement that is under way when somebody else commits has no second try in a block.
          assertTrue(List.of("40001", "40P01").contains(error.getSQLState()), error.toString());
        }
      }
    }
    return done;
  }

  private static String columns(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> names = new ArrayList<>();
      for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
        names.add(rows.getMetaData().getColumnName(column));
      }
      return String.join(" ", names);
    }
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
