package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.fastpath.Fastpath;
import org.postgresql.fastpath.FastpathArg;

/** What a session has for itself ends with it, and no other session gets it. */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnSessionStateIT {
  /** More than a node has connections for one router. */
  private static final int SESSIONS = 110;

  private static final int PG_ADVISORY_LOCK = 2880;
  private static final long WAIT_NANOS = 20_000_000_000L;

  private final LocalCluster cluster;
  private final RouterServer router;
  private final LocalNode single;

  OwnSessionStateIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
    this.single = single;
  }

  @BeforeAll
  void create() throws SQLException {
    try (Twins twins = new Twins(single, router, "")) {
      twins.create(
          "DROP TABLE IF EXISTS account, plain",
          List.of(
              "CREATE TABLE account (id int PRIMARY KEY, n int)", "CREATE TABLE plain (v text)"),
          List.of("SELECT create_distributed_table('account', 'id')"));
      twins.same("INSERT INTO account SELECT i, i FROM generate_series(1, 40) i");
      twins.same("CREATE SEQUENCE IF NOT EXISTS ticket");
      run(twins.routed(), "GRANT ALL ON account, plain, ticket TO PUBLIC");
      twins.same(
          "CREATE OR REPLACE FUNCTION takes(n bigint) RETURNS text LANGUAGE sql STABLE AS"
              + " 'SELECT pg_advisory_lock(n)::text'");
      twins.same(
          "CREATE OR REPLACE FUNCTION hides() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN EXECUTE NEW.v; RETURN NULL; END'");
      twins.same(
          "CREATE CONSTRAINT TRIGGER hides AFTER INSERT ON plain DEFERRABLE"
              + " FOR EACH ROW WHEN (NEW.v ~ 'TABLE') EXECUTE FUNCTION hides()");
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Twins twins = new Twins(single, router, "")) {
      twins.same("DROP TABLE account, plain");
      twins.same("DROP SEQUENCE ticket");
      twins.same("DROP FUNCTION takes(bigint), hides()");
    }
  }

  /**
   * While a temporary table is there, its name means it; before and after, the rows of all nodes.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN; CREATE TEMP TABLE account (n int); ?; ROLLBACK; ?",
        "BEGIN; CREATE TEMP TABLE account (n int) ON COMMIT DROP; ?; COMMIT; ?",
        "BEGIN; SAVEPOINT s; CREATE TEMP TABLE account (n int); ?; ROLLBACK TO s; ?; COMMIT; ?",
        "CREATE TEMP TABLE account (n int); ?; BEGIN; DROP TABLE account; ?; ROLLBACK; ?",
        "CREATE TEMP TABLE account (n int); BEGIN; SAVEPOINT s; DROP TABLE account; ?;"
            + " ROLLBACK TO s; ?; COMMIT; ?",
        "CREATE TEMP TABLE account (n int); BEGIN; ?; DISCARD TEMP; ?; COMMIT; ?",
        "CREATE TEMP TABLE account (n int); BEGIN; ?; DISCARD TEMP; ?; ROLLBACK; ?",
        "CREATE TEMP TABLE account (n int); ?; DISCARD TEMP; ?",
        "CREATE TEMP TABLE account (n int); ?; DISCARD ALL; ?",
        "CREATE TEMP TABLE account (n int); ?; DROP TABLE account; ?"
      })
  void temporaryTablesHideOthersWhileTheyAreThere(String script) throws SQLException {
    try (Twins twins = new Twins(single, router, "");
        Twins others = new Twins(single, router, "")) {
      for (String step : script.split(";")) {
        twins.same(step.strip().equals("?") ? "SELECT count(*), sum(n) FROM account" : step);
        others.same("SELECT count(*), sum(n) FROM account");
      }
    }
  }

  /** The same of those that no statement makes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?; DROP TABLE account; ?",
        "INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?; DISCARD ALL; ?",
        "INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?;"
            + " INSERT INTO plain VALUES ('DROP TABLE account'); ?",
        "BEGIN; INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?; ROLLBACK; ?",
        "BEGIN; INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int) ON COMMIT DROP'); ?;"
            + " COMMIT; ?; ?",
        "BEGIN; SAVEPOINT s; INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?;"
            + " ROLLBACK TO s; ?; COMMIT; ?",
        "BEGIN; SET CONSTRAINTS ALL DEFERRED;"
            + " INSERT INTO plain VALUES ('CREATE TEMP TABLE account (n int)'); ?; COMMIT; ?",
        "CREATE TEMP TABLE other (n int); ?; INSERT INTO plain VALUES ('ALTER TABLE pg_temp.other"
            + " RENAME TO account; --TABLE'); ?"
      })
  void soDoThoseThatTriggersMake(String script) throws SQLException {
    try (Twins twins = new Twins(single, router, "");
        Twins others = new Twins(single, router, "")) {
      twins.same("SELECT count(*), sum(n) FROM account");
      for (String step : script.split(";")) {
        twins.same(step.strip().equals("?") ? "SELECT count(*), sum(n) FROM account" : step);
        others.same("SELECT count(*), sum(n) FROM account");
      }
    }
  }

  /** The router looks for them on the first node only. */
  @Test
  void aTriggerElsewhereThatHidesATableIsRefused() throws SQLException {
    try (Connection one = router.connect()) {
      run(one, "CREATE TABLE command (id int PRIMARY KEY, v text)");
      run(one, "SELECT create_distributed_table('command', 'id')");
      run(
          one,
          "CREATE TRIGGER hides AFTER INSERT ON command FOR EACH ROW EXECUTE FUNCTION hides()");
      int refused = 0;
      for (int id = 1; id <= 9; id++) {
        String insert = "INSERT INTO command VALUES (%d, '%s')";
        run(one, insert.formatted(id, "CREATE TEMP TABLE IF NOT EXISTS scratch_of_it (n int)"));
        try {
          run(one, insert.formatted(id + 100, "SELECT 1"));
          run(one, "DELETE FROM command");
          run(one, insert.formatted(id, "CREATE TEMP TABLE account (n int)"));
          assertEquals(List.of("0|"), run(one, "SELECT count(*) FROM account"));
          run(one, "DROP TABLE account");
        } catch (SQLException hidden) {
          assertEquals("0A000", hidden.getSQLState(), hidden.getMessage());
          refused++;
          assertEquals(List.of("40|"), run(one, "SELECT count(*) FROM account"));
        }
        run(one, "DELETE FROM command");
      }
      assertTrue(refused > 0 && refused < 9, "refused " + refused);
      run(one, "DROP TABLE command");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT pg_advisory_lock(71)",
        "SELECT pg_try_advisory_lock_shared(7, 1)",
        "INSERT INTO plain SELECT 'x' WHERE pg_advisory_lock(71) IS NULL",
        "SELECT takes(71)",
        "DO 'BEGIN PERFORM pg_advisory_lock(71); END'",
        "BEGIN; SELECT pg_advisory_lock(71); ROLLBACK"
      })
  void locksAreHeldUntilTheirSessionEnds(String taking) throws SQLException {
    try (Connection holder = router.connect()) {
      for (String step : taking.split("; (?=SELECT|ROLLBACK)")) {
        run(holder, step);
      }
      disturb();
      assertEquals(1, locks());
    }
    awaitNoLocks();
  }

  @Test
  void aLockThatAFunctionCallTakesEndsWithItsSession() throws SQLException {
    try (Connection holder = router.connect()) {
      Fastpath calls = holder.unwrap(PGConnection.class).getFastpathAPI();
      calls.addFunction("pg_advisory_lock", PG_ADVISORY_LOCK);
      calls.fastpath("pg_advisory_lock", new FastpathArg[] {new FastpathArg(71L)});
      disturb();
      assertEquals(1, locks());
    }
    awaitNoLocks();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SELECT pg_advisory_unlock(71)", "SELECT pg_advisory_unlock_all()", "DISCARD ALL"})
  void aLockCanBeGivenBack(String giving) throws SQLException {
    try (Connection holder = router.connect()) {
      run(holder, "SELECT pg_advisory_lock(71)");
      disturb();
      run(holder, giving);
      assertEquals(0, locks());
    }
  }

  /** DISCARD TEMP is about tables: locks stay. */
  @Test
  void discardOfTemporaryTablesKeepsLocks() throws SQLException {
    try (Connection holder = router.connect()) {
      run(holder, "SELECT pg_advisory_lock(71)");
      run(holder, "DISCARD TEMP");
      disturb();
      assertEquals(1, locks());
    }
    awaitNoLocks();
  }

  /** Idle sessions that have called such functions keep no connection to a node. */
  @Test
  void idleSessionsLendTheirConnections() throws SQLException {
    List<Connection> idle = new ArrayList<>();
    try {
      for (int i = 0; i < SESSIONS; i++) {
        Connection one = router.connect();
        idle.add(one);
        run(one, "SELECT nextval('ticket'), random(), gen_random_uuid()");
        run(one, "SELECT pg_advisory_xact_lock(72)");
      }
    } finally {
      for (Connection one : idle) {
        one.close();
      }
    }
  }

  /** Others use the connections that the pools lend. */
  private void disturb() throws SQLException {
    for (int i = 0; i < 3; i++) {
      try (Connection other = router.connect()) {
        run(other, "SELECT count(*) FROM account");
        run(other, "SELECT count(*) FROM plain");
      }
    }
  }

  private int locks() throws SQLException {
    int locks = 0;
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        locks +=
            run(
                    direct,
                    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted"
                        + " AND (objsubid, objid) IN ((1, 71), (2, 1))")
                .size();
      }
    }
    return locks;
  }

  private void awaitNoLocks() throws SQLException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (locks() != 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertEquals(0, locks());
  }
}
