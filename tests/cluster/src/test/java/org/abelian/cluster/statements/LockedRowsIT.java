package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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

/** Rows of several nodes are locked, and changed by what was locked, as on one PostgreSQL. */
@WithNode
@WithCluster
class LockedRowsIT {
  private static final String DROP = "DROP TABLE IF EXISTS job, task, kind, desk, done CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE job (id int PRIMARY KEY, prio int, state text DEFAULT 'new', kind text)",
          "CREATE TABLE task (k text, part bigint, job int, PRIMARY KEY (k, part))",
          "CREATE TABLE kind (code text PRIMARY KEY, factor int)",
          "CREATE TABLE desk (id int PRIMARY KEY, job int)",
          "CREATE TABLE done (id int PRIMARY KEY, note text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('job', 'id')",
          "SELECT create_distributed_table('task', 'k, part')",
          "SELECT create_reference_table('kind')",
          "SELECT create_distributed_table('done', 'id')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO job (id, prio, kind) SELECT i, i * 7 % 41, 'k' || i % 4 FROM"
              + " generate_series(1, 40) i",
          "INSERT INTO task SELECT chr(97 + i % 5), i, i FROM generate_series(1, 20) i",
          "INSERT INTO kind SELECT 'k' || i, i FROM generate_series(0, 2) i",
          "INSERT INTO desk SELECT i, i * 2 FROM generate_series(1, 5) i");

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  LockedRowsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    twins = new Twins(single, router, "");
    twins.create(DROP, TABLES, PLACEMENTS);
    ROWS.forEach(this::both);
  }

  @AfterEach
  void drop() throws SQLException {
    twins.close();
    twins = new Twins(single, router, "");
    both(DROP);
    twins.close();
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  private void both(String sql) {
    twins.same(sql);
  }

  /** The order of what is returned is not said. */
  private void sorted(String sql) {
    twins.sameUnordered(sql);
  }

  private void sameRows() {
    for (String table : List.of("job", "task", "kind", "desk", "done")) {
      sorted("SELECT * FROM " + table);
    }
  }

  private static final List<String> STATEMENTS =
      List.of(
          "SELECT * FROM job ORDER BY prio LIMIT 5 FOR UPDATE SKIP LOCKED",
          "SELECT id FROM job WHERE state = 'new' ORDER BY prio DESC OFFSET 2 LIMIT 3 FOR SHARE",
          "SELECT id, prio + 1 FROM job ORDER BY 2 FETCH FIRST 4 ROWS ONLY FOR NO KEY UPDATE"
              + " NOWAIT",
          "SELECT id FROM job WHERE id = 7 ORDER BY prio LIMIT 1 FOR UPDATE",
          "SELECT j.id, k.factor FROM job j JOIN kind k ON k.code = j.kind ORDER BY j.prio LIMIT 6"
              + " FOR UPDATE OF j SKIP LOCKED",
          "SELECT count(*), sum(prio) FROM (SELECT prio FROM job WHERE prio > 9 FOR UPDATE) s",
          "SELECT sum(prio) FROM (SELECT prio FROM job ORDER BY prio LIMIT 7 FOR UPDATE) s",
          "WITH next AS (SELECT * FROM job ORDER BY prio LIMIT 3 FOR UPDATE SKIP LOCKED) SELECT"
              + " n.*, desk.id FROM next n LEFT JOIN desk ON desk.job = n.id ORDER BY n.id",
          "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE state = 'new' ORDER BY prio LIMIT"
              + " 3 FOR UPDATE SKIP LOCKED) RETURNING *",
          "UPDATE job SET state = 'taken' WHERE id = (SELECT id FROM job WHERE state = 'new' ORDER"
              + " BY prio FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id, state",
          "WITH next AS (SELECT id FROM job WHERE state = 'new' ORDER BY prio FOR UPDATE SKIP"
              + " LOCKED LIMIT 1) UPDATE job SET state = 'taken' FROM next WHERE job.id = next.id"
              + " RETURNING job.*",
          "UPDATE job SET state = 'taken by ' || n.prio FROM (SELECT id, prio FROM job WHERE state"
              + " = 'new' ORDER BY prio LIMIT 4 FOR UPDATE NOWAIT) n WHERE n.id = job.id RETURNING"
              + " job.id, n.prio",
          "DELETE FROM job USING (SELECT prio FROM job ORDER BY prio LIMIT 2 FOR UPDATE) n WHERE"
              + " n.prio = job.prio RETURNING id",
          "DELETE FROM job WHERE id = ANY (ARRAY(SELECT id FROM job ORDER BY prio LIMIT 2 FOR"
              + " UPDATE SKIP LOCKED)) RETURNING id",
          "DELETE FROM job WHERE id IN (SELECT id FROM (SELECT id FROM job ORDER BY prio LIMIT 2"
              + " FOR UPDATE SKIP LOCKED) s WHERE id > 0) AND state = 'new' RETURNING id",
          "DELETE FROM task WHERE (k, part) IN (SELECT k, part FROM task ORDER BY job DESC LIMIT 3"
              + " FOR UPDATE SKIP LOCKED) RETURNING *",
          "DELETE FROM task USING (SELECT id FROM job ORDER BY id LIMIT 9 FOR SHARE) j WHERE j.id ="
              + " part RETURNING task.*",
          "UPDATE job SET prio = prio - (SELECT sum(factor) FROM kind) WHERE id IN (SELECT job FROM"
              + " desk ORDER BY id LIMIT 2 FOR UPDATE) RETURNING *",
          "UPDATE desk SET job = n.id FROM (SELECT id FROM job ORDER BY prio LIMIT 1 FOR UPDATE) n"
              + " WHERE desk.id = 3 RETURNING *",
          "UPDATE kind SET factor = factor + 1 WHERE code = (SELECT kind FROM job WHERE kind < 'k3'"
              + " ORDER BY prio LIMIT 1 FOR UPDATE) RETURNING *",
          "UPDATE job SET state = t.k FROM task t, (SELECT id FROM job ORDER BY prio LIMIT 8 FOR"
              + " UPDATE) n WHERE n.id = job.id AND t.job = job.id RETURNING job.id, t.part",
          "WITH next AS (SELECT id, kind FROM job ORDER BY prio LIMIT 3 FOR UPDATE SKIP LOCKED)"
              + " INSERT INTO done SELECT id, kind FROM next RETURNING *",
          "INSERT INTO done SELECT id + 100, kind FROM job ORDER BY prio LIMIT 2 FOR UPDATE",
          "UPDATE job SET state = 'x' WHERE id = (SELECT id FROM job ORDER BY prio LIMIT 2 FOR"
              + " UPDATE)",
          "UPDATE job SET state = 'none' WHERE id IN (SELECT id FROM job WHERE prio > 99 LIMIT 2"
              + " FOR UPDATE)",
          "UPDATE job SET prio = 1 / n.zero FROM (SELECT id, 0 AS zero FROM job ORDER BY prio LIMIT"
              + " 4 FOR UPDATE) n WHERE n.id = job.id",
          "DELETE FROM job WHERE id NOT IN (SELECT id FROM job ORDER BY prio LIMIT 5 FOR UPDATE)"
              + " RETURNING id");

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsAreLockedAndChangedAsOnOnePostgreSql(String options) throws SQLException {
    twins.close();
    twins = new Twins(single, router, options);
    both("BEGIN");
    STATEMENTS.subList(0, 22).forEach(this::sorted);
    sameRows();
    both("ROLLBACK");
    sameRows();
    STATEMENTS.forEach(this::sorted);
    sameRows();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT j.id, d.id FROM job j JOIN desk d ON d.job = j.id FOR UPDATE OF j",
        "SELECT j.id, d.id FROM job j JOIN desk d ON d.job = j.id FOR UPDATE",
        "SELECT j.*, t.k FROM job j JOIN task t ON t.job = j.id WHERE j.prio < 20 ORDER BY j.id FOR"
            + " UPDATE OF t SKIP LOCKED",
        "SELECT t.k, j.id FROM task t LEFT JOIN job j ON j.prio = t.job AND j.kind = 'k1' ORDER BY"
            + " t.part, j.id FOR SHARE OF t",
        "SELECT a.id, b.id FROM job a JOIN job b ON a.prio = b.prio + 1 WHERE a.id < 9 ORDER BY 1"
            + " FOR NO KEY UPDATE OF b NOWAIT",
        "SELECT k.code, j.id FROM job j JOIN kind k ON k.factor = j.prio ORDER BY j.id FOR KEY"
            + " SHARE",
        "SELECT id FROM job WHERE prio IN (SELECT part FROM task WHERE k = 'b') ORDER BY id FOR"
            + " UPDATE",
        "SELECT t.k, j.id FROM task t LEFT JOIN job j ON j.prio = t.job FOR UPDATE OF j",
        "SELECT j.id FROM job j JOIN task t ON t.job = j.id WHERE j.id > 99 FOR UPDATE",
      })
  void rowsOfAJoinAreLocked(String sql) throws SQLException {
    sorted(sql);
    both("BEGIN");
    both("UPDATE job SET prio = prio + 1");
    sorted(sql);
    both("COMMIT");
  }

  /** The same rows are locked as on one PostgreSQL. */
  @Test
  void aJoinLocksNoMoreThanItsRows() throws SQLException {
    String join = "SELECT j.id FROM job j JOIN task t ON t.job = j.prio WHERE t.k = 'b' FOR UPDATE";
    for (String of : List.of("", " OF j", " OF t")) {
      List<List<String>> left = new ArrayList<>();
      for (Connection connection : twins.both()) {
        run(connection, "BEGIN");
        run(connection, join + of);
        List<String> rows = new ArrayList<>();
        try (Connection other =
            connection == twins.routed() ? connect() : single.connectAsSuperuser()) {
          rows.addAll(run(other, "SELECT id FROM job FOR UPDATE SKIP LOCKED"));
          rows.addAll(run(other, "SELECT k, part FROM task FOR UPDATE SKIP LOCKED"));
        }
        run(connection, "COMMIT");
        left.add(rows.stream().sorted().toList());
      }
      assertTrue(left.get(0).size() < 60, of);
      assertEquals(left.get(0), left.get(1), of);
    }
  }

  @Test
  void whatDependsOnWhichRowsCanBeLockedIsRefused() throws SQLException {
    for (String sql :
        List.of(
            "SELECT j.id FROM job j JOIN task t ON t.job = j.id ORDER BY 1 LIMIT 3 FOR UPDATE",
            "SELECT * FROM (SELECT id FROM job ORDER BY prio LIMIT 5) s FOR UPDATE",
            "SELECT id, (SELECT k FROM task t WHERE t.job = job.id FOR UPDATE) FROM job",
            "UPDATE job SET state = 'x' WHERE EXISTS (SELECT FROM task t WHERE t.job = job.id FOR"
                + " UPDATE)")) {
      assertEquals(List.of("0A000"), answer(twins.routed(), sql), sql);
    }
  }

  @Test
  void valuesComeWithPreparedStatements() throws SQLException {
    String sql =
        "WITH next AS (SELECT id FROM job WHERE state = ? AND prio > ? ORDER BY prio LIMIT ? FOR"
            + " UPDATE SKIP LOCKED) UPDATE job SET state = ? FROM next WHERE job.id = next.id"
            + " RETURNING job.id, job.state, job.prio";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> answer = new ArrayList<>();
      try (PreparedStatement update = connection.prepareStatement(sql)) {
        answer.add(update.getMetaData().getColumnName(2));
        for (int i = 1; i < 9; i++) {
          update.setString(1, "new");
          update.setInt(2, i * 3);
          update.setLong(3, i % 3);
          update.setString(4, "taken " + i);
          try (ResultSet rows = update.executeQuery()) {
            List<String> found = new ArrayList<>();
            Twins.add(rows, found);
            found.stream().sorted().forEach(answer::add);
          }
        }
      }
      answers.add(answer);
    }
    assertTrue(answers.get(0).size() > 5, answers.toString());
    assertEquals(answers.get(0), answers.get(1));
    both(
        "PREPARE p(int) AS DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY prio LIMIT $1"
            + " FOR UPDATE)");
    both("EXECUTE p(4)");
    both("EXECUTE p(0)");
    sameRows();
  }

  @Test
  void aPlanLocksNothing() throws SQLException {
    String sql =
        "UPDATE job SET state = 'taken' WHERE id = (SELECT id FROM job ORDER BY prio FOR UPDATE"
            + " LIMIT 1)";
    both("BEGIN");
    String plan = answer(twins.routed(), "EXPLAIN (COSTS OFF) " + sql).toString();
    assertTrue(plan.contains("Update on job"), plan);
    try (Connection other = connect()) {
      assertEquals(List.of("count 40"), run(other, "UPDATE job SET prio = prio"));
    }
    both("ROLLBACK");
    run(twins.routed(), "EXPLAIN (ANALYZE, COSTS OFF) " + sql);
    assertEquals(
        List.of("1|"), run(twins.routed(), "SELECT count(*) FROM job WHERE state = 'taken'"));
  }

  /** Who holds the locks is a session of the same router. */
  @Test
  void lockedRowsAreSkippedWaitedForOrAnError() throws SQLException {
    String first = "SELECT id FROM job ORDER BY prio LIMIT 1 FOR UPDATE";
    String update =
        "UPDATE job SET state = 'taken' WHERE id IN (SELECT id FROM job ORDER BY prio LIMIT 2 FOR"
            + " UPDATE %s) RETURNING prio";
    try (Connection holder = connect()) {
      holder.setAutoCommit(false);
      String best = run(holder, first).get(0);
      assertEquals(List.of("55P03"), answer(twins.routed(), first + " NOWAIT"));
      assertEquals(List.of("55P03"), answer(twins.routed(), update.formatted("NOWAIT")));
      assertEquals(List.of("new|"), run(twins.routed(), "SELECT DISTINCT state FROM job"));
      List<String> next = run(twins.routed(), first + " SKIP LOCKED");
      assertTrue(!next.isEmpty() && !next.contains(best), best + next);
      assertEquals(
          List.of("2|", "3|"),
          run(twins.routed(), update.formatted("SKIP LOCKED")).stream().sorted().toList());
      run(twins.routed(), "SET lock_timeout = '200ms'");
      assertEquals(List.of("55P03"), answer(twins.routed(), first));
      assertEquals(List.of("55P03"), answer(twins.routed(), update.formatted("")));
    }
  }
}
