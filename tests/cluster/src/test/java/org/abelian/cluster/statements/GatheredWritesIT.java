package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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

/** Changes of rows by those of other nodes are what they are on one PostgreSQL. */
@WithNode
@WithCluster
class GatheredWritesIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 2);

  private static final String DROP =
      "DROP TABLE IF EXISTS account, change, rate, desk, word, person CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE account (id int PRIMARY KEY, gone text, owner text, balance numeric CHECK"
              + " (balance > -100), likes abelian.counter DEFAULT 0)",
          "ALTER TABLE account DROP COLUMN gone",
          "CREATE TABLE change (id bigint PRIMARY KEY, account int, amount numeric, note"
              + " varchar(10))",
          "CREATE TABLE rate (code text PRIMARY KEY, factor int)",
          "CREATE TABLE desk (id int, owner text, total numeric)",
          "CREATE TABLE word (k text, part int, n int, tags text[], PRIMARY KEY (k, part))",
          "CREATE TABLE person (id int PRIMARY KEY, email text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('account', 'id')",
          "SELECT create_distributed_table('change', 'id', colocate_with => 'none')",
          "SELECT create_reference_table('rate')",
          "SELECT create_distributed_table('word', 'k, part')",
          "SELECT create_distributed_table('person', 'id', colocate_with => 'none')",
          "SELECT create_lookup_index('person', 'email')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO account SELECT i, 'o' || i % 4, i * 10 FROM generate_series(1, 20) i",
          "INSERT INTO change SELECT i, i % 25, i, nullif('n' || i % 3, 'n1') FROM"
              + " generate_series(1, 30) i",
          "INSERT INTO rate VALUES ('n0', 2), ('n2', 5), ('x', 7)",
          "INSERT INTO desk VALUES (1, 'o1', 5), (2, 'o2', NULL), (NULL, 'o3', 7)",
          "INSERT INTO word SELECT chr(97 + i % 5), i, i, ARRAY['t' || i, NULL] FROM"
              + " generate_series(1, 20) i",
          "INSERT INTO person SELECT i, 'p' || i FROM generate_series(1, 10) i");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  GatheredWritesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
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
    for (String table : List.of("account", "change", "rate", "desk", "person")) {
      sorted("SELECT * FROM " + table);
    }
    sorted("SELECT k, part, n, tags::text FROM word");
  }

  private static final List<String> CHANGES =
      List.of(
          "UPDATE account SET balance = balance + c.a, likes = likes + c.n FROM (SELECT account,"
              + " sum(amount) AS a, count(*) AS n FROM change GROUP BY account) c WHERE c.account ="
              + " account.id RETURNING id, balance, likes, c.n",
          "UPDATE account a SET owner = (SELECT min(note) FROM change WHERE account = a.id) WHERE"
              + " EXISTS (SELECT FROM desk WHERE desk.owner = a.owner) RETURNING *",
          "UPDATE change SET note = d.owner FROM desk d JOIN account a ON a.id = d.id WHERE a.id ="
              + " change.account RETURNING change.*, d.total",
          "DELETE FROM change WHERE id IN (SELECT id FROM change ORDER BY amount DESC LIMIT 4)"
              + " RETURNING id",
          "UPDATE desk SET total = total + (SELECT sum(balance) FROM account WHERE account.owner ="
              + " desk.owner) RETURNING *",
          "DELETE FROM desk USING account WHERE account.id = desk.id AND likes > 0 RETURNING"
              + " desk.owner, account.likes",
          "UPDATE rate SET factor = (SELECT count(*) FROM change WHERE note = code) RETURNING *",
          "DELETE FROM rate WHERE code NOT IN (SELECT note FROM change WHERE note IS NOT NULL)",
          "UPDATE word SET tags[1] = w.m, n = word.n + 1 FROM (SELECT n, max(note) AS m FROM"
              + " change JOIN word ON id = n GROUP BY n) w WHERE w.n = word.n AND word.part > 3"
              + " RETURNING k, part, tags::text",
          "UPDATE account SET balance = 0 WHERE id = 7 AND owner IN (SELECT owner FROM desk)",
          "UPDATE account SET balance = 1 WHERE id > 100 AND owner IN (SELECT note FROM change)",
          "WITH best AS (SELECT account, max(amount) AS most FROM change GROUP BY 1) UPDATE account"
              + " SET balance = most FROM best WHERE best.account = id AND most > 20",
          "DELETE FROM person WHERE email IN (SELECT 'p' || account FROM change WHERE amount < 4)",
          "UPDATE person SET email = 'q' || (SELECT count(*) FROM account) WHERE id = 9",
          "INSERT INTO person VALUES (31, 'p1'), (32, 'p9')",
          "MERGE INTO account USING (SELECT account, sum(amount) AS s FROM change GROUP BY 1) c ON"
              + " c.account = id WHEN MATCHED AND s > 40 THEN DELETE WHEN MATCHED THEN UPDATE SET"
              + " balance = balance + s WHEN NOT MATCHED THEN INSERT (id, owner, balance) VALUES"
              + " (c.account, 'new', s)",
          "MERGE INTO word w USING (SELECT k, part + 1 AS p, n FROM word) s ON w.k = s.k AND s.p ="
              + " w.part WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED AND s.n < 12 THEN"
              + " INSERT VALUES (s.k, s.p, s.n)",
          "MERGE INTO account a USING desk d ON a.id = d.id WHEN MATCHED THEN UPDATE SET owner ="
              + " d.owner WHEN NOT MATCHED AND d.id > 0 THEN INSERT (id) VALUES (d.id)",
          "MERGE INTO account a USING desk d ON a.id = d.id WHEN NOT MATCHED THEN INSERT (id)"
              + " VALUES (d.id)",
          "MERGE INTO account a USING (VALUES (1), (1)) s (i) ON a.id = s.i WHEN MATCHED THEN"
              + " UPDATE SET owner = 'twice'",
          "MERGE INTO rate USING change ON code = note AND change.id < 4 WHEN MATCHED THEN UPDATE"
              + " SET factor = amount WHEN NOT MATCHED AND change.id = 30 THEN INSERT VALUES ('m',"
              + " 1)",
          "MERGE INTO person p USING (VALUES (2, 'z2'), (40, 'p3')) s (i, e) ON p.id = s.i WHEN"
              + " MATCHED THEN UPDATE SET email = e WHEN NOT MATCHED THEN INSERT VALUES (i, e)",
          "MERGE INTO desk USING account a ON a.id = desk.id WHEN MATCHED THEN UPDATE SET total ="
              + " a.balance WHEN NOT MATCHED AND a.id > 15 THEN INSERT VALUES (a.id, a.owner, 1)");

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsChangeAsOnOnePostgreSql(String options) throws SQLException {
    twins.close();
    connect(options);
    for (String change : CHANGES) {
      sorted(change);
    }
    sameRows();
    // What a transaction has changed, its next statements read.
    both("BEGIN");
    both("INSERT INTO change VALUES (100, 3, 1000, 'mine')");
    both("UPDATE account SET owner = 'mine' WHERE id IN (3, 4)");
    for (String change : CHANGES.subList(0, 9)) {
      sorted(change);
    }
    sameRows();
    both("SAVEPOINT s");
    sorted(CHANGES.get(0));
    both("ROLLBACK TO s");
    sameRows();
    both("ROLLBACK");
    sameRows();
  }

  @Test
  void valuesComeWithPreparedStatements() throws SQLException {
    String sql =
        "UPDATE account SET balance = balance + ? FROM change WHERE change.account = account.id AND"
            + " change.id = ? AND note = ? RETURNING account.id, balance, change.amount";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      try (PreparedStatement update = connection.prepareStatement(sql)) {
        answer.add(update.getMetaData().getColumnTypeName(2));
        for (int i = 1; i < 12; i++) {
          update.setInt(1, i);
          update.setLong(2, i);
          update.setString(3, "n" + i % 3);
          try (ResultSet rows = update.executeQuery()) {
            Twins.add(rows, answer);
          }
        }
        update.setNull(1, java.sql.Types.NUMERIC);
        update.setLong(2, 5);
        update.setString(3, "n2");
        try (ResultSet rows = update.executeQuery()) {
          Twins.add(rows, answer);
        }
      }
      answers.add(answer);
    }
    assertEquals(answers.get(0), answers.get(1));
    both("PREPARE p(int) AS DELETE FROM desk USING account a WHERE a.id = desk.id + $1");
    both("EXECUTE p(4)");
    both("EXECUTE p(NULL)");
    sameRows();
  }

  /** The check fails on one node only. */
  @Test
  void anErrorOfOneRowChangesNone() {
    String bad =
        "UPDATE account SET balance = balance - s.a FROM (SELECT account, sum(amount) * 8 AS a FROM"
            + " change GROUP BY 1) s WHERE s.account = id";
    both(bad);
    assertEquals(List.of("23514"), answer(twins.routed(), bad));
    sameRows();
    both("BEGIN");
    both("DELETE FROM desk");
    both("SAVEPOINT s");
    both(bad);
    both("SELECT 1");
    both("ROLLBACK TO s");
    both("SELECT count(*) FROM desk");
    both("COMMIT");
    both(
        "MERGE INTO account USING change ON change.account = account.id WHEN MATCHED THEN UPDATE"
            + " SET balance = 0");
    sameRows();
  }

  @Test
  void nobodySeesOrChangesMoreThanOnOnePostgreSql() {
    for (String sql :
        List.of(
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk",
            "GRANT SELECT, UPDATE, DELETE ON account TO clerk",
            "GRANT SELECT (id, account) ON change TO clerk",
            "GRANT UPDATE, INSERT ON desk TO clerk",
            "ALTER TABLE account ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY own ON account USING (owner = 'o1')",
            "SET ROLE clerk",
            "UPDATE account SET balance = 5 FROM change WHERE change.account = account.id",
            "UPDATE account SET balance = amount FROM change WHERE change.account = account.id",
            "UPDATE change SET amount = 5 FROM account WHERE change.account = account.id",
            "DELETE FROM account WHERE balance IN (SELECT id * 10 FROM change)",
            "UPDATE desk SET total = (SELECT sum(balance) FROM account)",
            "UPDATE desk SET total = (SELECT sum(balance) FROM account) WHERE id = 1",
            "MERGE INTO account USING change ON change.account = account.id WHEN MATCHED THEN"
                + " DELETE",
            "MERGE INTO account USING change ON change.account = account.id WHEN NOT MATCHED THEN"
                + " INSERT (id) VALUES (account)",
            "RESET ROLE",
            "DROP OWNED BY clerk",
            "DROP ROLE clerk")) {
      both(sql);
    }
    sameRows();
  }

  @Test
  void nothingIsLostBesideTransfers() throws Exception {
    both("UPDATE account SET balance = 1000");
    both(
        "UPDATE change SET account = 1 + id % 20, amount = CASE WHEN id % 2 = 0 THEN 1 ELSE -1"
            + " END");
    // A router may cancel whom a deadlock between nodes holds up, but no superuser.
    run(twins.routed(), "GRANT SELECT, UPDATE ON account, change TO " + LocalNode.USER);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> done = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(i);
      done.add(threads.submit(() -> transfers(random, end)));
      done.add(threads.submit(additions(end)));
    }
    int transfers = done.get(0).get(60, TimeUnit.SECONDS) + done.get(2).get(60, TimeUnit.SECONDS);
    int additions = done.get(1).get(60, TimeUnit.SECONDS) + done.get(3).get(60, TimeUnit.SECONDS);
    threads.shutdown();
    assertTrue(transfers > 0 && additions > 0, transfers + " transfers, " + additions);
    assertEquals(
        List.of("20000|" + 20L * additions + "|"),
        answer(twins.routed(), "SELECT sum(balance)::int, sum(likes) FROM account"));
  }

  /** Each takes one from an account and gives it to another. */
  private int transfers(Random random, long end) throws SQLException {
    int count = 0;
    try (Connection connection = router.connect()) {
      connection.setAutoCommit(false);
      while (System.nanoTime() < end) {
        int from = 1 + random.nextInt(20);
        int to = 1 + random.nextInt(20);
        try {
          String sql = "UPDATE account SET balance = balance + %d WHERE id = %d";
          run(connection, sql.formatted(-1, from));
          run(connection, sql.formatted(1, to));
          connection.commit();
          count++;
        } catch (SQLException deadlock) {
          assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
          connection.rollback();
        }
      }
    }
    return count;
  }

  /** Each adds to all accounts what sums up to nothing, and counts it. */
  private Callable<Integer> additions(long end) {
    return () -> {
      int count = 0;
      try (Connection connection = router.connect()) {
        while (System.nanoTime() < end) {
          try {
            assertEquals(
                List.of("count 20"),
                run(
                    connection,
                    "UPDATE account SET balance = balance + s.a, likes = likes + 1 FROM (SELECT"
                        + " account, sum(amount) AS a FROM change GROUP BY 1) s WHERE s.account ="
                        + " id"));
            count++;
          } catch (SQLException deadlock) {
            assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
          }
        }
      }
      return count;
    };
  }

  /** Of several rows that match, PostgreSQL takes any: here each node plans in another way. */
  @Test
  void copiesStayAlikeWhicheverRowMatches() throws Exception {
    List<String> methods = List.of("enable_hashjoin", "enable_mergejoin", "enable_nestloop");
    try {
      for (int at = 0; at < methods.size(); at++) {
        String only = methods.get(at);
        List<String> others = methods.stream().filter(method -> !method.equals(only)).toList();
        configure(cluster.nodes().get(at), "ALTER SYSTEM SET %s = off", others);
      }
      for (String sql :
          List.of(
              "INSERT INTO rate SELECT 'o' || i, i FROM generate_series(0, 3) i",
              "UPDATE rate SET factor = id FROM account WHERE owner = code",
              "UPDATE rate SET factor = factor + v.f FROM (VALUES ('o0', 1), ('o1', 3), ('o0', 2),"
                  + " ('o1', 4), ('o2', 5), ('o2', 6)) v (c, f) WHERE v.c = code",
              "UPDATE rate SET factor = a.id + c.id, code = code || c.id FROM account a JOIN"
                  + " change c ON c.account = a.id WHERE a.owner = code",
              "UPDATE rate r SET factor = o.factor FROM rate o WHERE o.factor > r.factor")) {
        run(twins.routed(), sql);
      }
    } finally {
      for (LocalNode node : cluster.nodes()) {
        configure(node, "ALTER SYSTEM RESET %s", methods);
      }
    }
    List<List<String>> copies = copies();
    assertEquals(copies.get(0), copies.get(1));
    assertEquals(copies.get(0), copies.get(2));
  }

  private static void configure(LocalNode node, String command, List<String> settings)
      throws SQLException {
    try (Connection connection = node.connectAsSuperuser()) {
      for (String setting : settings) {
        run(connection, command.formatted(setting));
      }
      run(connection, "SELECT pg_reload_conf()");
    }
  }

  private List<List<String>> copies() throws SQLException {
    List<List<String>> copies = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser()) {
        copies.add(run(connection, "SELECT * FROM rate ORDER BY code"));
      }
    }
    return copies;
  }

  @Test
  void copiesStayAlike() throws SQLException {
    both("UPDATE rate SET factor = (SELECT sum(amount) FROM change WHERE note = code)");
    both("DELETE FROM rate USING desk WHERE desk.total = factor");
    both(
        "MERGE INTO rate USING account ON code = owner WHEN NOT MATCHED AND id < 4 THEN INSERT"
            + " VALUES (owner, id)");
    List<List<String>> copies = copies();
    assertEquals(copies.get(0), copies.get(1));
    assertEquals(copies.get(0), copies.get(2));
    sameRows();
  }
}
