package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringReader;
import java.io.StringWriter;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.PSQLException;

/** What a JDBC client relies on, whichever face of the router it talks to and in whichever mode. */
abstract class JdbcContract {
  private static final int ROWS = 300;

  /** Keys of rows that lie on different nodes, at least {@link #SPREAD} of each. */
  private static final int SPREAD = 40;

  private Connection connection;
  private final List<Integer> onFirst = new ArrayList<>();
  private final List<Integer> onSecond = new ArrayList<>();

  /** A URL with nothing but the face and the mode in it. */
  abstract String url();

  /**
   * True when statements are parsed, described and batched; pgjdbc does none of this with simple
   * queries.
   */
  boolean isExtended() {
    return true;
  }

  /** Direct connections to the nodes, to look behind the router. */
  abstract List<LocalNode> nodes();

  @BeforeEach
  void createTable() throws SQLException {
    connection = open();
    execute("DROP TABLE IF EXISTS kv");
    execute("CREATE TABLE kv (k int PRIMARY KEY, v int NOT NULL)");
    execute("SELECT create_distributed_table('kv', 'k')");
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO kv VALUES (?, 0)")) {
      for (int k = 1; k <= ROWS; k++) {
        insert.setInt(1, k);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    onFirst.addAll(keysOn(0));
    onSecond.addAll(keysOn(1));
    assertTrue(onFirst.size() >= SPREAD && onSecond.size() >= SPREAD, "keys are spread");
  }

  @AfterEach
  void close() throws SQLException {
    if (!connection.isClosed()) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      execute("DROP TABLE IF EXISTS kv");
      connection.close();
    }
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection(url(), LocalNode.USER, LocalNode.USER);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<Integer> keysOn(int node) throws SQLException {
    List<Integer> keys = new ArrayList<>();
    try (Connection direct = nodes().get(node).connect();
        Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery("SELECT k FROM kv ORDER BY k")) {
      while (rows.next()) {
        keys.add(rows.getInt(1));
      }
    }
    return keys;
  }

  private int direct(int node, String sql) throws SQLException {
    try (Connection direct = nodes().get(node).connect();
        Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private int value(int k) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT v FROM kv WHERE k = ?")) {
      select.setInt(1, k);
      try (ResultSet rows = select.executeQuery()) {
        assertTrue(rows.next(), "row " + k);
        return rows.getInt(1);
      }
    }
  }

  private int increment(int k) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE kv SET v = v + 1 WHERE k = ?")) {
      update.setInt(1, k);
      return update.executeUpdate();
    }
  }

  private static void assertState(String state, SQLException error) {
    assertEquals(state, error.getSQLState(), error.getMessage());
  }

  @Test
  void selectsFindTheirNodeAtEachExecutionOfOneStatement() throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT v, k FROM kv WHERE k = ?")) {
      for (int i = 0; i < SPREAD; i++) {
        int k = i % 2 == 0 ? onFirst.get(i) : onSecond.get(i);
        select.setInt(1, k);
        try (ResultSet rows = select.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(k, rows.getInt(2));
          assertFalse(rows.next());
        }
      }
    }
  }

  @Test
  void keysOfAnyTypeFindTheSameRow() throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT k FROM kv WHERE k = ?");
        PreparedStatement cast = connection.prepareStatement("SELECT k FROM kv WHERE k = ?::int")) {
      for (int i = 0; i < 12; i++) {
        int k = onSecond.get(i);
        select.setLong(1, k);
        assertOneKey(k, select);
        select.setShort(1, (short) k);
        assertOneKey(k, select);
        cast.setString(1, Integer.toString(k));
        assertOneKey(k, cast);
      }
      select.setNull(1, Types.INTEGER);
      try (ResultSet rows = select.executeQuery()) {
        assertFalse(rows.next());
      }
    }
    try (Statement literal = connection.createStatement();
        ResultSet rows = literal.executeQuery("SELECT k FROM kv WHERE k = " + onSecond.get(3))) {
      assertTrue(rows.next());
      assertEquals(onSecond.get(3), rows.getInt(1));
    }
  }

  private static void assertOneKey(int k, PreparedStatement select) throws SQLException {
    try (ResultSet rows = select.executeQuery()) {
      assertTrue(rows.next(), "row " + k);
      assertEquals(k, rows.getInt(1));
    }
  }

  @Test
  void updateCountsAreThoseOfTheNode() throws SQLException {
    int k = onSecond.get(5);
    for (int i = 0; i < 10; i++) {
      assertEquals(1, increment(k));
    }
    assertEquals(0, increment(-5));
    assertEquals(10, direct(1, "SELECT v FROM kv WHERE k = " + k));
  }

  @Test
  void batchesOverSeveralNodesAnswerInTheOrderOfTheClient() throws SQLException {
    for (boolean autocommit : new boolean[] {true, false}) {
      for (int size : new int[] {6, 100, 1000}) {
        runBatch(autocommit, size);
      }
    }
  }

  private void runBatch(boolean autocommit, int size) throws SQLException {
    connection.setAutoCommit(autocommit);
    int before = direct(0, "SELECT sum(v) FROM kv");
    int beforeSecond = direct(1, "SELECT sum(v) FROM kv");
    int first = 0;
    int second = 0;
    int[] expected = new int[size];
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE kv SET v = v + 1 WHERE k = ?")) {
      for (int i = 0; i < size; i++) {
        int k = i % 5 == 4 ? -i : (i % 3 == 0 ? onFirst : onSecond).get(i % SPREAD);
        expected[i] = k < 0 ? 0 : 1;
        first += k > 0 && i % 3 == 0 ? 1 : 0;
        second += k > 0 && i % 3 != 0 ? 1 : 0;
        update.setInt(1, k);
        update.addBatch();
      }
      assertArrayEquals(expected, update.executeBatch());
    }
    if (!autocommit) {
      assertEquals(before, direct(0, "SELECT sum(v) FROM kv"), "not committed yet");
      connection.commit();
      connection.setAutoCommit(true);
    }
    assertEquals(before + first, direct(0, "SELECT sum(v) FROM kv"));
    assertEquals(beforeSecond + second, direct(1, "SELECT sum(v) FROM kv"));
  }

  @Test
  void anErrorInAnAutocommitBatchUndoesItOnEveryNode() throws SQLException {
    assumeTrue(isExtended());
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE kv SET v = v + 10 / ?::int WHERE k = ?")) {
      for (int i = 0; i < 10; i++) {
        update.setInt(1, i == 9 ? 0 : 1);
        update.setInt(2, (i % 2 == 0 ? onFirst : onSecond).get(3));
        update.addBatch();
      }
      assertState("22012", assertThrows(BatchUpdateException.class, update::executeBatch));
    }
    assertEquals(0, value(onFirst.get(3)));
    assertEquals(0, value(onSecond.get(3)));
  }

  @Test
  void multiRowInsertsAreSplit() throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO kv VALUES (?, ?), (?, ?), (?, ?), (?, ?)")) {
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 4; i++) {
          insert.setInt(2 * i + 1, 1000 + 4 * round + i);
          insert.setInt(2 * i + 2, i);
        }
        assertEquals(4, insert.executeUpdate());
      }
    }
    for (int i = 0; i < 32; i++) {
      assertEquals(i % 4, value(1000 + i));
    }
  }

  @Test
  void transactionsOnOneNodeCommitAndRollBack() throws SQLException {
    connection.setAutoCommit(false);
    int k = onSecond.get(7);
    for (int i = 0; i < 8; i++) {
      int before = value(k);
      increment(k);
      assertEquals(before + 1, value(k), "its own write");
      if (i % 2 == 0) {
        connection.rollback();
      } else {
        connection.commit();
      }
      assertEquals(before + i % 2, direct(1, "SELECT v FROM kv WHERE k = " + k));
    }
    connection.rollback();
    connection.commit();
  }

  @Test
  void transactionsOverSeveralNodesCommitAndRollBackAsOne() throws SQLException {
    connection.setAutoCommit(false);
    int one = onFirst.get(1);
    int other = onSecond.get(1);
    increment(one);
    increment(other);
    connection.rollback();
    assertEquals(0, value(one));
    assertEquals(0, value(other));
    increment(one);
    increment(other);
    connection.commit();
    assertEquals(1, direct(0, "SELECT v FROM kv WHERE k = " + one));
    assertEquals(1, direct(1, "SELECT v FROM kv WHERE k = " + other));
    for (int node = 0; node < 2; node++) {
      assertEquals(0, direct(node, "SELECT count(*) FROM pg_prepared_xacts"));
    }
  }

  @Test
  void savepointsHoldOnNodesThatJoinLater() throws SQLException {
    connection.setAutoCommit(false);
    increment(onFirst.get(2));
    Savepoint savepoint = connection.setSavepoint();
    increment(onSecond.get(2));
    increment(onFirst.get(2));
    connection.rollback(savepoint);
    increment(onSecond.get(4));
    connection.releaseSavepoint(savepoint);
    connection.commit();
    assertEquals(1, value(onFirst.get(2)));
    assertEquals(0, value(onSecond.get(2)));
    assertEquals(1, value(onSecond.get(4)));
  }

  @Test
  void aFailedTransactionGoesOnAfterRollbackToASavepointOnAllNodes() throws SQLException {
    connection.setAutoCommit(false);
    increment(onFirst.get(6));
    increment(onSecond.get(6));
    Savepoint savepoint = connection.setSavepoint();
    increment(onFirst.get(6));
    assertState(
        "22012",
        assertThrows(
            SQLException.class,
            () -> execute("UPDATE kv SET v = v / 0 WHERE k = " + onSecond.get(6))));
    assertState("25P02", assertThrows(SQLException.class, () -> value(onFirst.get(6))));
    connection.rollback(savepoint);
    increment(onSecond.get(6));
    connection.commit();
    assertEquals(1, value(onFirst.get(6)));
    assertEquals(2, value(onSecond.get(6)));
  }

  @Test
  void errorsKeepTheirFields() throws SQLException {
    for (int i = 0; i < 8; i++) {
      int k = (i % 2 == 0 ? onFirst : onSecond).get(2);
      PSQLException duplicate =
          assertThrows(PSQLException.class, () -> execute("INSERT INTO kv VALUES (" + k + ", 1)"));
      assertState("23505", duplicate);
      assertEquals("kv_pkey", duplicate.getServerErrorMessage().getConstraint());
      assertEquals(
          "Key (k)=(" + k + ") already exists.", duplicate.getServerErrorMessage().getDetail());
      PSQLException column =
          assertThrows(PSQLException.class, () -> execute("SELECT nosuch FROM kv WHERE k = " + k));
      assertState("42703", column);
      assertEquals(8, column.getServerErrorMessage().getPosition());
      assertState(
          "22012",
          assertThrows(SQLException.class, () -> execute("SELECT 1/(v-v) FROM kv WHERE k = " + k)));
      value(k);
    }
  }

  @Test
  void aFailedTransactionRefusesEverythingUntilRollback() throws SQLException {
    connection.setAutoCommit(false);
    int k = onSecond.get(3);
    increment(k);
    assertState(
        "22012",
        assertThrows(SQLException.class, () -> execute("UPDATE kv SET v = v/0 WHERE k = " + k)));
    assertState("25P02", assertThrows(SQLException.class, () -> value(k)));
    connection.rollback();
    assertEquals(0, value(k));
    connection.commit();
  }

  @Test
  void ddlReachesEveryNode() throws SQLException {
    execute("CREATE TABLE everywhere (a int)");
    for (LocalNode node : nodes()) {
      try (Connection direct = node.connect();
          Statement statement = direct.createStatement()) {
        statement.execute("SELECT a FROM everywhere");
      }
    }
    execute("DROP TABLE everywhere");
  }

  @Test
  void referenceTablesAreTheSameOnEveryNode() throws SQLException {
    execute("CREATE TABLE items (i int PRIMARY KEY, name text)");
    try {
      execute("SELECT create_reference_table('items')");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO items VALUES (?, ?)")) {
        for (int i = 0; i < 20; i++) {
          insert.setInt(1, i);
          insert.setString(2, "item " + i);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      for (int node = 0; node < nodes().size(); node++) {
        assertEquals(20, direct(node, "SELECT count(*) FROM items"));
      }
      try (PreparedStatement join =
          connection.prepareStatement("SELECT name FROM kv JOIN items ON v = i WHERE k = ?")) {
        for (int k : List.of(onFirst.get(0), onSecond.get(0))) {
          join.setInt(1, k);
          try (ResultSet rows = join.executeQuery()) {
            assertTrue(rows.next());
            assertEquals("item 0", rows.getString(1));
          }
        }
      }
    } finally {
      execute("DROP TABLE items");
    }
  }

  @Test
  void metadataComeFromOneNode() throws SQLException {
    try (ResultSet rows =
        connection.getMetaData().getTables(null, "public", "kv", new String[] {"TABLE"})) {
      assertTrue(rows.next());
      assertFalse(rows.next(), "once, not once for each node");
    }
    try (ResultSet rows = connection.getMetaData().getColumns(null, "public", "kv", "%")) {
      assertTrue(rows.next());
      assertEquals("k", rows.getString("COLUMN_NAME"));
    }
    try (ResultSet rows = connection.getMetaData().getPrimaryKeys(null, "public", "kv")) {
      assertTrue(rows.next());
    }
    assertTrue(connection.isValid(2));
    assumeTrue(isExtended());
    try (PreparedStatement select = connection.prepareStatement("SELECT v FROM kv WHERE k = ?")) {
      assertEquals(1, select.getMetaData().getColumnCount());
      assertEquals(1, select.getParameterMetaData().getParameterCount());
    }
  }

  @Test
  void copyPassesBothWays() throws Exception {
    execute("CREATE TABLE plain (id int PRIMARY KEY, t text)");
    try {
      StringBuilder data = new StringBuilder();
      for (int i = 1; i <= 50_000; i++) {
        data.append(i).append("\tsome text ").append(i).append('\n');
      }
      PGConnection postgres = connection.unwrap(PGConnection.class);
      assertEquals(
          50_000,
          postgres.getCopyAPI().copyIn("COPY plain FROM STDIN", new StringReader(data.toString())));
      StringWriter copy = new StringWriter();
      assertEquals(50_000, postgres.getCopyAPI().copyOut("COPY plain TO STDOUT", copy));
      assertEquals(data.toString(), copy.toString());
      SQLException error =
          assertThrows(
              SQLException.class,
              () ->
                  postgres
                      .getCopyAPI()
                      .copyIn("COPY plain FROM STDIN", new StringReader("x\ty\n")));
      assertState("22P02", error);
      value(1);
    } finally {
      execute("DROP TABLE plain");
    }
  }

  @Test
  void copyDividesTheRowsOfADistributedTable() throws Exception {
    StringBuilder data = new StringBuilder();
    for (int k = 10_001; k <= 60_000; k++) {
      data.append(k).append('\t').append(k).append('\n');
    }
    CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
    assertEquals(50_000, copy.copyIn("COPY kv FROM STDIN", new StringReader(data.toString())));
    for (int k = 10_001; k <= 60_000; k += 997) {
      assertEquals(k, value(k));
    }
    SQLException error =
        assertThrows(
            SQLException.class,
            () -> copy.copyIn("COPY kv FROM STDIN", new StringReader("70000\t1\n1\t1\n")));
    assertState("23505", error);
    assertEquals(0, direct(0, "SELECT count(*) FROM kv WHERE k = 70000"));
    assertEquals(0, direct(1, "SELECT count(*) FROM kv WHERE k = 70000"));
  }

  @Test
  void cursorsFetchInPortions() throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement select =
        connection.prepareStatement("SELECT i FROM generate_series(1, 5000) i")) {
      select.setFetchSize(1000);
      for (int round = 0; round < 7; round++) {
        try (ResultSet rows = select.executeQuery()) {
          int count = 0;
          while (rows.next()) {
            assertEquals(++count, rows.getInt(1));
          }
          assertEquals(5000, count);
        }
      }
    }
    try (PreparedStatement select = connection.prepareStatement("SELECT k FROM kv")) {
      select.setFetchSize(7);
      try (ResultSet rows = select.executeQuery()) {
        int count = 0;
        while (rows.next()) {
          count++;
        }
        assertEquals(ROWS, count, "rows of all nodes");
      }
    }
    connection.commit();
  }

  @Test
  void largeValuesPass() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT repeat('y', 5000000), 7 UNION ALL SELECT repeat('z', 20000), 8")) {
      assertTrue(rows.next());
      assertEquals(5_000_000, rows.getString(1).length());
      assertTrue(rows.next());
      assertEquals(20_000, rows.getString(1).length());
      assertFalse(rows.next());
    }
    try (PreparedStatement select = connection.prepareStatement("SELECT length(?)")) {
      for (int i = 0; i < 7; i++) {
        select.setString(1, "q".repeat(3_000_000));
        try (ResultSet rows = select.executeQuery()) {
          rows.next();
          assertEquals(3_000_000, rows.getInt(1));
        }
      }
    }
  }

  @Test
  void generatedKeysOfABatchComeInOrder() throws SQLException {
    execute("CREATE TABLE numbered (id serial PRIMARY KEY, t text)");
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO numbered(t) VALUES (?)", new String[] {"id"})) {
      for (int i = 0; i < 300; i++) {
        insert.setString(1, "x" + i);
        insert.addBatch();
      }
      assertEquals(300, insert.executeBatch().length);
      try (ResultSet rows = insert.getGeneratedKeys()) {
        for (int i = 1; i <= 300; i++) {
          assertTrue(rows.next());
          assertEquals(i, rows.getInt(1));
        }
      }
    } finally {
      execute("DROP TABLE numbered");
    }
  }

  @Test
  void aQueryTimeoutCancelsAndTheSessionGoesOn() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      assertState(
          "57014",
          assertThrows(SQLException.class, () -> statement.execute("SELECT pg_sleep(60)")));
    }
    value(onSecond.get(0));
  }

  @Test
  void settingsFollowToEveryNode() throws SQLException {
    execute("SET work_mem = '7MB'");
    for (int k : List.of(onFirst.get(1), onSecond.get(1), onFirst.get(2), onSecond.get(2))) {
      assertEquals("7MB", setting(k));
    }
    connection.setAutoCommit(false);
    value(onFirst.get(1));
    execute("SET work_mem = '8MB'");
    assertEquals("8MB", setting(onSecond.get(1)));
    connection.rollback();
    assertEquals("7MB", setting(onFirst.get(1)));
    assertEquals("7MB", setting(onSecond.get(1)));
    execute("SET LOCAL work_mem = '9MB'");
    assertEquals("9MB", setting(onSecond.get(1)));
    connection.commit();
    assertEquals("7MB", setting(onSecond.get(1)));
    connection.commit();
    connection.setAutoCommit(true);
    execute("RESET work_mem");
    assertEquals("4MB", setting(onFirst.get(1)));
    assertEquals("4MB", setting(onSecond.get(1)));
  }

  private String setting(int k) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT current_setting('work_mem') FROM kv WHERE k = " + k)) {
      assertTrue(rows.next());
      return rows.getString(1);
    }
  }

  @Test
  void theSessionsIsolationLevelHoldsOnEveryNode() throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    for (List<Integer> keys : List.of(onFirst, onSecond)) {
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT current_setting('transaction_isolation') FROM kv WHERE k = "
                      + keys.get(0))) {
        assertTrue(rows.next());
        assertEquals("serializable", rows.getString(1));
      }
    }
    for (String choice : List.of("snapshot", "per_node")) {
      execute("SET abelian.distributed_isolation = '" + choice + "'");
      connection.setAutoCommit(false);
      value(onFirst.get(0));
      value(onSecond.get(0));
      connection.commit();
      connection.setAutoCommit(true);
    }
    execute("SET abelian.distributed_isolation = 'one_node'");
    connection.setAutoCommit(false);
    value(onFirst.get(0));
    assertState("0A000", assertThrows(SQLException.class, () -> value(onSecond.get(0))));
    connection.rollback();
    connection.setAutoCommit(true);
    execute("RESET abelian.distributed_isolation");
  }

  @Test
  void notificationsCanBePolledThoughNoneCome() throws SQLException {
    var notifications = connection.unwrap(PGConnection.class).getNotifications();
    assertTrue(notifications == null || notifications.length == 0);
    execute("LISTEN news");
    notifications = connection.unwrap(PGConnection.class).getNotifications(1);
    assertTrue(notifications == null || notifications.length == 0);
    execute("UNLISTEN *");
    value(onFirst.get(0));
  }

  @Test
  void discardAllForgetsWhatTheSessionMade() throws SQLException {
    execute("CREATE TEMP TABLE mine (a int)");
    execute("INSERT INTO mine VALUES (1)");
    execute("SET work_mem = '7MB'");
    execute("DISCARD ALL");
    assertEquals("4MB", setting(onSecond.get(1)));
    assertState("42P01", assertThrows(SQLException.class, () -> execute("SELECT * FROM mine")));
  }

  @Test
  void aQueryOfSeveralStatementsIsOneTransaction() throws SQLException {
    int one = onFirst.get(8);
    int other = onSecond.get(8);
    String both =
        "UPDATE kv SET v = 5 WHERE k = " + one + "; UPDATE kv SET v = 6 WHERE k = " + other;
    execute(both);
    assertEquals(5, value(one));
    assertEquals(6, value(other));
    assertState(
        "22012",
        assertThrows(
            SQLException.class,
            () -> execute(both.replace("5", "7").replace("6", "8") + "; SELECT 1/0")));
    assertEquals(5, value(one));
    assertEquals(6, value(other));
  }

  @Test
  void readsOverAllNodesGiveAllRows() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT k FROM kv")) {
      int sum = 0;
      while (rows.next()) {
        sum += rows.getInt(1);
      }
      assertEquals(ROWS * (ROWS + 1) / 2, sum);
    }
    try (Statement statement = connection.createStatement()) {
      assertEquals(ROWS, statement.executeUpdate("UPDATE kv SET v = 1"));
      try (ResultSet rows = statement.executeQuery("SELECT count(*), sum(v), max(k) FROM kv")) {
        assertTrue(rows.next());
        assertEquals(ROWS, rows.getInt(1));
        assertEquals(ROWS, rows.getInt(2));
        assertEquals(ROWS, rows.getInt(3));
        assertFalse(rows.next());
      }
    }
    try (PreparedStatement select =
        connection.prepareStatement("SELECT k FROM kv WHERE v = ? ORDER BY k DESC LIMIT ?")) {
      for (int round = 0; round < 7; round++) {
        select.setInt(1, 1);
        select.setInt(2, 5);
        try (ResultSet rows = select.executeQuery()) {
          for (int i = 0; i < 5; i++) {
            assertTrue(rows.next());
            assertEquals(ROWS - i, rows.getInt(1));
          }
          assertFalse(rows.next());
        }
      }
    }
  }

  @Test
  void aWrongPasswordIsTold() {
    SQLException error =
        assertThrows(
            SQLException.class,
            () -> DriverManager.getConnection(url(), LocalNode.USER, "wrong").close());
    assertState("28P01", error);
    SQLException unknown =
        assertThrows(
            SQLException.class, () -> DriverManager.getConnection(url(), "nobody", "x").close());
    assertState("28P01", unknown);
  }

  @Test
  void sessionsDoNotSeeEachOthersSettings() throws SQLException {
    execute("SET work_mem = '7MB'");
    for (int i = 0; i < 5; i++) {
      try (Connection second = open();
          Statement statement = second.createStatement();
          ResultSet rows = statement.executeQuery("SELECT current_setting('work_mem')")) {
        rows.next();
        assertEquals("4MB", rows.getString(1));
      }
    }
    assertNull(connection.getWarnings());
  }

  @Test
  void statementsThatAreParsedAgainSeeAChangedTable() throws SQLException {
    // Statements of pgjdbc's cache would keep their names, and fail once as they do on a node.
    connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 6; i++) {
        assertEquals(2 + round, columns(onFirst.get(i)));
        assertEquals(2 + round, columns(onSecond.get(i)));
      }
      execute("ALTER TABLE kv ADD COLUMN extra" + round + " int");
    }
  }

  private int columns(int k) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT * FROM kv WHERE k = ?")) {
      select.setInt(1, k);
      try (ResultSet rows = select.executeQuery()) {
        assertTrue(rows.next());
        return rows.getMetaData().getColumnCount();
      }
    }
  }

  @Test
  void connectionsOfClosedSessionsAreUsedAgain() throws SQLException {
    int before = backends();
    for (int i = 0; i < 30; i++) {
      try (Connection other = open();
          Statement statement = other.createStatement()) {
        statement.execute("SELECT 1");
      }
    }
    assertTrue(backends() < before + 10, "30 sessions left " + (backends() - before) + " backends");
  }

  private int backends() throws SQLException {
    return direct(0, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'");
  }

  @Test
  void combinedReadsDescribeTheirColumnsAsANodeDoes() throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT k, v::numeric(7, 2) AS n FROM kv WHERE v = ? ORDER BY k LIMIT 2")) {
      for (int round = 0; round < 7; round++) {
        select.setInt(1, 0);
        try (ResultSet rows = select.executeQuery()) {
          assertEquals(7, rows.getMetaData().getPrecision(2));
          assertEquals(2, rows.getMetaData().getScale(2));
          assertEquals(
              "kv", rows.getMetaData().unwrap(PGResultSetMetaData.class).getBaseTableName(1));
          assertTrue(rows.next());
          assertEquals(1, rows.getInt(1));
        }
      }
    }
  }
}
