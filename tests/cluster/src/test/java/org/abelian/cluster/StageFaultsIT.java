package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.abelian.harness.Fault;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What happens when something fails in the midst of a statement over several nodes: the client gets
 * an error, nothing is changed, nothing is left on any node, and the session goes on.
 */
class StageFaultsIT {
  private static final int QUIET_SECONDS_MAX = 10;

  /** A statement of each execution over several nodes; {@code %s} is a condition on a row. */
  enum Kind {
    SCATTER("SELECT id, n FROM item WHERE id <= 40 AND %s"),
    GATHER("SELECT sum(n), count(*) FROM item WHERE %s"),
    JOIN("SELECT count(*), sum(i.n) FROM item i JOIN other o ON o.ref = i.id WHERE %s"),
    BROADCAST("SELECT count(*), sum(i.n) FROM item i JOIN other o ON o.ref <= i.id WHERE %s"),
    REPARTITION("SELECT count(*), sum(i.n) FROM item i JOIN other o ON o.ref = i.id WHERE %s"),
    /** Without SKIP LOCKED nodes run it one after the other: there is nobody to cancel. */
    LOCKING("SELECT id FROM item WHERE %s ORDER BY n, id LIMIT 3 FOR UPDATE SKIP LOCKED"),
    UPDATE("UPDATE item SET n = n + 1 WHERE %s"),
    INSERT_SELECT("INSERT INTO target SELECT i.n + i.id, i.n FROM item i WHERE %s"),
    UPDATE_BY_OTHERS("UPDATE item i SET n = n + 1 FROM other o WHERE o.ref = i.id AND %s"),
    MOVED("UPDATE item SET id = id + 1000 WHERE %s"),
    UPSERT(
        "INSERT INTO target VALUES (1, 1), (2, 2), (3, 3) ON CONFLICT (id) DO UPDATE SET n ="
            + " (SELECT sum(i.n) FROM item i WHERE %s)"),
    MERGE(
        "MERGE INTO item t USING (SELECT i.id, i.n FROM item i WHERE %s) s ON t.id = s.id + 7 WHEN"
            + " MATCHED THEN UPDATE SET n = s.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id +"
            + " 1000, s.n)");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    String with(String condition) {
      return text.formatted(condition);
    }

    String setting() {
      return this == JOIN
          ? "SET abelian.plan_exchanges = off"
          : "SET abelian.min_broadcast_size = "
              + (this == BROADCAST || this == REPARTITION ? "0" : "-1");
    }
  }

  private static final String STATE =
      "SELECT (SELECT concat(count(*), ' ', sum(n), ' ', sum(id)) FROM item),"
          + " (SELECT concat(count(*), ' ', sum(n)) FROM target)";

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    try (Connection connection = connect()) {
      run(connection, "CREATE TABLE item (id int PRIMARY KEY, n int, note text)");
      run(connection, "CREATE TABLE other (id int PRIMARY KEY, ref int)");
      run(connection, "CREATE TABLE target (id int PRIMARY KEY, n int)");
      run(connection, "SELECT create_distributed_table('item', 'id')");
      run(connection, "SELECT create_distributed_table('other', 'id', colocate_with => 'none')");
      run(connection, "SELECT create_distributed_table('target', 'id')");
      run(
          connection,
          "CREATE FUNCTION slow(n int) RETURNS boolean STABLE LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_sleep(0.05); RETURN true; END'");
      run(
          connection,
          "CREATE FUNCTION fails_or_sleeps(n int, bad int) RETURNS boolean STABLE LANGUAGE plpgsql"
              + " AS 'BEGIN IF n = bad THEN RETURN 1 / 0 > 0; END IF; PERFORM pg_sleep(60);"
              + " RETURN true; END'");
    }
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void fill() throws SQLException {
    try (Connection connection = connect()) {
      run(connection, "TRUNCATE item, other, target");
      run(
          connection,
          "INSERT INTO item SELECT i, i % 7, repeat('x', 50) FROM generate_series(1, 60) i");
      run(connection, "INSERT INTO other SELECT i, i * 2 FROM generate_series(1, 30) i");
      run(connection, "ANALYZE item, other");
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        cluster.router().jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  private static List<String> run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      List<String> answer = new ArrayList<>();
      if (!statement.execute(sql)) {
        answer.add("count " + statement.getUpdateCount());
        return answer;
      }
      ResultSet rows = statement.getResultSet();
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.append(rows.getString(i)).append('|');
        }
        answer.add(row.toString());
      }
      answer.sort(null);
      return answer;
    }
  }

  private static List<String> answer(Connection connection, String sql) {
    try {
      return run(connection, sql);
    } catch (SQLException error) {
      return List.of("error " + error.getSQLState());
    }
  }

  private static List<String> state() throws SQLException {
    try (Connection connection = connect()) {
      return run(connection, STATE);
    }
  }

  /** What the statement answers when nothing fails, and what was there before. */
  private record Expected(List<String> answer, List<String> before) {}

  private Expected expected(Kind kind) throws SQLException {
    List<String> before = state();
    return new Expected(changeAndRollBack(kind, kind.with("true")), before);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aTimeoutOrACancelEndsItOnAllNodes(Kind kind) throws Exception {
    Expected expected = expected(kind);
    String slow = kind.with("slow(n)".replace("n", kind.text.contains(" i ") ? "i.n" : "n"));
    try (Connection connection = connect()) {
      run(connection, kind.setting());
      run(connection, "SET statement_timeout = '300ms'");
      assertEquals(List.of("error 57014"), answer(connection, slow), kind.toString());
      run(connection, "RESET statement_timeout");
      assertNothingIsLeft(kind + " timed out");
      try (Statement statement = connection.createStatement()) {
        CompletableFuture<Void> cancel =
            CompletableFuture.runAsync(
                () -> cancel(statement),
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
        SQLException error = failure(statement, slow);
        cancel.get(10, TimeUnit.SECONDS);
        assertEquals("57014", error.getSQLState(), kind.toString());
      }
      assertNothingIsLeft(kind + " cancelled");
      assertEquals(expected.before(), run(connection, STATE));
      assertEquals(expected.answer(), run(connection, kind.with("true")));
    }
  }

  private static void cancel(Statement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SQLException failure(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException error) {
      return error;
    }
    throw new AssertionError("it should not pass: " + sql);
  }

  @Test
  void temporaryFilesWithoutRoomEndItOnAllNodes() throws Exception {
    String sorts =
        "SELECT max(x), count(*) FROM (SELECT i.id, string_agg(i.note, '' ORDER BY g.g) AS x FROM"
            + " item i, generate_series(1, 4000) AS g (g) GROUP BY i.id ORDER BY 2) s JOIN other o"
            + " ON o.ref = s.id";
    try (Connection connection = connect()) {
      run(connection, "SET temp_file_limit = 0");
      run(connection, "SET work_mem = '64kB'");
      assertEquals(List.of("error 53400"), answer(connection, sorts));
      run(connection, "RESET temp_file_limit");
      assertNothingIsLeft("full disk");
      assertNotEquals(List.of(), run(connection, "SELECT count(*) FROM item"));
    }
  }

  /** The other nodes would sleep for a minute for each row. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void whenOneNodeFailsTheOthersAreCancelledAtOnce(Kind kind) throws Exception {
    String alias = kind.text.contains(" i ") ? "i." : "";
    for (int bad : List.of(aKeyOf(0), aKeyOf(1))) {
      String condition =
          "(%1$sid = %2$s OR %1$sid = %3$s) AND fails_or_sleeps(%1$sid, %4$s)"
              .formatted(alias, aKeyOf(0), aKeyOf(1), bad);
      long begin = System.nanoTime();
      try (Connection connection = connect()) {
        run(connection, kind.setting());
        assertEquals(List.of("error 22012"), answer(connection, kind.with(condition)));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        assertTrue(seconds < 20, kind + " took " + seconds + " s");
        assertNothingIsLeft(kind + " failed");
        assertEquals(List.of("60|"), run(connection, "SELECT count(*) FROM item"));
      }
    }
  }

  /** Statements in steps, and a part of the text that begins each step on a node. */
  private static Stream<Arguments> stepsOfChanges() {
    return Stream.of(
        Arguments.of(Kind.MERGE, "FROM item i"),
        Arguments.of(Kind.MERGE, "MERGE INTO"),
        Arguments.of(Kind.MERGE, "INSERT INTO item"),
        Arguments.of(Kind.UPSERT, "FROM item i"),
        Arguments.of(Kind.UPSERT, "ON CONFLICT"));
  }

  @ParameterizedTest
  @MethodSource("stepsOfChanges")
  void aConnectionThatIsCutBeforeAStepLeavesNothing(Kind kind, String step) throws Exception {
    failAtStep(kind, step, Fault.cut(Fault.Moment.BEFORE, step));
  }

  @ParameterizedTest
  @MethodSource("stepsOfChanges")
  void aNodeThatIsKilledBeforeAStepLeavesNothing(Kind kind, String step) throws Exception {
    failAtStep(kind, step, Fault.cut(Fault.Moment.BEFORE, step, cluster.node(1)::kill));
  }

  private void failAtStep(Kind kind, String step, Fault described) throws Exception {
    String text = kind.with("i.id > 0");
    List<String> expected = changeAndRollBack(kind, text);
    List<String> before = state();
    try (Connection connection = connect()) {
      run(connection, kind.setting());
      Fault fault = cluster.proxy(1).arm(described);
      String error = String.join(" ", answer(connection, text));
      assertTrue(fault.hasStruck(QUIET_SECONDS_MAX), kind + " has no step " + step);
      assertTrue(error.startsWith("error 08") || error.startsWith("error 57P"), error);
    } finally {
      cluster.heal();
    }
    assertNothingIsLeft(kind + " failed at " + step);
    assertEquals(List.of(), cluster.preparedAfterRecovery());
    assertEquals(before, state());
    assertEquals(expected, changeAndRollBack(kind, text));
  }

  private static List<String> changeAndRollBack(Kind kind, String text) throws SQLException {
    try (Connection connection = connect()) {
      run(connection, kind.setting());
      connection.setAutoCommit(false);
      List<String> answer = run(connection, text);
      connection.rollback();
      return answer;
    }
  }

  private static int aKeyOf(int node) throws SQLException {
    return (int)
        ProxiedCluster.number(
            cluster.node(node), "SELECT min(id) FROM item WHERE id % 2 = 0 AND id <= 40");
  }

  /** Neither locks nor open or prepared transactions, nor temporary tables. */
  private static void assertNothingIsLeft(String what) throws Exception {
    String open =
        "SELECT (SELECT count(*) FROM pg_prepared_xacts)"
            + " + (SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND"
            + " backend_type = 'client backend' AND (state LIKE 'idle in transaction%' OR state ="
            + " 'active' AND query ~ '(item|other|target)'))"
            + " + (SELECT count(*) FROM pg_locks WHERE relation IN ('item'::regclass,"
            + " 'other'::regclass, 'target'::regclass) AND pid <> pg_backend_pid())"
            + " + (SELECT count(*) FROM pg_class WHERE relpersistence = 't')";
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(QUIET_SECONDS_MAX);
    for (LocalNode node : cluster.nodes()) {
      long left = ProxiedCluster.number(node, open);
      while (left > 0 && System.nanoTime() < deadline) {
        Thread.sleep(20);
        left = ProxiedCluster.number(node, open);
      }
      assertEquals(0, left, what + " on " + node);
    }
  }
}
