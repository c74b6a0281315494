package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many clients that add to one row and then use what they have changed: no transaction fails, and
 * no two read the same number, since each has the row for itself from its read to its end.
 */
@WithNode
class AddThenReadIT {
  private static final int TRANSACTIONS = 32;

  /** Of one client, in scripts that may deadlock: each takes a second to be found. */
  private static final int DEADLOCKS_MAX = 10;

  private static final String ADD = "UPDATE {t} SET n = n + 1 WHERE id = 1";
  private static final String READ = "SELECT n FROM {t} WHERE id = 1";

  /** What the clients do; the last number that a transaction gets must be its alone. */
  private enum Script {
    READ_IT(ADD, READ),
    RETURN_IT(ADD, "UPDATE {t} SET n = n + 1 WHERE id = 1 RETURNING n"),
    READ_TWO(
        "UPDATE {t} SET m = m + 1, n = n + 1 WHERE id = 1", "SELECT m, n FROM {t} WHERE id = 1"),
    READ_BY_ANOTHER_COLUMN(ADD, "SELECT n FROM {t} WHERE title = 'x'"),
    READ_BY_ITSELF(ADD, "SELECT n FROM {t} WHERE n > 0"),
    LOCK_IT(ADD, "SELECT n FROM {t} WHERE id = 1 FOR UPDATE"),
    READ_IN_A_FUNCTION(ADD, "SELECT {t}_now()"),
    READ_IN_A_STABLE_FUNCTION(ADD, "SELECT {t}_then()"),
    READ_IN_A_BLOCK("DO $$ BEGIN " + ADD + "; PERFORM n FROM {t}; END $$", READ),
    READ_INTO_A_TABLE(ADD, "INSERT INTO seen SELECT n FROM {t} WHERE id = 1 RETURNING n"),
    READ_AND_ADD(ADD, READ, ADD, READ),
    READ_TWO_ROWS(
        ADD, "UPDATE {t} SET n = n + 1 WHERE id = 2", READ, "SELECT n FROM {t} WHERE id = 2"),
    CALL_A_FUNCTION("SELECT {t}_next()"),
    EXECUTE_IT("EXECUTE add_to(1)", "EXECUTE look_at(1)"),
    READ_LATER(ADD, "UPDATE {t} SET title = 'y' WHERE id = 2", READ),
    CHANGE_A_PLAIN_COLUMN(ADD, "UPDATE {t} SET title = 'x' WHERE id = 1", READ),
    COPY_IT(ADD, "UPDATE {t} SET m = n WHERE id = 1", "SELECT m FROM {t} WHERE id = 1"),
    OVERWRITE_IT(ADD, "UPDATE {t} SET n = n * 1 WHERE id = 1", READ);

    private final List<String> statements;

    Script(String... statements) {
      this.statements = List.of(statements);
    }

    List<String> over(String table) {
      return statements.stream().map(text -> text.replace("{t}", table)).toList();
    }

    /** How often its texts add 1 to n. */
    int additions() {
      return (int)
          statements.stream()
              .filter(text -> text.contains("n = n + 1") && !text.contains("id = 2"))
              .count();
    }

    /** Whether it uses another row between the addition and the read, for which it may wait. */
    boolean comesBack() {
      return this == READ_LATER || this == READ_TWO_ROWS;
    }
  }

  private final LocalNode node;

  AddThenReadIT(LocalNode node) {
    this.node = node;
  }

  /**
   * Whether other types than counters go another way there; else what holds for those is enough.
   */
  private static boolean dependsOnType(Script script) {
    return Set.of(Script.READ_IT, Script.RETURN_IT, Script.COPY_IT, Script.OVERWRITE_IT)
        .contains(script);
  }

  static Stream<Arguments> scripts() {
    return Stream.of(Script.values())
        .flatMap(
            script ->
                Stream.of(
                        Arguments.of(script, "abelian.counter", "auto", 32),
                        Arguments.of(script, "abelian.counter", "always", 8),
                        Arguments.of(script, "bigint", "auto", 8),
                        Arguments.of(script, "abelian.decimal_counter", "auto", 8))
                    .limit(dependsOnType(script) ? 4 : 2));
  }

  @ParameterizedTest(name = "{0}: {1}, split {2}, {3} clients")
  @MethodSource("scripts")
  void nobodyFailsAndEachReadsANumberOfItsOwn(Script script, String type, String split, int clients)
      throws Exception {
    List<String> transaction = script.over("t");
    create(type);
    int count = TRANSACTIONS / clients;
    List<Long> numbers = new ArrayList<>();
    if (script.comesBack()) {
      // Until the first reads have shown that they follow, there may be deadlocks.
      numbers.addAll(run(transaction, split, clients, 0, count, false));
    }
    // Nothing is learned where all is split anyway.
    boolean strict = !script.comesBack() || split.equals("auto");
    numbers.addAll(run(transaction, split, clients, 0, count, strict));
    assertEquals(numbers.size(), new HashSet<>(numbers).size(), "numbers read twice");
    int additions = Math.max(1, script.additions());
    assertEquals((long) numbers.size() * additions, number(READ.replace("{t}", "t")));
  }

  @ParameterizedTest
  @MethodSource("splits")
  void nobodyOfEightFailsInAHundredTransactions(String split) throws Exception {
    create("abelian.counter");
    List<Long> numbers = run(Script.READ_IT.over("t"), split, 8, 0, 100, true);
    assertEquals(800, new HashSet<>(numbers).size(), "numbers read twice");
    assertEquals(800, number(READ.replace("{t}", "t")));
  }

  @ParameterizedTest(name = "{0}, split {1}")
  @MethodSource("mixtures")
  void nobodyFailsBesideClientsThatOnlyAdd(String type, String split) throws Exception {
    create(type);
    int adders = 8;
    List<Long> numbers = run(Script.READ_IT.over("t"), split, 8, adders);
    assertEquals(numbers.size(), new HashSet<>(numbers).size(), "numbers read twice");
    long additions = numbers.size() + (long) adders * TRANSACTIONS;
    assertEquals(additions, number(READ.replace("{t}", "t")));
  }

  static Stream<Arguments> mixtures() {
    return Stream.of("abelian.counter", "abelian.decimal_counter")
        .flatMap(type -> Stream.of(Arguments.of(type, "auto"), Arguments.of(type, "always")));
  }

  @ParameterizedTest
  @MethodSource("splits")
  void nobodyFailsWhoTakesFromABoundedCounter(String split) throws Exception {
    create("abelian.bounded_counter(0)");
    execute("UPDATE t SET n = 1000 WHERE id = 1");
    List<String> take = List.of("UPDATE t SET n = n - 1 WHERE id = 1", READ.replace("{t}", "t"));
    List<Long> numbers = run(take, split, 8, 0);
    assertEquals(numbers.size(), new HashSet<>(numbers).size(), "numbers read twice");
  }

  @ParameterizedTest
  @MethodSource("splits")
  void nobodyFailsWhoAsksForAnElementThatItHasAdded(String split) throws Exception {
    create("abelian.counter");
    List<String> ask =
        List.of(
            "UPDATE t SET s = abelian.add(s, 'a') WHERE id = 1",
            "SELECT 1 / abelian.contains(s, 'a')::int FROM t WHERE id = 1");
    run(ask, split, 8, 0);
    List<String> size =
        List.of(
            "UPDATE t SET s = abelian.add(s, 'b') WHERE id = 1",
            "SELECT abelian.size(s) FROM t WHERE id = 1");
    run(size, split, 8, 0);
  }

  static Stream<String> splits() {
    return Stream.of("auto", "always");
  }

  private void create(String type) throws SQLException {
    execute("DROP TABLE IF EXISTS t, seen CASCADE");
    execute(
        ("CREATE TABLE t (id int PRIMARY KEY, n %1$s NOT NULL, m %1$s NOT NULL, title text, s"
                + " abelian.set)")
            .formatted(type));
    execute("INSERT INTO t VALUES (1, 0, 0, 'x', '{}'), (2, 0, 0, 'y', '{}')");
    execute("CREATE TABLE seen (n bigint)");
    execute(
        "CREATE OR REPLACE FUNCTION t_now() RETURNS bigint LANGUAGE plpgsql AS"
            + " 'BEGIN RETURN (SELECT n FROM t WHERE id = 1); END'");
    execute(
        "CREATE OR REPLACE FUNCTION t_next() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN"
            + " UPDATE t SET n = n + 1 WHERE id = 1; RETURN (SELECT n FROM t WHERE id = 1); END'");
    execute(
        "CREATE OR REPLACE FUNCTION t_then() RETURNS bigint LANGUAGE plpgsql STABLE AS"
            + " 'BEGIN RETURN (SELECT n FROM t WHERE id = 1); END'");
  }

  private List<Long> run(List<String> transaction, String split, int clients, int adders)
      throws Exception {
    return run(transaction, split, clients, adders, TRANSACTIONS / clients, true);
  }

  /**
   * Gives the numbers that the transactions got. Unless {@code strict}, deadlocks are tried again.
   */
  private List<Long> run(
      List<String> transaction, String split, int clients, int adders, int count, boolean strict)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients + adders);
    try {
      List<Future<List<Long>>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        running.add(threads.submit(() -> client(transaction, split, count, strict)));
      }
      for (int i = 0; i < adders; i++) {
        List<String> add = List.of(ADD.replace("{t}", "t"));
        running.add(threads.submit(() -> client(add, split, TRANSACTIONS, true)));
      }
      List<Long> numbers = new ArrayList<>();
      for (Future<List<Long>> one : running) {
        numbers.addAll(one.get(60, TimeUnit.SECONDS));
      }
      return numbers;
    } finally {
      threads.shutdownNow();
    }
  }

  private List<Long> client(List<String> transaction, String split, int count, boolean strict)
      throws SQLException {
    List<Long> numbers = new ArrayList<>();
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.split = " + split);
      statement.execute("PREPARE add_to AS UPDATE t SET n = n + 1 WHERE id = $1");
      statement.execute("PREPARE look_at AS SELECT n FROM t WHERE id = $1");
      connection.setAutoCommit(false);
      int deadlocks = 0;
      for (int i = 0; i < count; ) {
        try {
          Long number = null;
          for (String text : transaction) {
            if (statement.execute(text)) {
              number = last(statement);
            }
          }
          connection.commit();
          i++;
          if (number != null) {
            numbers.add(number);
          }
        } catch (SQLException e) {
          if (strict || !e.getSQLState().equals("40P01") || ++deadlocks > DEADLOCKS_MAX) {
            throw e;
          }
          connection.rollback();
        }
      }
    }
    return numbers;
  }

  /** The last column of the first row. */
  private static long last(Statement statement) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      return rows.getLong(rows.getMetaData().getColumnCount());
    }
  }

  private void execute(String text) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  private long number(String query) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(query);
      return last(statement);
    }
  }
}
