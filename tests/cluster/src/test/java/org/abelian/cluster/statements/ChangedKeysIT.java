package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An UPDATE of distribution columns does what it does on one PostgreSQL: the rows move. */
@WithNode
@WithCluster
class ChangedKeysIT {
  private static final int STATEMENTS = Integer.getInteger("abelian.soak.statements", 400) / 2;
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 2);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private static final String DROP =
      "DROP TABLE IF EXISTS child, parent, account, word, day, number, person, rate, desk, gauge,"
          + " secret CASCADE";

  /** Where keys take turns, one PostgreSQL must not look for duplicates after each row. */
  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE rate (code text PRIMARY KEY, factor int)",
          "CREATE TABLE account (id int PRIMARY KEY DEFERRABLE, gone text, owner text REFERENCES"
              + " rate, balance numeric(10,2) CHECK (balance > -100), twice numeric GENERATED"
              + " ALWAYS AS (balance * 2) STORED, likes abelian.counter DEFAULT 0, total"
              + " abelian.decimal_counter DEFAULT 0, best abelian.max DEFAULT 0, tags text[], CHECK"
              + " (id < 5000))",
          "ALTER TABLE account DROP COLUMN gone",
          "CREATE TABLE word (k text, part int, n int, at timestamptz, PRIMARY KEY (k, part)"
              + " DEFERRABLE)",
          "CREATE TABLE day (d date, id int, \"Odd name\" char(5)) PARTITION BY RANGE (id)",
          "CREATE TABLE day_low PARTITION OF day FOR VALUES FROM (0) TO (100)",
          "CREATE TABLE day_high (\"Odd name\" char(5), id int, d date)",
          "ALTER TABLE day ATTACH PARTITION day_high FOR VALUES FROM (100) TO (200)",
          "CREATE TABLE number (id bigint GENERATED ALWAYS AS IDENTITY, v int DEFAULT 7, f float8)",
          "CREATE TABLE person (id int PRIMARY KEY, email text)",
          "CREATE TABLE desk (id int, n int)",
          "CREATE TABLE parent (id int PRIMARY KEY)",
          "CREATE TABLE child (id int REFERENCES parent, n int)",
          "CREATE TABLE gauge (id int, stock abelian.bounded_counter(0, 100), d abelian.dict, s"
              + " abelian.set, m abelian.multiset, k abelian.top_k DEFAULT abelian.top_k(2), b"
              + " abelian.summary_bag, least abelian.min, f float8, i interval, at timestamptz)",
          "CREATE TABLE secret (id int, owner text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_reference_table('rate')",
          "SELECT create_distributed_table('account', 'id')",
          "SELECT create_distributed_table('word', 'k, part')",
          "SELECT create_distributed_table('day', 'd')",
          "SELECT create_distributed_table('number', 'v', colocate_with => 'none')",
          "SELECT create_distributed_table('person', 'id')",
          "SELECT create_lookup_index('person', 'email')",
          "SELECT create_distributed_table('parent', 'id')",
          "SELECT create_distributed_table('child', 'id')",
          "SELECT create_distributed_table('gauge', 'id')",
          "SELECT create_distributed_table('secret', 'id')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO rate VALUES ('o0', 2), ('o1', 5), ('o2', 7), ('o3', NULL)",
          "INSERT INTO account (id, owner, balance, likes, total, best, tags) SELECT i, 'o' || i %"
              + " 4, i * 1.25, i, i / 4.0, 100 - i, CASE WHEN i % 3 > 0 THEN ARRAY['a,\"' || i,"
              + " NULL] END FROM generate_series(1, 20) i",
          "UPDATE account SET likes = likes + 5, total = total + 0.5, best = greatest(best, 90)",
          "INSERT INTO word SELECT chr(97 + i % 5), i, i, '2024-01-01'::timestamptz + i * interval"
              + " '1 hour 3.000001 s' FROM generate_series(1, 20) i",
          "INSERT INTO day SELECT '2024-02-25'::date + i % 9, i * 7 % 200, 'x' || i FROM"
              + " generate_series(1, 25) i",
          "INSERT INTO number OVERRIDING SYSTEM VALUE SELECT i, i, 1.0 / i FROM"
              + " generate_series(1, 10) i",
          "INSERT INTO person SELECT i, 'p' || i FROM generate_series(1, 10) i",
          "INSERT INTO gauge (id, stock, d, s, least, f, i, at) SELECT i, i, '{\"a\": \"1\"}',"
              + " '{x,y}', i, 0.1::float8 + i / 3.0::float8, '1 year -2 days 03:04:05.6',"
              + " '2024-02-03 04:05:06' FROM generate_series(1, 9) i",
          "UPDATE gauge SET stock = stock + 5, d = abelian.put(d, 'b', 'it''s'), s = abelian.add(s,"
              + " 'q,\"'), m = abelian.add(m, 'twice'), k = abelian.add(k, 5, 'five'), b ="
              + " abelian.add(b, 2.5)",
          "UPDATE gauge SET m = abelian.add(m, 'twice'), k = abelian.add(k, id, 'id'), b ="
              + " abelian.add(b, id) WHERE id < 7",
          "INSERT INTO desk VALUES (1, 5), (2, NULL), (NULL, 7), (4, 104)",
          "INSERT INTO parent SELECT generate_series(1, 5)",
          "INSERT INTO child SELECT i, i FROM generate_series(1, 5) i",
          "INSERT INTO secret SELECT i, 'o' || i % 4 FROM generate_series(1, 9) i");

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  ChangedKeysIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connect("");
    twins.create(DROP, TABLES, PLACEMENTS);
    run(twins.both().get(0), "ALTER TABLE person ADD CONSTRAINT person_email_key UNIQUE (email)");
    ROWS.forEach(this::both);
  }

  @AfterEach
  void close() throws SQLException {
    twins.close();
    connect("");
    both(DROP);
    twins.close();
  }

  private void connect(String options) throws SQLException {
    twins = new Twins(single, router, options);
  }

  private void both(String sql) {
    twins.same(sql);
  }

  /** The order of what is returned is not said. */
  private void sorted(String sql) {
    twins.sameUnordered(sql);
  }

  private void sameRows() {
    for (String table :
        List.of("account", "word", "day", "day_low", "person", "desk", "child", "secret")) {
      sorted("SELECT * FROM " + table);
    }
    sorted("SELECT id, v, f::text FROM number");
    for (int id = 0; id < 40; id++) {
      both("SELECT id, owner, likes FROM account WHERE id = " + id);
      both("SELECT id FROM person WHERE email = 'p" + id + "'");
    }
  }

  private static final List<String> CHANGES =
      List.of(
          "UPDATE account SET id = 25 WHERE id = 5",
          "UPDATE account SET id = id + 1",
          "UPDATE account SET id = id",
          "UPDATE account a SET id = 22 - a.id, balance = a.balance + 1, likes = likes + 3, total ="
              + " total - 0.25 WHERE id < 22 RETURNING a.id + 0 AS n, a.*, a.twice",
          "UPDATE account SET id = 100 WHERE id > 1000 RETURNING id",
          "UPDATE account SET id = 101 WHERE false",
          "UPDATE account SET id = d.n, owner = 'o' || d.id % 4 FROM desk d WHERE d.id = account.id"
              + " AND d.n IS NOT NULL RETURNING account.id, owner",
          "UPDATE account SET id = id + (SELECT max(part) FROM word) WHERE owner IN (SELECT owner"
              + " FROM secret WHERE id < 3)",
          "WITH most AS (SELECT max(id) AS m FROM account) UPDATE account SET id = m + 1 FROM most"
              + " WHERE id = (SELECT min(id) FROM account) RETURNING id, likes",
          "UPDATE account SET id = id + 0.4, balance = '3.14159', tags = DEFAULT WHERE owner = 'o1'"
              + " RETURNING id, balance, tags, account",
          "UPDATE account SET (id, best) = (id + 40, 7) WHERE id IN (3, 9, 14)",
          "UPDATE account SET id = NULL WHERE id = 9",
          "UPDATE account SET id = 6000 WHERE id BETWEEN 3 AND 9",
          "UPDATE account SET id = id + 7, balance = -500 WHERE id IN (3, 49, 14, 7)",
          "UPDATE account SET id = 30, owner = 'nobody' WHERE id = 12",
          "UPDATE day SET id = id + 1, \"Odd name\" = 'much too long'",
          "UPDATE day SET d = d + 1, \"Odd name\" = \"Odd name\" || 'much too long'",
          "UPDATE account SET id = 'x' WHERE id = 12",
          "UPDATE account SET id = 1 / (id - id) WHERE id > 12",
          "UPDATE account SET id = 77",
          "UPDATE account SET twice = 5, id = 3",
          "UPDATE word SET k = k || 'z' RETURNING *",
          "UPDATE word SET k = upper(k), part = 21 - part, n = DEFAULT",
          "UPDATE word SET part = -part WHERE k > 'C' RETURNING part",
          "UPDATE day SET d = d + 3 WHERE id < 100 RETURNING *",
          "UPDATE day SET d = DATE '2024-03-31', id = (id + 100) % 200",
          "UPDATE day SET d = d - 1, id = 500 WHERE d > '2024-03-01'",
          "UPDATE day_low SET d = d + 1 RETURNING id",
          "UPDATE day_high SET d = d + 1, id = 5",
          "UPDATE number SET id = 5, v = 3",
          "UPDATE number SET v = v * 10 RETURNING id, v",
          "UPDATE number SET v = DEFAULT WHERE v > 70",
          "UPDATE person SET id = id + 20 WHERE email = 'p3' RETURNING *",
          "UPDATE person SET id = id + 50, email = 'p' || 31 - id WHERE id > 7",
          "UPDATE person SET id = id + 9, email = 'p24' WHERE email = 'p1'",
          "INSERT INTO person VALUES (93, 'p23')",
          "INSERT INTO person VALUES (94, 'p3')",
          "DELETE FROM person WHERE email = 'p4'",
          "UPDATE child SET id = 1 + id % 5",
          "UPDATE child SET id = 9 WHERE id = 2");

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsMoveAsOnOnePostgreSql(String options) throws SQLException {
    twins.close();
    connect(options);
    both("SET CONSTRAINTS ALL DEFERRED");
    for (String change : CHANGES) {
      sorted(change);
    }
    sameRows();
    both("BEGIN");
    for (String change : CHANGES) {
      both("SAVEPOINT s");
      sorted(change);
      both("SELECT count(*) FROM account");
      both("ROLLBACK TO s");
    }
    sameRows();
    both("INSERT INTO account (id, owner) VALUES (200, 'o1')");
    both("UPDATE account SET id = id + 200, likes = likes + 1 WHERE id > 10");
    both("UPDATE account SET id = 1 WHERE id = 400");
    sameRows();
    both("UPDATE account SET id = NULL WHERE id < 10");
    both("SELECT 1");
    both("ROLLBACK");
    sameRows();
    both("BEGIN");
    both("UPDATE account SET id = id + 300");
    both("UPDATE account SET id = id - 290, likes = likes + 1 WHERE owner = 'o2'");
    both("COMMIT");
    sameRows();
  }

  @Test
  void valuesComeWithPreparedStatements() throws SQLException {
    String sql =
        "UPDATE account SET id = id + ?, balance = ?, tags = ? WHERE id = ? OR owner = ? RETURNING"
            + " id, balance, likes, tags";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      try (PreparedStatement update = connection.prepareStatement(sql)) {
        answer.add(update.getMetaData().getColumnTypeName(2));
        for (int i = 1; i < 15; i++) {
          update.setInt(1, i);
          update.setBigDecimal(2, new java.math.BigDecimal("1.5"));
          update.setArray(3, connection.createArrayOf("text", new String[] {"t" + i, null}));
          update.setInt(4, i % 7 * 3);
          update.setString(5, i % 5 == 0 ? "o3" : null);
          try (ResultSet rows = update.executeQuery()) {
            List<String> unordered = new ArrayList<>();
            Twins.add(rows, unordered);
            answer.addAll(unordered.stream().sorted().toList());
          } catch (SQLException refused) {
            answer.add(refused.getSQLState());
          }
        }
      }
      answers.add(answer);
    }
    assertEquals(answers.get(0), answers.get(1));
    both("PREPARE p(int, int) AS UPDATE account SET id = $2 WHERE id = $1");
    both("EXECUTE p(15, 500)");
    both("EXECUTE p(NULL, 501)");
    both("EXECUTE p(16, NULL)");
    both("DEALLOCATE p");
    both("CREATE TEMPORARY SEQUENCE drawn");
    both("SELECT nextval('drawn')");
    both("UPDATE account SET id = 700 + currval('drawn') WHERE id = 4 RETURNING id");
    sameRows();
  }

  /** Whatever form the session gives values. */
  @Test
  void valuesKeepAllThatTheyAre() throws SQLException {
    for (String setting :
        List.of(
            "extra_float_digits = 0",
            "DateStyle = 'ISO, DMY'",
            "IntervalStyle = 'sql_standard'",
            "bytea_output = 'escape'",
            "TimeZone = 'Asia/Kathmandu'")) {
      both("SET " + setting);
    }
    String loses = "UPDATE gauge SET f = 1, id = id + 100";
    assertEquals(List.of("0A000"), answer(twins.routed(), loses));
    both("SET extra_float_digits = 1");
    both("UPDATE gauge SET id = id + 10");
    both("UPDATE gauge SET id = 30 - id, stock = stock + 1 WHERE id < 15");
    both("UPDATE gauge SET id = id + 1, stock = stock + 90");
    both("UPDATE day SET d = d + 40");
    both("RESET ALL");
    both("SET extra_float_digits = 3");
    sorted("SELECT id, stock, d, s, m, k, least, f::text, i::text, at::text FROM gauge");
    sorted("SELECT id, b FROM gauge");
    both("UPDATE gauge SET b = abelian.add(b, 7), k = abelian.add(k, 9, 'nine'), m = m");
    sorted(
        "SELECT id, abelian.count(b), abelian.sum(b), round(abelian.var_pop(b), 3), k FROM gauge");
    sameRows();
  }

  @Test
  void itsPlanNamesBothStatements() throws SQLException {
    String plan = String.join("\n", run(twins.routed(), "EXPLAIN UPDATE word SET part = part + 1"));
    assertTrue(plan.contains("Delete plan") && plan.contains("Insert plan"), plan);
    String joined = "EXPLAIN UPDATE account SET id = d.n FROM desk d WHERE d.id = account.id";
    plan = String.join("\n", run(twins.routed(), joined));
    assertTrue(plan.contains("Worker plan") && plan.contains("Change plan"), plan);
    sameRows();
    String moves = "UPDATE word SET part = part + 1";
    plan = String.join("\n", run(twins.routed(), "EXPLAIN ANALYZE " + moves));
    assertTrue(plan.contains("Exchange: inserted rows"), plan);
    run(twins.both().get(0), moves);
    sameRows();
  }

  /** Whoever adds to a row finds it or is told that it is not there. */
  @Test
  void nothingIsLostBesideAdditions() throws Exception {
    run(
        twins.routed(),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON account, rate TO " + LocalNode.USER);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> added = new ArrayList<>();
    List<Future<Integer>> moved = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(i);
      moved.add(
          threads.submit(
              () -> changed(end, () -> "id = id + 20, owner = 'o" + random.nextInt(4) + "'")));
      added.add(threads.submit(() -> changed(end, () -> "likes = likes + 1")));
    }
    int additions = 0;
    int moves = 0;
    for (int i = 0; i < 2; i++) {
      additions += added.get(i).get(60, TimeUnit.SECONDS);
      moves += moved.get(i).get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertTrue(moves > 0 && additions > 0, moves + " moves, " + additions + " additions");
    assertEquals(
        List.of("20|" + (210 + 100 + additions) + "|"),
        answer(twins.routed(), "SELECT count(*), sum(likes) FROM account"));
    assertEquals(
        List.of(210 + 20 * moves + "|"), answer(twins.routed(), "SELECT sum(id) FROM account"));
  }

  /** How many rows were changed. */
  private int changed(long end, Supplier<String> assignments) throws SQLException {
    int count = 0;
    Random random = new Random();
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      while (System.nanoTime() < end) {
        try {
          count +=
              statement.executeUpdate(
                  "UPDATE account SET %s WHERE id < 4900 AND id %% 20 = %d"
                      .formatted(assignments.get(), random.nextInt(20)));
        } catch (SQLException deadlock) {
          assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
        }
      }
    }
    return count;
  }

  @Test
  void severalStatementsTravelTogether() {
    both(
        "UPDATE person SET id = 41 WHERE id = 1; UPDATE person SET id = 42 WHERE id = 2; UPDATE"
            + " person SET id = 41 WHERE id = 42");
    both("UPDATE person SET id = 51 WHERE id = 3; INSERT INTO person VALUES (61, 'p61')");
    sameRows();
  }

  @Test
  void whatCannotMoveIsRefused() throws SQLException {
    for (List<String> refused :
        List.of(
            List.of("UPDATE parent SET id = id + 10", "a foreign key refers to its rows"),
            List.of("UPDATE account SET id = 4, tags[1] = 'x'", "it assigns a part of a column"),
            List.of(
                "UPDATE account SET (id, balance) = (SELECT 1, random())",
                "it assigns several columns from one subquery"),
            List.of(
                "UPDATE account SET id = 4 FROM desk RETURNING desk.id",
                "RETURNING names more than columns of the table"),
            List.of(
                "INSERT INTO account (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 2", ""))) {
      SQLException error =
          assertThrows(SQLException.class, () -> run(twins.routed(), refused.get(0)));
      assertEquals("0A000", error.getSQLState(), refused.get(0));
      assertTrue(error.getMessage().contains(refused.get(1)), error.getMessage());
    }
    sameRows();
  }

  @Test
  void privilegesAreThoseOfAllThatIsDone() {
    for (String sql :
        List.of(
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk",
            "GRANT SELECT, INSERT, DELETE, UPDATE (owner) ON account TO clerk",
            "GRANT SELECT, INSERT, DELETE, UPDATE ON word, rate TO clerk",
            "SET ROLE clerk",
            "UPDATE account SET id = 50 WHERE id = 5",
            "UPDATE word SET part = part + 50 WHERE part < 4",
            "RESET ROLE",
            "GRANT UPDATE ON account TO clerk",
            "SET ROLE clerk",
            "UPDATE account SET id = 50 WHERE id = 5",
            "RESET ROLE",
            "DROP OWNED BY clerk",
            "DROP ROLE clerk")) {
      both(sql);
    }
    sameRows();
  }

  @Test
  void policiesStandAgainstIt() throws SQLException {
    for (String sql :
        List.of(
            "CREATE ROLE clerk",
            "GRANT ALL ON secret TO clerk",
            "ALTER TABLE secret ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY own ON secret USING (owner = 'o1')",
            "UPDATE secret SET id = id + 10",
            "SET ROLE clerk")) {
      both(sql);
    }
    SQLException error =
        assertThrows(
            SQLException.class, () -> run(twins.routed(), "UPDATE secret SET id = id + 20"));
    assertEquals("0A000", error.getSQLState());
    assertTrue(error.getMessage().contains("policies"), error.getMessage());
    both("RESET ROLE");
    both("DROP OWNED BY clerk");
    both("DROP ROLE clerk");
    sameRows();
  }

  @Test
  void randomChangesAreThoseOfOnePostgreSql() throws SQLException {
    Random random = new Random(SEED);
    int moved = 0;
    for (int i = 0; i < STATEMENTS; i++) {
      boolean inBlock = random.nextInt(3) == 0;
      StringBuilder sent = new StringBuilder("changes " + i + " of seed " + SEED);
      both(inBlock ? "BEGIN" : "SELECT 1");
      for (int change = inBlock ? random.nextInt(3) : 0; change >= 0; change--) {
        String sql = random(random);
        sent.append("\n  ").append(sql).append(';');
        List<String> expected = outcome(twins.both().get(0), sql);
        assertEquals(expected, outcome(twins.routed(), sql), sent.toString());
        moved += expected.equals(VIOLATION) || expected.contains("count 0") ? 0 : 1;
      }
      if (inBlock) {
        both(random.nextBoolean() ? "COMMIT" : "ROLLBACK");
      }
      for (String table : List.of("account", "word", "day")) {
        String all = "SELECT * FROM " + table;
        assertEquals(
            answer(twins.both().get(0), all).stream().sorted().toList(),
            answer(twins.routed(), all).stream().sorted().toList(),
            sent.toString());
      }
    }
    assertTrue(moved > STATEMENTS / 4, moved + " have moved rows, seed " + SEED);
  }

  private static final List<String> VIOLATION = List.of("violation");

  /** Several rows may violate constraints; which one is told of is not said. */
  private static List<String> outcome(Connection connection, String sql) {
    List<String> answer = answer(connection, sql).stream().sorted().toList();
    return answer.size() == 1 && answer.get(0).matches("23\\d{3}") ? VIOLATION : answer;
  }

  private static String random(Random random) {
    String where = WHERE.get(random.nextInt(WHERE.size()));
    String returning = random.nextInt(3) == 0 ? " RETURNING *" : "";
    if (random.nextInt(3) == 0) {
      String set = OF_OTHERS.get(random.nextInt(OF_OTHERS.size()));
      return (set + returning).formatted(random.nextInt(9));
    }
    String key = KEYS.get(random.nextInt(KEYS.size()));
    String more = random.nextBoolean() ? ", " + MORE.get(random.nextInt(MORE.size())) : "";
    return ("UPDATE account SET id = " + key + more + " WHERE " + where + returning)
        .formatted(random.nextInt(30), random.nextInt(30), random.nextInt(30));
  }

  private static final List<String> KEYS =
      List.of(
          "id", "%1$d", "id + 1", "id - %1$d", "-id", "%1$d - id", "id * 2", "nullif(id, %1$d)");

  private static final List<String> MORE =
      List.of(
          "balance = balance + %2$d",
          "owner = 'o' || %2$d %% 5",
          "likes = likes + %2$d",
          "best = greatest(best, %2$d), tags = NULL",
          "total = total - %2$d, balance = -90 - %2$d");

  private static final List<String> WHERE =
      List.of(
          "true",
          "id = %3$d",
          "id > %3$d",
          "id IN (%2$d, %3$d, 4)",
          "owner = 'o1'",
          "likes > %3$d",
          "id IN (SELECT part FROM word WHERE n < %3$d)",
          "EXISTS (SELECT FROM secret s WHERE s.owner = account.owner AND s.id < %3$d)");

  private static final List<String> OF_OTHERS =
      List.of(
          "UPDATE word SET part = part + %1$d, n = n + 1 WHERE n > %1$d",
          "UPDATE word SET k = chr(97 + (ascii(k) + %1$d) %% 26) WHERE part %% 3 = 1",
          "UPDATE word SET k = CASE WHEN k < 'd' THEN k || 'q' ELSE left(k, 1) END",
          "UPDATE day SET d = d + %1$d WHERE id %% 2 = 0",
          "UPDATE day SET d = d - %1$d, id = (id + 90) %% 200 WHERE \"Odd name\" > 'x%1$d'");
}
