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
import java.sql.Types;
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

/** What changes rows of several nodes in WITH does what it does on one PostgreSQL. */
@WithNode
@WithCluster
class ChangesInWithIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 2);

  private static final String DROP =
      "DROP TABLE IF EXISTS job, done, purchase, item, tally, note, part, mail, cascaded,"
          + " plain CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE job (id int PRIMARY KEY, owner text, rank int, likes abelian.counter"
              + " DEFAULT 0)",
          "CREATE TABLE done (id bigint PRIMARY KEY, owner text, rank int)",
          "CREATE TABLE purchase (id serial PRIMARY KEY, customer text)",
          "CREATE TABLE item (purchase int, line int, what text, PRIMARY KEY (purchase, line))",
          "CREATE TABLE tally (code text PRIMARY KEY, n int)",
          "CREATE TABLE note (id int, said text)",
          "CREATE TABLE part (id int, day int, v int, PRIMARY KEY (id, day)) PARTITION BY RANGE"
              + " (day)",
          "CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (5)",
          "CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (5) TO (50)",
          "CREATE TABLE mail (id int PRIMARY KEY, address text)",
          "CREATE TABLE cascaded (job int REFERENCES job ON DELETE CASCADE, n int, PRIMARY KEY"
              + " (job, n))",
          "CREATE TABLE plain (id int, v int)",
          "CREATE VIEW job_view AS SELECT * FROM job");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('job', 'id')",
          "SELECT create_distributed_table('cascaded', 'job', colocate_with => 'job')",
          "SELECT create_distributed_table('done', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('purchase', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('item', 'purchase', colocate_with => 'purchase')",
          "SELECT create_reference_table('tally')",
          "SELECT create_distributed_table('part', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('mail', 'id', colocate_with => 'none')",
          "SELECT create_lookup_index('mail', 'address')",
          "SELECT create_distributed_table('plain', 'id')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO job SELECT i, 'o' || i % 4, (i * 7) % 31, i FROM generate_series(1, 30) i",
          "INSERT INTO cascaded SELECT i, i FROM generate_series(1, 30, 3) i",
          "INSERT INTO done SELECT i, 'o' || i % 3, i FROM generate_series(101, 110) i",
          "INSERT INTO tally VALUES ('o1', 0), ('o2', 5), ('x', 7)",
          "INSERT INTO note VALUES (1, 'a'), (2, NULL), (NULL, 'c')",
          "INSERT INTO part SELECT i, i % 10, i FROM generate_series(1, 20) i",
          "INSERT INTO mail SELECT i, 'm' || i FROM generate_series(1, 9) i",
          "INSERT INTO plain SELECT i, i FROM generate_series(1, 9) i");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  ChangesInWithIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connect("");
    twins.create(DROP, TABLES, PLACEMENTS);
    ROWS.forEach(this::same);
    run(twins.routed(), "GRANT ALL ON job, done TO " + LocalNode.USER);
  }

  @AfterEach
  void close() throws SQLException {
    twins.close();
    connect("");
    same(DROP);
    twins.close();
  }

  private void connect(String options) throws SQLException {
    twins = new Twins(single, router, options);
  }

  private void same(String sql) {
    twins.sameUnordered(sql);
  }

  private void sameRows() {
    for (String table :
        List.of(
            "job",
            "done",
            "purchase",
            "item",
            "tally",
            "note",
            "part",
            "mail",
            "cascaded",
            "plain")) {
      same("SELECT * FROM " + table);
    }
  }

  private static final List<String> CHANGES =
      List.of(
          "WITH gone AS (DELETE FROM job WHERE rank < 5 RETURNING *) INSERT INTO done SELECT id,"
              + " owner, rank FROM gone",
          "WITH gone AS (DELETE FROM done WHERE id > 105 RETURNING *) INSERT INTO note SELECT id,"
              + " owner FROM gone RETURNING said",
          "WITH gone AS (DELETE FROM note RETURNING *) INSERT INTO done SELECT id + 300, said, 1"
              + " FROM gone WHERE id IS NOT NULL RETURNING id, owner",
          "WITH u AS (UPDATE job SET rank = rank + 1, likes = likes + 2 WHERE owner = 'o1'"
              + " RETURNING id, rank, likes) SELECT count(*), sum(rank), max(likes) FROM u",
          "WITH u AS (UPDATE job SET rank = -rank WHERE id < 9 RETURNING id, owner) SELECT u.id,"
              + " done.id, tally.n FROM u LEFT JOIN done ON done.id = u.id + 100 LEFT JOIN tally ON"
              + " code = u.owner",
          "WITH u AS (UPDATE job SET rank = 1 WHERE id = 7) SELECT count(*) FROM done",
          "WITH i AS (INSERT INTO purchase (customer) VALUES ('ann'), ('bob'), ('cid') RETURNING"
              + " id) INSERT INTO item SELECT id, 1, 'book' FROM i",
          "WITH i AS (INSERT INTO purchase (customer) SELECT owner FROM job WHERE id < 5 ORDER BY"
              + " id RETURNING id, customer), j AS (INSERT INTO item SELECT id, l, customer FROM i,"
              + " generate_series(1, 2) l RETURNING what, line) SELECT count(*), sum(line) FROM j",
          "WITH j(a, b) AS (SELECT id, owner FROM job ORDER BY rank, id LIMIT 4), d AS (DELETE FROM"
              + " job USING j WHERE job.id = j.a RETURNING job.*) INSERT INTO done SELECT id,"
              + " owner, 0 FROM d RETURNING id",
          "WITH j AS (SELECT id, rank FROM job WHERE owner = 'o2'), d AS (DELETE FROM done USING j"
              + " WHERE done.rank = j.rank RETURNING done.id) SELECT count(*) FROM j, d",
          "WITH old AS (SELECT count(*) AS n FROM job), d AS (DELETE FROM job WHERE id = 11"
              + " RETURNING id) SELECT * FROM old, d",
          "WITH up AS (UPDATE done SET rank = 9 WHERE id = 900 RETURNING id) INSERT INTO done"
              + " SELECT 900, 'new', 1 WHERE NOT EXISTS (SELECT FROM up)",
          "WITH up AS (UPDATE done SET rank = 9 WHERE id = 900 RETURNING id) INSERT INTO done"
              + " SELECT 900, 'new', 1 WHERE NOT EXISTS (SELECT FROM up)",
          "WITH m AS (UPDATE done SET id = id + 1000 WHERE id < 104 RETURNING id) SELECT * FROM m",
          "WITH a AS (INSERT INTO job VALUES (501, 'z', 1), (502, 'y', 2) RETURNING id), b AS"
              + " (INSERT INTO done VALUES (501, 'z', 1), (502, 'q', 3) RETURNING id) SELECT * FROM"
              + " a, b",
          "WITH d AS (DELETE FROM cascaded WHERE n > 20 RETURNING job) UPDATE job SET rank = 77"
              + " FROM d WHERE job.id = d.job RETURNING id",
          "WITH t AS (UPDATE tally SET n = n + 1 RETURNING code, n) SELECT job.id, t.n FROM job"
              + " JOIN t ON t.code = owner",
          "WITH d AS (DELETE FROM part WHERE v % 3 = 0 RETURNING *) INSERT INTO note SELECT v,"
              + " day::text FROM d",
          "WITH d AS (DELETE FROM part1 RETURNING *) INSERT INTO part SELECT id, day + 10, v FROM d"
              + " RETURNING id, day",
          "WITH m AS (DELETE FROM mail WHERE id > 5 RETURNING *) INSERT INTO mail SELECT id + 10,"
              + " address || 'x' FROM m",
          "WITH m AS (UPDATE mail SET address = 'n' || id RETURNING address) SELECT * FROM m",
          "WITH d AS (DELETE FROM done WHERE false RETURNING *) INSERT INTO note SELECT id, owner"
              + " FROM d",
          "WITH d AS (DELETE FROM job WHERE id = 12 RETURNING job) SELECT (job).owner FROM d",
          "WITH d AS (DELETE FROM done WHERE id > 108 RETURNING 1/(rank - 110)) SELECT * FROM d",
          "WITH d AS (DELETE FROM note RETURNING 1) INSERT INTO done SELECT 110, 'twice', 1 FROM d",
          "WITH d AS (DELETE FROM job WHERE rank > 20 RETURNING *), k AS (UPDATE done SET rank = 3"
              + " FROM d WHERE d.id + 99 = done.id RETURNING done.id) INSERT INTO note SELECT d.id,"
              + " k.id::text FROM d LEFT JOIN k ON k.id = d.id + 99",
          "WITH a AS (UPDATE job SET rank = rank - 5, likes = likes - 1 WHERE id = 1) UPDATE job"
              + " SET rank = rank + 5, likes = likes + 1 WHERE id = 2",
          "WITH a AS (UPDATE job SET rank = rank - 5 WHERE id = 2 RETURNING *) UPDATE job SET rank"
              + " = job.rank + a.rank FROM a WHERE job.id = 3 RETURNING job.*, a.rank",
          "WITH u AS (UPDATE job SET rank = 0 RETURNING id) UPDATE job SET owner = 'x' FROM u WHERE"
              + " u.id = job.id",
          "WITH u AS (UPDATE job SET owner = 'even' WHERE id % 2 = 0), v AS (UPDATE job SET owner ="
              + " 'odd' WHERE id % 2 = 1 RETURNING id, owner) SELECT count(*), max(v::text) FROM v",
          "WITH u AS (UPDATE job SET owner = 'x' WHERE id < 10 RETURNING *) DELETE FROM cascaded"
              + " USING u WHERE n = u.id + 1",
          "WITH u AS (UPDATE item SET what = 'pen' WHERE line = 1 RETURNING *) DELETE FROM item"
              + " USING u WHERE item.purchase = u.purchase AND item.what <> 'x' RETURNING item.*",
          "WITH u AS (UPDATE item SET what = 'cup' WHERE line = 1 RETURNING purchase), d AS (DELETE"
              + " FROM item WHERE line = 2 AND purchase > 0 RETURNING *) SELECT * FROM d",
          "WITH i AS (INSERT INTO item VALUES (601, 1, 'new'), (602, 1, 'new') RETURNING what)"
              + " UPDATE item SET what = 'old' WHERE purchase > 600 OR purchase < 3",
          "WITH u AS (UPDATE part SET v = v + 100 WHERE id < 6 RETURNING v) UPDATE part SET v = -v"
              + " WHERE id > 5 AND id < 18 RETURNING id, day",
          "WITH u AS (UPDATE part SET day = 20 WHERE id = 4 RETURNING *) UPDATE part SET v = 3 FROM"
              + " u WHERE part.id IN (u.id, u.id + 1) RETURNING part.*",
          "WITH a AS (UPDATE job SET rank = 7 WHERE id < 12) UPDATE job SET rank = rank + 1 WHERE"
              + " id > 8 AND rank < 30",
          "WITH a AS (UPDATE job SET rank = 40 WHERE id < 12 RETURNING id), b AS (UPDATE job SET"
              + " rank = 41 WHERE id > 8 AND id < 20), c AS (UPDATE job SET rank = 42 WHERE id % 3"
              + " = 0) SELECT count(*) FROM a",
          "WITH a AS (UPDATE item SET what = 'a' WHERE purchase < 8), b AS (UPDATE item SET what ="
              + " 'b' WHERE purchase IN (SELECT n FROM tally) OR purchase > 2) UPDATE item SET what"
              + " = 'c' WHERE line = 1 AND purchase > 5 RETURNING *",
          "WITH u AS (UPDATE job SET rank = 0 WHERE id < 9), v AS (UPDATE done SET rank = 1"
              + " RETURNING id) UPDATE job SET rank = 1 FROM v WHERE job.id + 100 = v.id",
          "WITH u AS (UPDATE tally SET n = 8), q AS (SELECT max(tally.n) AS n FROM done, tally"
              + " WHERE rank > n) UPDATE tally SET n = tally.n + q.n FROM q WHERE code <> 'o1'",
          "WITH a AS (UPDATE job SET rank = rank - 5 WHERE id = 4 RETURNING id, rank), b AS (UPDATE"
              + " job SET rank = rank + 5 WHERE id = 5 RETURNING id, rank) INSERT INTO note SELECT"
              + " id, 'has ' || rank FROM a UNION ALL SELECT id, 'got ' || rank FROM b",
          "WITH d AS (DELETE FROM plain WHERE id = 1) DELETE FROM plain WHERE id = 2",
          "WITH d AS (DELETE FROM plain WHERE id < 5 RETURNING id) UPDATE plain SET v = d.id FROM d"
              + " WHERE plain.id = d.id + 3",
          "WITH d AS (DELETE FROM job WHERE id = 17 RETURNING rank) UPDATE job SET rank = rank +"
              + " (SELECT rank FROM d) WHERE id < 17",
          "WITH d AS (DELETE FROM job WHERE rank > 35 RETURNING *) UPDATE job SET rank = s.n FROM"
              + " (SELECT owner, count(*) AS n FROM d GROUP BY owner) s WHERE job.owner = s.owner",
          "WITH a AS (DELETE FROM job WHERE id < 9 RETURNING *), b AS (DELETE FROM job WHERE id >"
              + " 6) INSERT INTO done SELECT id + 700, owner, rank FROM a",
          "WITH a AS (DELETE FROM part WHERE v > 4) UPDATE part SET v = 5 WHERE id < 9",
          "WITH a AS (DELETE FROM done WHERE id % 2 = 0 RETURNING id), b AS (DELETE FROM done WHERE"
              + " id > 105 RETURNING rank) SELECT count(*), sum(rank) FROM b");

  /** What reads a table that a query of WITH changes sees it as it was. */
  private static final List<String> READ_BEFORE =
      List.of(
          "WITH u AS (UPDATE job SET rank = rank + 100 RETURNING id) SELECT * FROM job",
          "WITH u AS (UPDATE job SET rank = rank + 100 WHERE id < 9 RETURNING id, rank) SELECT"
              + " job.id, job.rank, u.rank FROM job JOIN u USING (id)",
          "WITH u AS (UPDATE job SET rank = 0 WHERE id < 9 RETURNING id) SELECT job.id, u.id, note"
              + " FROM u FULL JOIN job ON job.id = u.id + 5 LEFT JOIN note ON note.id = job.id"
              + " WHERE job.rank IS NULL OR job.rank > 3",
          "WITH given(k, o) AS (VALUES (3, 'x'), (41, 'y'), (42, 'z')), i AS (INSERT INTO job (id,"
              + " owner) SELECT k, o FROM given ON CONFLICT (id) DO NOTHING RETURNING id, owner)"
              + " SELECT id, owner, true FROM i UNION ALL SELECT id, owner, false FROM job JOIN"
              + " given ON id = k",
          "WITH d AS (DELETE FROM job WHERE rank < 5 RETURNING id) SELECT (SELECT count(*) FROM"
              + " job), (SELECT count(*) FROM d), (SELECT max(rank) FROM job WHERE id > 20)",
          "WITH d AS (DELETE FROM job WHERE rank < 9 RETURNING id, owner) SELECT d.id, (SELECT"
              + " count(*) FROM job WHERE job.owner = d.owner) FROM d",
          "WITH d AS (DELETE FROM job WHERE rank < 12 RETURNING id, owner) SELECT d.id, j.id FROM"
              + " d, LATERAL (SELECT id FROM job WHERE owner = d.owner ORDER BY id LIMIT 2) j",
          "WITH u AS (UPDATE job SET rank = 0 RETURNING id) UPDATE job SET owner = (SELECT"
              + " max(owner) FROM job) FROM u WHERE u.id = job.id",
          "WITH i AS (INSERT INTO job SELECT 60 + i FROM generate_series(1, 9) i) SELECT count(*),"
              + " count(DISTINCT owner), sum(likes) FROM job",
          "WITH i AS (INSERT INTO job SELECT 70 + i, 'g' FROM generate_series(1, 9) i RETURNING id)"
              + " SELECT job.id, owner, count(i.id) FROM job LEFT JOIN i ON i.id < job.id + 50"
              + " GROUP BY job.id",
          "WITH d AS (DELETE FROM cascaded WHERE n < 9 RETURNING job), u AS (UPDATE job SET rank ="
              + " c.n FROM cascaded c WHERE c.job = job.id RETURNING id, job.rank) SELECT * FROM u"
              + " WHERE id NOT IN (SELECT job FROM d)",
          "WITH d AS (DELETE FROM job WHERE id < 20 RETURNING id) SELECT * FROM cascaded, d",
          "WITH d AS (DELETE FROM part WHERE v < 9 RETURNING id) SELECT * FROM part2",
          "WITH d AS (DELETE FROM part1 WHERE v < 12 RETURNING id) SELECT * FROM part WHERE day >"
              + " 1",
          "WITH u AS (UPDATE tally SET n = n + 1 RETURNING code) SELECT * FROM tally",
          "WITH u AS (UPDATE note SET said = 'w' RETURNING id) SELECT said, done.id FROM note,"
              + " done",
          "WITH u AS (UPDATE job SET rank = 5 RETURNING id) SELECT * FROM job_view WHERE rank > 9",
          "WITH u AS (UPDATE job_view SET rank = 5 WHERE id < 9 RETURNING id) SELECT sum(rank) FROM"
              + " job",
          "WITH d AS (DELETE FROM done RETURNING id, rank) INSERT INTO note SELECT id, (SELECT"
              + " string_agg(owner, '' ORDER BY id) FROM done f WHERE f.rank < d.rank) FROM d"
              + " RETURNING said",
          "WITH i AS (INSERT INTO done SELECT id + 800, owner, rank FROM job RETURNING id), e AS"
              + " (SELECT * FROM done WHERE id > 100), f AS (SELECT max(id) AS m FROM e) SELECT"
              + " i.id FROM i, f, e WHERE i.id > f.m AND e.id = i.id - 700",
          "WITH d AS (DELETE FROM job WHERE rank < 3 RETURNING id) INSERT INTO done SELECT id +"
              + " 900, max(owner), 1 FROM job WHERE id < 9 GROUP BY id",
          "WITH RECURSIVE up(id) AS (SELECT min(id) FROM job UNION ALL SELECT job.id FROM job, up"
              + " WHERE job.id = up.id + 3), u AS (UPDATE job SET rank = -1 WHERE id < 8 RETURNING"
              + " id) SELECT up.id, u.id FROM up LEFT JOIN u ON u.id = up.id",
          "WITH u AS (UPDATE job SET likes = likes + 1 RETURNING id) SELECT max(likes), min(likes)"
              + " FROM job WHERE EXISTS (SELECT FROM cascaded WHERE job = id)",
          "WITH m AS (UPDATE mail SET address = 'p' || id WHERE id < 4 RETURNING id) SELECT address"
              + " FROM mail WHERE address IN ('m1', 'n1', 'p1', 'm8')",
          "WITH d AS (DELETE FROM job WHERE id = 29 RETURNING id) SELECT id, rank() OVER (ORDER BY"
              + " rank), d FROM job LEFT JOIN d USING (id) WHERE id > 25");

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsChangeAsOnOnePostgreSql(String options) throws SQLException {
    twins.close();
    connect(options);
    same("BEGIN");
    for (String change : CHANGES.subList(0, 6)) {
      same(change);
    }
    sameRows();
    same("SAVEPOINT s");
    same(CHANGES.get(7));
    same("ROLLBACK TO s");
    sameRows();
    same("ROLLBACK");
    sameRows();
    for (String change : CHANGES) {
      same(change);
      sameRows();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=-1"})
  void whatReadsAChangedTableSeesItAsItWas(String options) throws SQLException {
    twins.close();
    connect(options);
    for (String change : READ_BEFORE) {
      same(change);
      sameRows();
    }
    same("BEGIN ISOLATION LEVEL REPEATABLE READ");
    for (String change : READ_BEFORE.subList(3, 7)) {
      same(change);
      sameRows();
    }
    same("ROLLBACK");
    sameRows();
  }

  private static final List<String> REFUSED =
      List.of(
          "WITH u AS (UPDATE tally SET n = 1 WHERE code = 'o1'), v AS (UPDATE tally SET n = 2 WHERE"
              + " code = 'o2' RETURNING n) UPDATE tally SET n = tally.n + v.n FROM v WHERE code ="
              + " 'x' RETURNING *",
          "WITH a AS (UPDATE job SET rank = 1 WHERE id < 5 RETURNING id), s AS (SELECT EXISTS"
              + " (SELECT FROM a) AS e) UPDATE job SET rank = 2 FROM s WHERE s.e AND job.id IN (3,"
              + " 4)",
          "WITH a AS (UPDATE job SET rank = 1 WHERE id < 5 RETURNING id), c AS (UPDATE job SET rank"
              + " = 2 WHERE id > 2) SELECT count(*) FROM a WHERE false",
          "WITH d AS (DELETE FROM job WHERE id < 3 RETURNING rank) UPDATE job SET rank = 0 WHERE id"
              + " = 1 OR rank < (SELECT max(rank) FROM d)",
          "WITH d AS (DELETE FROM plain WHERE id < 5 RETURNING id) UPDATE plain SET v = 2 WHERE"
              + " EXISTS (SELECT FROM d)",
          "WITH d AS (DELETE FROM plain WHERE id < 5 RETURNING id) DELETE FROM plain WHERE id > 2",
          "WITH a AS (UPDATE job SET rank = rank - 5 WHERE id < 9 RETURNING id), b AS (UPDATE job"
              + " SET rank = rank + 5 WHERE id > 5 RETURNING id) TABLE a UNION ALL TABLE b",
          "WITH m AS (UPDATE mail SET address = 'k' || id WHERE id < 3 RETURNING id) UPDATE mail"
              + " SET address = 'l' || mail.id FROM m WHERE mail.id = m.id + 2 RETURNING *",
          "WITH a AS (UPDATE job SET rank = 1 RETURNING id) UPDATE job SET rank = 2 WHERE EXISTS"
              + " (SELECT FROM a)",
          "WITH a AS (UPDATE job SET rank = 1 WHERE id < 11 RETURNING id) UPDATE job SET rank = 2"
              + " WHERE id > 5 RETURNING (SELECT count(*) FROM a)",
          "WITH b AS (UPDATE job SET rank = 2 RETURNING id), a AS (UPDATE job SET rank = 1) SELECT"
              + " EXISTS (SELECT FROM b)",
          "WITH u AS (UPDATE plain SET v = 0 WHERE id = 1) UPDATE plain SET v = 1 WHERE id = 2",
          "WITH u AS (UPDATE job_view SET rank = 0 WHERE id = 1) UPDATE job SET rank = 1 WHERE id ="
              + " 2",
          "WITH u AS (UPDATE job SET rank = 0 WHERE id < 9) UPDATE job SET rank = 1 WHERE rank > 20"
              + " * random()",
          "WITH i AS (INSERT INTO job VALUES (1), (2), (40) ON CONFLICT (id) DO UPDATE SET rank ="
              + " 7) UPDATE job SET rank = 1 WHERE id > 1",
          "WITH u AS (UPDATE part SET v = 0 WHERE id = 1) UPDATE part1 SET v = 1 WHERE id = 2",
          "WITH u AS (UPDATE job SET id = id + 100 WHERE id < 5) DELETE FROM job WHERE id > 100",
          "WITH i AS (INSERT INTO job SELECT i FROM generate_series(1, 30) i) DELETE FROM job WHERE"
              + " rank < 50",
          "WITH c AS (INSERT INTO cascaded VALUES (801, 1), (802, 1), (803, 1)) INSERT INTO job"
              + " VALUES (801), (802), (803)",
          "WITH d AS (DELETE FROM done RETURNING *) INSERT INTO done VALUES (101), (102), (103)");

  @Test
  void whatOthersWouldSeeTooEarlyIsRefused() {
    for (String sql : REFUSED) {
      assertEquals(List.of("0A000"), answer(twins.routed(), sql), sql);
    }
    sameRows();
  }

  @Test
  void aRowThatTwoChangesFindIsChangedOnce() throws SQLException {
    String once =
        "WITH a AS (UPDATE job SET rank = rank + 1000 WHERE id < 20 RETURNING id) UPDATE job SET"
            + " rank = rank + 1000 WHERE id > 10 AND owner <> ''";
    for (Connection connection : twins.both()) {
      run(connection, once);
    }
    same("SELECT * FROM job");
  }

  /** The statement itself comes first, so that nothing goes off when it is one row. */
  @Test
  void aTransferToTheSameRowOnlyArrives() throws SQLException {
    run(twins.routed(), "UPDATE job SET rank = 0");
    try (PreparedStatement transfer = twins.routed().prepareStatement(TRANSFER)) {
      for (int to = 7; to < 12; to++) {
        transfer.setInt(1, 7);
        transfer.setInt(2, to);
        assertEquals(1, transfer.executeUpdate());
      }
    }
    assertEquals(List.of("1", "5"), text("SELECT rank FROM job WHERE id IN (7, 8) ORDER BY id"));
  }

  private static final String TRANSFER =
      "WITH a AS (UPDATE job SET rank = rank - 1 WHERE id = ?) UPDATE job SET rank = rank + 5 WHERE"
          + " id = ?";

  /** Who meets another transfer in the other order is told of a deadlock. */
  @Test
  void transfersInOneStatementKeepTheSum() throws Exception {
    List<String> before = text("SELECT sum(rank), sum(likes) FROM job");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long seed = Long.getLong("abelian.seed", System.nanoTime());
    ExecutorService sessions = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> transferring = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Random random = new Random(seed + i);
        transferring.add(sessions.submit(session(end, (sql, turn) -> transfer(sql, random))));
      }
      int transfers = 0;
      for (Future<Integer> session : transferring) {
        transfers += session.get(60 + SECONDS, TimeUnit.SECONDS);
      }
      assertTrue(transfers > 0);
      assertEquals(before, text("SELECT sum(rank), sum(likes) FROM job"), "seed " + seed);
    } finally {
      sessions.shutdownNow();
    }
  }

  private static int transfer(Connection connection, Random random) throws SQLException {
    int from = 1 + random.nextInt(30);
    int to = 1 + (from + random.nextInt(29)) % 30;
    String where = random.nextBoolean() ? "id = " + to : "id = " + to + " AND rank IS NOT NULL";
    try {
      run(
          connection,
          "WITH a AS (UPDATE job SET rank = rank - 3, likes = likes - 2 WHERE id = "
              + from
              + ") UPDATE job SET rank = rank + 3, likes = likes + 2 WHERE "
              + where);
      return 1;
    } catch (SQLException deadlock) {
      assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
      return 0;
    }
  }

  @Test
  void valuesComeWithPreparedStatements() throws SQLException {
    String sql =
        "WITH d AS (DELETE FROM job WHERE rank BETWEEN ? AND ? RETURNING id, owner) INSERT INTO"
            + " done SELECT id + ?, owner, 4 FROM d RETURNING owner, id";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      try (PreparedStatement archive = connection.prepareStatement(sql)) {
        answer.add(archive.getMetaData().getColumnTypeName(2));
        for (int i = 0; i < 12; i++) {
          archive.setInt(1, 2 * i);
          archive.setInt(2, 2 * i + 1);
          archive.setLong(3, 1000);
          List<String> some = new ArrayList<>();
          try (ResultSet rows = archive.executeQuery()) {
            Twins.add(rows, some);
          }
          some.stream().sorted().forEach(answer::add);
        }
      }
      answers.add(answer);
    }
    assertEquals(answers.get(0), answers.get(1));
    sameRows();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "prepareThreshold=0", "prepareThreshold=1"})
  void whatIsDescribedInItsOwnGroupFindsAllRows(String options) throws SQLException {
    twins.close();
    connect(options);
    String sql =
        "WITH t AS (UPDATE tally SET n = n + ? RETURNING code, n) SELECT job.id, t.n FROM job JOIN"
            + " t ON t.code = owner ORDER BY id";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        // A parameter whose type the driver does not know: it asks for that before the execution.
        try (PreparedStatement change = connection.prepareStatement(sql)) {
          change.setObject(1, "1", Types.OTHER);
          try (ResultSet rows = change.executeQuery()) {
            Twins.add(rows, answer);
          }
        }
      }
      answers.add(answer);
    }
    assertEquals(answers.get(0), answers.get(1));
    sameRows();
  }

  @Test
  void explainChangesNothing() throws SQLException {
    run(twins.routed(), "EXPLAIN " + CHANGES.get(0));
    run(twins.routed(), "EXPLAIN " + CHANGES.get(3));
    sameRows();
    run(twins.routed(), "EXPLAIN ANALYZE " + CHANGES.get(3));
    run(twins.both().get(0), CHANGES.get(3));
    sameRows();
  }

  /** Some add rows, some archive them, one of which takes all back now and then. */
  @Test
  void whatIsArchivedMeanwhileIsNeitherLostNorDoubled() throws Exception {
    run(twins.routed(), "TRUNCATE job, cascaded, done");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    ExecutorService sessions = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> adding = new ArrayList<>();
      List<Future<Integer>> archiving = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int offset = i;
        adding.add(sessions.submit(session(end, (sql, turn) -> add(sql, 2 * turn + offset))));
        boolean takesBack = i == 1;
        archiving.add(
            sessions.submit(session(end, (sql, turn) -> archive(sql, takesBack && turn % 3 == 0))));
      }
      int added = 0;
      for (Future<Integer> session : adding) {
        added += session.get(60 + SECONDS, TimeUnit.SECONDS);
      }
      int archived = 0;
      for (Future<Integer> session : archiving) {
        archived += session.get(60 + SECONDS, TimeUnit.SECONDS);
      }
      assertEquals(List.of(Integer.toString(added - archived)), text("SELECT count(*) FROM job"));
      assertEquals(List.of(Integer.toString(archived)), text("SELECT count(*) FROM done"));
      assertEquals(List.of("0"), text("SELECT count(*) FROM job JOIN done USING (id)"));
    } finally {
      sessions.shutdownNow();
    }
  }

  private List<String> text(String sql) throws SQLException {
    List<String> answer = new ArrayList<>();
    try (Connection connection = router.connect();
        ResultSet rows = connection.createStatement().executeQuery(sql)) {
      while (rows.next()) {
        answer.add(rows.getString(1));
      }
    }
    return answer;
  }

  @FunctionalInterface
  private interface Work {
    int run(Connection connection, int turn) throws SQLException;
  }

  private Callable<Integer> session(long end, Work work) {
    return () -> {
      int count = 0;
      try (Connection connection = router.connect()) {
        for (int turn = 0; System.nanoTime() < end; turn++) {
          count += work.run(connection, turn);
        }
      }
      return count;
    };
  }

  private static int add(Connection connection, int number) throws SQLException {
    run(
        connection,
        "WITH i AS (INSERT INTO job SELECT "
            + 3 * number
            + " + i, 'a' FROM generate_series(0, 2) i RETURNING id) SELECT count(*) FROM i");
    return 3;
  }

  /** Two that archive the same rows may meet in either order; then one of them has done nothing. */
  private static int archive(Connection connection, boolean takesBack) throws SQLException {
    connection.setAutoCommit(!takesBack);
    int rows = 0;
    try (var statement = connection.createStatement()) {
      rows = statement.executeUpdate(ARCHIVES);
    } catch (SQLException deadlock) {
      assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
    }
    if (takesBack) {
      connection.rollback();
      return 0;
    }
    return rows;
  }

  private static final String ARCHIVES =
      "WITH gone AS (DELETE FROM job RETURNING *) INSERT INTO done SELECT id, owner, 1 FROM gone";

  /** One transaction has run the statement and meets the loss at COMMIT, one in the statement. */
  @Test
  void aNodeThatIsLostMeanwhileLeavesNothing() throws Exception {
    run(twins.routed(), "TRUNCATE cascaded");
    LocalNode last = cluster.nodes().get(2);
    List<String> before = text("SELECT count(*) FROM job");
    try (Connection connection = router.connect();
        Connection other = router.connect()) {
      connection.setAutoCommit(false);
      run(connection, ARCHIVES);
      last.kill();
      assertThrows(SQLException.class, connection::commit);
      assertThrows(SQLException.class, () -> run(other, ARCHIVES));
    } finally {
      last.start();
    }
    assertEquals(before, text("SELECT count(*) FROM job"));
    assertEquals(List.of("0"), text("SELECT count(*) FROM done WHERE id < 100"));
    try (Connection connection = router.connect()) {
      run(connection, ARCHIVES);
    }
    assertEquals(List.of("0"), text("SELECT count(*) FROM job"));
    assertEquals(before, text("SELECT count(*) FROM done WHERE id < 100"));
  }
}
