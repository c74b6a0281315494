package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.postgresql.util.PSQLException;

/**
 * A lookup index is unique over the cluster, kept in the transaction of the row, and statements
 * that name its column answer as one PostgreSQL with a unique index does.
 */
@WithNode
@WithCluster
class LookupIndexIT {
  private static final String TABLE =
      "CREATE TABLE person (id int PRIMARY KEY, email text, visits int NOT NULL DEFAULT 0)";
  private static final int STEPS = 400;

  private final LocalNode node;
  private final LocalCluster cluster;
  private final RouterServer router;

  LookupIndexIT(LocalNode node, LocalCluster cluster, RouterServer router) {
    this.node = node;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTables() throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      for (Connection connection : List.of(bare, routed)) {
        run(connection, "DROP TABLE IF EXISTS pet");
        run(connection, "DROP TABLE IF EXISTS person");
        run(connection, TABLE);
      }
      run(bare, "CREATE UNIQUE INDEX person_email_key ON person (email)");
      run(routed, "SELECT create_distributed_table('person', 'id')");
      run(routed, "SELECT create_lookup_index('person', 'email')");
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What a statement answers: its rows in order of their text, its count, or its error. */
  private static String answer(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return answer(statement, statement.execute(sql));
    } catch (PSQLException error) {
      return error(error);
    }
  }

  private static String prepared(Connection connection, String sql, String value)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, value);
      return answer(statement, statement.execute());
    } catch (PSQLException error) {
      return error(error);
    }
  }

  private static String answer(Statement statement, boolean hasRows) throws SQLException {
    if (!hasRows) {
      return "count " + statement.getUpdateCount();
    }
    List<String> rows = new ArrayList<>();
    try (ResultSet result = statement.getResultSet()) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
          row.add(result.getString(column));
        }
        rows.add(row.toString());
      }
    }
    rows.sort(null);
    return rows.toString();
  }

  private static String error(PSQLException error) {
    String constraint =
        error.getServerErrorMessage() == null
            ? null
            : error.getServerErrorMessage().getConstraint();
    String detail =
        error.getServerErrorMessage() == null ? null : error.getServerErrorMessage().getDetail();
    return error.getSQLState() + " " + constraint + " " + detail;
  }

  private void answersLikeOnePostgres(String... script) throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      for (String sql : script) {
        assertEquals(answer(bare, sql), answer(routed, sql), sql);
      }
    }
    everyRowHasItsEntry();
  }

  /** Entries and rows on all nodes: what they say must be the same. */
  private void everyRowHasItsEntry() throws SQLException {
    List<String> entries = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    for (LocalNode one : cluster.nodes()) {
      try (Connection connection = one.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        String table = text(statement, "SELECT entries::text FROM abelian.lookup_index");
        entries.addAll(list(statement, "SELECT email || ' ' || abelian_partition FROM " + table));
        rows.addAll(
            list(
                statement,
                "SELECT email || ' ' || abelian.partition_of('person', id::text) FROM person WHERE"
                    + " email IS NOT NULL"));
        assertEquals("0", text(statement, "SELECT count(*) FROM abelian.lookup_change"));
      }
    }
    entries.sort(null);
    rows.sort(null);
    assertEquals(rows, entries);
  }

  private static String text(Statement statement, String sql) throws SQLException {
    return list(statement, sql).get(0);
  }

  private static List<String> list(Statement statement, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }

  @Test
  void valuesAreUniqueOverTheCluster() throws SQLException {
    answersLikeOnePostgres(
        "INSERT INTO person VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, NULL), (5, 'e')",
        "INSERT INTO person VALUES (11, 'a')",
        "INSERT INTO person VALUES (12, 'x'), (13, 'y'), (14, 'b'), (15, 'z')",
        "INSERT INTO person VALUES (16, 'q'), (17, 'q')",
        "UPDATE person SET email = 'a' WHERE id = 5",
        "SELECT * FROM person",
        "UPDATE person SET email = 'f' WHERE id = 5",
        "INSERT INTO person VALUES (6, 'e') RETURNING *",
        "UPDATE person SET email = NULL WHERE email = 'a'",
        "INSERT INTO person VALUES (7, 'a')",
        "DELETE FROM person WHERE email = 'a' RETURNING id",
        "DELETE FROM person WHERE email IS NULL",
        "INSERT INTO person VALUES (8, 'a')",
        "SELECT * FROM person",
        "INSERT INTO person SELECT 21, 'new'",
        "UPDATE person SET email = email || '!', visits = 1",
        "SELECT * FROM person",
        "DELETE FROM person",
        "INSERT INTO person VALUES (1, 'a')");
  }

  @Test
  void sortedAndLimitedReadsFindTheRow() throws SQLException {
    answersLikeOnePostgres(
        "INSERT INTO person VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, NULL), (5, 'e')",
        "SELECT * FROM person WHERE email = 'b' LIMIT 1",
        "SELECT * FROM person WHERE email = 'b' LIMIT 1",
        "SELECT * FROM person WHERE email = 'b' LIMIT 0",
        "SELECT * FROM person WHERE email = 'b' OFFSET 1",
        "SELECT * FROM person WHERE email = 'nobody' LIMIT 1",
        "SELECT id FROM person WHERE email = 'e' ORDER BY visits LIMIT 5",
        "SELECT DISTINCT visits FROM person WHERE email = 'e'",
        "SELECT count(*) FROM person WHERE email = 'e'",
        "SELECT count(*) FROM person WHERE email = 'nobody'",
        "SELECT id FROM person WHERE email = 'a' LIMIT 1 FOR UPDATE");
  }

  @Test
  void aRowIsFoundByItsValueFirstInATransactionOfOneSnapshot() throws SQLException {
    List<String> script = new ArrayList<>();
    script.add("INSERT INTO person SELECT i, 'p' || i FROM generate_series(1, 12) i");
    for (int id = 1; id <= 14; id++) {
      String read = "SELECT id FROM person WHERE email = 'p" + id + "'";
      script.addAll(List.of("BEGIN ISOLATION LEVEL REPEATABLE READ", read, read, "COMMIT"));
    }
    script.add("SET default_transaction_isolation = 'repeatable read'");
    for (int id = 1; id <= 14; id++) {
      script.add("UPDATE person SET visits = visits + 1 WHERE email = 'p" + id + "'");
    }
    script.add("SELECT * FROM person ORDER BY id");
    answersLikeOnePostgres(script.toArray(String[]::new));
  }

  @Test
  void aRowIsFoundByItsValueWhereverItMoves() throws SQLException {
    try (Connection routed = router.connect()) {
      String read = "SELECT id FROM person WHERE email = ?";
      for (int id = 1; id <= 12; id++) {
        run(routed, "INSERT INTO person VALUES (" + id + ", 'wanted')");
        for (int again = 0; again < 8; again++) { // a driver prepares on the server at the fifth
          assertEquals("[[" + id + "]]", prepared(routed, read, "wanted"));
          assertEquals("[]", prepared(routed, read, "nobody"));
        }
        assertEquals(
            "count 1",
            prepared(routed, "UPDATE person SET visits = visits + 1 WHERE email = ?", "wanted"));
        assertEquals("count 1", prepared(routed, "DELETE FROM person WHERE email = ?", "wanted"));
        assertEquals("count 0", prepared(routed, "DELETE FROM person WHERE email = ?", "wanted"));
      }
    }
    everyRowHasItsEntry();
  }

  /** The values as one session writes them, and as another reads them. */
  @ParameterizedTest
  @CsvSource({
    "bigint, 5, -7",
    "'numeric(20, 0)', 50000000000000000000, 7",
    "uuid, 00000000-0000-0000-0000-00000000000a, FFFFFFFF-0000-0000-0000-00000000000b",
    "date, 2024-02-29, 1999-12-31",
    "boolean, true, false",
    "varchar(10), é ß, x",
    "char(5), ab, abc"
  })
  void anyTypeOfKeyCanBeLookedUp(String type, String one, String other) throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "DROP TABLE IF EXISTS typed");
      run(
          routed,
          "CREATE TABLE typed (k uuid DEFAULT gen_random_uuid() PRIMARY KEY, v " + type + ")");
      run(routed, "SELECT create_distributed_table('typed', 'k')");
      run(routed, "SELECT create_lookup_index('typed', 'v')");
      String insert = "INSERT INTO typed (v) VALUES ('%s'), ('%s')".formatted(one, other);
      assertEquals("count 2", answer(routed, insert));
      for (String value : List.of(one, other)) {
        assertEquals(
            "23505 typed_v_key",
            answer(routed, "INSERT INTO typed (v) VALUES ('" + value + "')").substring(0, 17));
        String read = "SELECT 1 FROM typed WHERE v = '" + value + "'";
        for (int again = 0; again < 3; again++) {
          assertEquals("[[1]]", answer(routed, read), read);
        }
        assertEquals(
            "count 1", answer(routed, "UPDATE typed SET v = NULL WHERE v = '" + value + "'"));
        assertEquals("[]", answer(routed, read), read);
      }
      assertEquals("count 2", answer(routed, insert));
      run(routed, "DROP TABLE typed");
    }
  }

  @Test
  void batchesAreKeptStatementByStatement() throws SQLException {
    try (Connection routed = router.connect();
        PreparedStatement insert = routed.prepareStatement("INSERT INTO person VALUES (?, ?)")) {
      routed.setAutoCommit(false);
      for (int id = 0; id < 40; id++) {
        insert.setInt(1, id);
        insert.setString(2, "mail " + id);
        insert.addBatch();
      }
      assertEquals(40, insert.executeBatch().length);
      routed.commit();
      for (int id = 40; id < 45; id++) {
        insert.setInt(1, id);
        insert.setString(2, "mail " + 7 * (id - 40));
        insert.addBatch();
      }
      BatchUpdateException taken = assertThrows(BatchUpdateException.class, insert::executeBatch);
      assertEquals("23505", taken.getSQLState());
      routed.rollback();
    }
    everyRowHasItsEntry();
  }

  @Test
  void savepointsAndRollbacksTakeEntriesWithThem() throws SQLException {
    answersLikeOnePostgres(
        "INSERT INTO person VALUES (1, 'a'), (2, 'b')",
        "BEGIN",
        "UPDATE person SET email = 'c' WHERE id = 1",
        "SAVEPOINT s",
        "UPDATE person SET email = 'a' WHERE id = 2",
        "SELECT * FROM person WHERE email = 'a'",
        "ROLLBACK TO s",
        "SELECT * FROM person WHERE email = 'b'",
        "INSERT INTO person VALUES (3, 'c')",
        "SELECT 1",
        "ROLLBACK TO s",
        "INSERT INTO person VALUES (3, 'a')",
        "COMMIT",
        "SELECT * FROM person",
        "BEGIN",
        "DELETE FROM person",
        "INSERT INTO person VALUES (9, 'a')",
        "ROLLBACK",
        "SELECT * FROM person WHERE email = 'a'",
        "INSERT INTO person VALUES (9, 'a')");
  }

  @Test
  void generatedTransactionsAnswerLikeOnePostgres() throws SQLException {
    long seed = Long.getLong("abelian.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      for (int step = 0; step < Integer.getInteger("abelian.lookup.steps", STEPS); step++) {
        String sql = statement(random);
        assertEquals(
            answer(bare, sql), answer(routed, sql), "seed " + seed + " step " + step + " " + sql);
      }
      run(bare, "ROLLBACK");
      run(routed, "ROLLBACK");
    }
    everyRowHasItsEntry();
  }

  private static String statement(SplittableRandom random) {
    int id = random.nextInt(8);
    String value = random.nextInt(7) == 0 ? "NULL" : "'v" + random.nextInt(8) + "'";
    return switch (random.nextInt(14)) {
      case 0, 1, 2 -> "INSERT INTO person VALUES (" + id + ", " + value + ")";
      case 3, 4 -> "UPDATE person SET email = " + value + " WHERE id = " + id;
      case 5 -> "UPDATE person SET visits = visits + 1 WHERE email = " + value;
      case 6 ->
          "UPDATE person SET email = 'v" + id + "' WHERE email = " + value + " RETURNING id, email";
      case 7 -> "DELETE FROM person WHERE id = " + id;
      case 8 -> "DELETE FROM person WHERE email = " + value + " RETURNING *";
      case 9 -> "SELECT * FROM person WHERE email = " + value;
      case 10 -> "SELECT count(*), max(id) FROM person WHERE email = " + value;
      case 11 -> random.nextBoolean() ? "BEGIN" : "SAVEPOINT s";
      case 12 -> random.nextBoolean() ? "COMMIT" : "ROLLBACK";
      default ->
          random.nextBoolean()
              ? "ROLLBACK TO s"
              : "INSERT INTO person VALUES ("
                  + id
                  + ", "
                  + value
                  + ") ON CONFLICT (id) DO UPDATE SET email = excluded.email";
    };
  }

  /** A router that tells nobody what it was told has committed the row without its entry. */
  @Test
  void anEntryOfAnotherTransactionIsNoticed() throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "INSERT INTO person VALUES (1, 'a')");
    }
    everyRowHasItsEntry();
    for (LocalNode one : cluster.nodes()) {
      try (Connection broken = one.connectAsSuperuser()) {
        broken.setAutoCommit(false);
        run(broken, "UPDATE person SET email = 'other'");
        run(broken, "SELECT abelian.take_lookup_changes(NULL, NULL)");
        broken.commit();
      }
    }
    assertThrows(AssertionFailedError.class, this::everyRowHasItsEntry);
    try (Connection routed = router.connect()) {
      String sql = "DELETE FROM person WHERE id = 1";
      assertEquals("XX000", answer(routed, sql).substring(0, 5));
    }
  }

  /** The value is always some row's, and a reader finds it wherever it is, once. */
  @Test
  void aValueThatMovesIsAlwaysFoundOnce() throws Exception {
    try (Connection mover = router.connect();
        Connection reader = router.connect()) {
      for (int id = 0; id < 6; id++) {
        run(mover, "INSERT INTO person VALUES (" + id + ", " + (id == 0 ? "'v'" : "NULL") + ")");
      }
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Integer> reads =
          CompletableFuture.supplyAsync(() -> readUntil(over, reader));
      mover.setAutoCommit(false);
      for (int move = 0; move < 120; move++) {
        run(mover, "UPDATE person SET email = NULL WHERE email = 'v'");
        run(mover, "UPDATE person SET email = 'v' WHERE id = " + (move * 5 + 1) % 6);
        mover.commit();
      }
      over.set(true);
      assertTrue(reads.get(30, TimeUnit.SECONDS) > 0);
    }
    everyRowHasItsEntry();
  }

  private static int readUntil(AtomicBoolean over, Connection reader) {
    int reads = 0;
    try {
      while (!over.get()) {
        String found = prepared(reader, "SELECT email FROM person WHERE email = ?", "v");
        assertEquals("[[v]]", found, "read " + reads);
        reads++;
      }
      return reads;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sessions that disturb each other, through a router that is killed in the midst. */
  @Test
  void aKilledRouterLeavesRowsAndEntriesTogether() throws Exception {
    try (RouterServer victim = RouterServer.start(cluster)) {
      List<CompletableFuture<Integer>> sessions = new ArrayList<>();
      for (int session = 0; session < 4; session++) {
        SplittableRandom random = new SplittableRandom(System.nanoTime());
        Connection connection = victim.connect();
        sessions.add(CompletableFuture.supplyAsync(() -> disturb(connection, random)));
      }
      TimeUnit.MILLISECONDS.sleep(1500);
      victim.kill();
      int committed = 0;
      for (CompletableFuture<Integer> session : sessions) {
        committed += session.get(60, TimeUnit.SECONDS);
      }
      assertTrue(committed > 0);
    }
    awaitNothingPrepared();
    everyRowHasItsEntry();
  }

  private static int disturb(Connection connection, SplittableRandom random) {
    int done = 0;
    try (connection) {
      while (true) {
        String answer = answer(connection, statement(random));
        if (answer.startsWith("08")) {
          return done; // the router is gone
        }
        done += answer.startsWith("count 1") ? 1 : 0;
      }
    } catch (SQLException e) {
      return done;
    }
  }

  private void awaitNothingPrepared() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (LocalNode one : cluster.nodes()) {
      try (Connection connection = one.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        String open =
            "SELECT (SELECT count(*) FROM pg_prepared_xacts) + (SELECT count(*) FROM"
                + " pg_stat_activity WHERE state LIKE 'idle in transaction%')";
        while (!text(statement, open).equals("0")) {
          assertTrue(System.nanoTime() < deadline, "transactions are still open on " + one);
          TimeUnit.MILLISECONDS.sleep(100);
        }
      }
    }
  }

  @Test
  void whatNoRouterKeepsIsRefused() throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "INSERT INTO person VALUES (1, 'a')");
      for (LocalNode one : cluster.nodes()) {
        try (Connection direct = one.connect()) {
          for (String sql :
              List.of(
                  "DELETE FROM person", "UPDATE person SET email = 'stolen'", "TRUNCATE person")) {
            boolean concerned =
                sql.startsWith("TRUNCATE") || answer(direct, "SELECT id FROM person").contains("1");
            if (concerned) {
              assertEquals("0A000", answer(direct, sql).substring(0, 5), sql);
            }
          }
        }
      }
      for (String sql :
          List.of(
              "INSERT INTO person VALUES (5, 'a') ON CONFLICT DO NOTHING",
              "INSERT INTO person VALUES (5, 'a') ON CONFLICT (email) DO UPDATE SET visits = 1",
              "ALTER TABLE person DISABLE TRIGGER ALL",
              "ALTER TABLE person DROP COLUMN email CASCADE",
              "SELECT create_lookup_index('person', 'visits')",
              "CREATE UNIQUE INDEX ON person (visits)")) {
        assertEquals("0A000", answer(routed, sql).substring(0, 5), sql);
      }
      run(routed, "CREATE UNIQUE INDEX ON person (email)");
      everyRowHasItsEntry();
      run(routed, "TRUNCATE person");
    }
    everyRowHasItsEntry();
  }

  /** What functions and foreign keys change, no router is told: the transaction does not commit. */
  @Test
  void changesOutOfTheRoutersSightDoNotCommit() throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "DROP TABLE IF EXISTS pet");
      run(
          routed,
          "CREATE TABLE pet (owner int REFERENCES person ON DELETE CASCADE, chip text, PRIMARY KEY"
              + " (owner, chip))");
      run(routed, "SELECT create_distributed_table('pet', 'owner', colocate_with => 'person')");
      run(routed, "SELECT create_lookup_index('pet', 'chip')");
      run(
          routed,
          "CREATE OR REPLACE PROCEDURE rename_person(who int, mail text) LANGUAGE plpgsql AS $$"
              + " BEGIN UPDATE person SET email = mail WHERE id = who; END $$");
      run(
          routed,
          "CALL create_distributed_procedure('rename_person(int, text)', 'who', colocate_with =>"
              + " 'person')");
      run(routed, "INSERT INTO person VALUES (1, 'a'), (2, 'b')");
      run(routed, "INSERT INTO pet VALUES (1, 'x')");
      for (String sql :
          List.of(
              "CALL rename_person(1, 'z')",
              "EXPLAIN ANALYZE UPDATE person SET email = 'z' WHERE id = 1")) {
        assertEquals("0A000", answer(routed, sql).substring(0, 5), sql);
      }
      assertEquals("[[1, a, 0], [2, b, 0]]", answer(routed, "SELECT * FROM person"));
      assertEquals("count 1", answer(routed, "DELETE FROM person WHERE email = 'a'"));
      assertEquals("count 1", answer(routed, "INSERT INTO pet VALUES (2, 'x')"));
      run(routed, "SELECT drop_lookup_index('person', 'email')"); // nothing leads to pet now
      assertEquals("0A000", answer(routed, "DELETE FROM person WHERE id = 2").substring(0, 5));
      run(routed, "DROP PROCEDURE rename_person");
      run(routed, "DROP TABLE pet");
    }
  }

  @Test
  void anIndexGoesWithItsTableOrAlone() throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "ALTER TABLE person RENAME COLUMN email TO mail");
      run(routed, "ALTER TABLE person RENAME TO people");
      run(routed, "INSERT INTO people VALUES (1, 'a')");
      assertEquals("23505", answer(routed, "INSERT INTO people VALUES (2, 'a')").substring(0, 5));
      assertEquals("[[1]]", answer(routed, "SELECT id FROM people WHERE mail = 'a'"));
      run(routed, "SELECT drop_lookup_index('people', 'mail')");
      run(routed, "INSERT INTO people VALUES (2, 'a')");
      assertEquals(
          "42704", answer(routed, "SELECT drop_lookup_index('people', 'mail')").substring(0, 5));
      run(routed, "DELETE FROM people");
      run(routed, "SELECT create_lookup_index('people', 'mail')");
      run(routed, "DROP TABLE people");
    }
    nothingIsLeftOfIndexes();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TABLE person",
        "SELECT undistribute_table('person')",
        "SELECT drop_lookup_index('person', 'phone'), drop_lookup_index('person', 'email')"
      })
  void twoIndexesOfATableGoTogetherOrOneAfterTheOther(String end) throws SQLException {
    try (Connection routed = router.connect()) {
      run(routed, "ALTER TABLE person ADD phone text");
      run(routed, "SELECT create_lookup_index('person', 'phone')");
      run(routed, "INSERT INTO person VALUES (1, 'a', 0, 'x')");
      assertEquals(
          "23505", answer(routed, "INSERT INTO person VALUES (2, 'b', 0, 'x')").substring(0, 5));
      assertEquals("[[1]]", answer(routed, "SELECT id FROM person WHERE phone = 'x'"));
      run(routed, "DELETE FROM person");
      for (String one : end.split("(?<=\\)), ")) {
        run(routed, one.startsWith("drop_") ? "SELECT " + one : one);
      }
    }
    nothingIsLeftOfIndexes();
  }

  private void nothingIsLeftOfIndexes() throws SQLException {
    for (LocalNode one : cluster.nodes()) {
      try (Connection connection = one.connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        assertEquals("0", text(statement, "SELECT count(*) FROM abelian.lookup_index"));
        assertEquals(
            "0",
            text(statement, "SELECT count(*) FROM pg_class WHERE relname ~ '^lookup_[0-9]+$'"));
      }
    }
  }
}
