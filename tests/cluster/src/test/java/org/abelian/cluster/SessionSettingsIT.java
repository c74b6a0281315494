package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever way a session sets something, it holds on every node, as long as it would on one
 * PostgreSQL: seen by row security over three nodes, whose policy asks for a setting.
 */
@WithNode
@WithCluster
class SessionSettingsIT {
  private static final List<String> TABLES =
      List.of(
          "DROP TABLE IF EXISTS tenants, spread",
          "DROP SCHEMA IF EXISTS other_path CASCADE",
          "CREATE TABLE spread (id int PRIMARY KEY, tenant int, x int)",
          "CREATE SCHEMA other_path",
          "CREATE TABLE other_path.spread (x int, id int PRIMARY KEY)",
          "CREATE OR REPLACE FUNCTION set_inside(t int, local bool) RETURNS text IMMUTABLE LANGUAGE"
              + " plpgsql AS $$ DECLARE r text; BEGIN r := set_config('app.tenant', t::text,"
              + " local); RETURN r; END $$",
          "CREATE OR REPLACE FUNCTION set_around() RETURNS text IMMUTABLE LANGUAGE plpgsql SET"
              + " DateStyle = 'German' AS $$ BEGIN RETURN date '2020-02-01'; END $$");

  private static final List<String> PLACEMENT =
      List.of(
          "SELECT create_distributed_table('spread', 'id')",
          "SELECT create_distributed_table('other_path.spread', 'id')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO spread VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 1, 4), (5, 2, 5), (6, 3,"
              + " 6), (7, 1, 7), (8, 2, 8), (9, 3, 9)",
          "INSERT INTO other_path.spread VALUES (1, 11), (2, 12), (3, 13), (4, 14), (5, 15), (6,"
              + " 16)",
          "ALTER TABLE spread ENABLE ROW LEVEL SECURITY",
          "ALTER TABLE spread FORCE ROW LEVEL SECURITY",
          "CREATE POLICY own ON spread USING (tenant = current_setting('app.tenant')::int)");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private static boolean created;

  SessionSettingsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    if (created) {
      return;
    }
    try (Connection bare = single.connect();
        Connection routed = router.connect()) {
      for (Connection connection : List.of(bare, routed)) {
        try (Statement statement = connection.createStatement()) {
          for (String sql : TABLES) {
            statement.execute(sql);
          }
          for (String sql : connection == routed ? PLACEMENT : List.<String>of()) {
            statement.execute(sql);
          }
          for (String sql : ROWS) {
            statement.execute(sql);
          }
        }
      }
    }
    created = true;
  }

  /** Each line is a message of the client; what comes of it is compared. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        BEGIN
        SET LOCAL unheard.of = 1
        SELECT id FROM spread WHERE id = 1
        SELECT id FROM spread WHERE id = 2
        SELECT id FROM spread WHERE id = 3
        ROLLBACK
        BEGIN
        SET LOCAL also.unheard = 1
        SELECT id FROM spread WHERE id = 4
        ROLLBACK
        BEGIN
        SET LOCAL nor.this = 1
        SELECT id FROM spread WHERE id = 3
        ROLLBACK\
        """,
        """
        SELECT set_config('app.tenant', '1', false)
        SELECT id FROM spread
        SELECT id FROM spread WHERE id = 2
        UPDATE spread SET x = x WHERE tenant IN (1, 2)
        SELECT count(*) FROM spread\
        """,
        """
        SET app.tenant = 1
        SELECT id FROM spread
        SET app.tenant TO '2'
        SELECT id FROM spread
        RESET app.tenant
        SELECT id FROM spread\
        """,
        """
        BEGIN
        SELECT set_config('app.tenant', '1', true)
        SELECT id FROM spread
        COMMIT
        SELECT id FROM spread\
        """,
        """
        SET app.tenant = 3
        BEGIN
        SELECT id FROM spread WHERE id = 3
        SELECT id FROM spread WHERE id = 4
        SELECT set_config('app.tenant', '1', true)
        SELECT id FROM spread
        SAVEPOINT a
        SELECT set_config('app.tenant', '2', false)
        SELECT id FROM spread
        ROLLBACK TO a
        SELECT id FROM spread
        COMMIT
        SELECT id FROM spread\
        """,
        """
        SET app.tenant = 3
        BEGIN
        SELECT set_config('app.tenant', '1', false)
        SELECT id FROM spread
        COMMIT
        SELECT id FROM spread
        BEGIN
        SELECT set_config('app.tenant', '2', false)
        SELECT id FROM spread
        ROLLBACK
        SELECT id FROM spread\
        """,
        """
        BEGIN
        SET LOCAL app.tenant = 2
        SELECT id FROM spread
        SAVEPOINT a
        SET LOCAL app.tenant = 1
        SELECT id FROM spread
        ROLLBACK TO a
        SELECT id FROM spread
        RELEASE a
        COMMIT
        SELECT current_setting('app.tenant', true) IS NULL\
        """,
        """
        SELECT set_inside(2, false)
        SELECT id FROM spread
        BEGIN
        SELECT set_inside(1, true)
        SELECT id FROM spread
        SELECT set_inside(3, true)
        SELECT id FROM spread
        COMMIT
        SELECT id FROM spread\
        """,
        """
        SET app.tenant = 1
        SELECT set_around()
        SELECT id FROM spread
        SELECT id, set_around() FROM spread\
        """,
        """
        SELECT set_config('app.tenant', '1', false); SELECT id FROM spread
        SELECT set_config('app.tenant', '2', true); SELECT id FROM spread
        SELECT id FROM spread
        SET app.tenant = 3; SELECT id FROM spread; SET app.tenant = 1; SELECT id FROM spread
        SET app.tenant = 2; SELECT 1 / 0
        SELECT id FROM spread\
        """,
        """
        SET app.tenant = 1
        BEGIN; SET LOCAL app.tenant = 2; SELECT id FROM spread; COMMIT; SELECT id FROM spread
        SELECT id FROM spread\
        """,
        """
        BEGIN
        SET app.tenant = 2
        SET work_mem = '77MB'
        COMMIT
        SHOW work_mem
        SELECT id FROM spread
        BEGIN
        SET app.tenant = 1
        SET LOCAL work_mem = '78MB'
        COMMIT AND CHAIN
        SELECT id FROM spread
        COMMIT
        BEGIN
        SET app.tenant = 3
        ROLLBACK
        SHOW work_mem
        SELECT id FROM spread\
        """,
        """
        BEGIN; SET app.tenant = 2; SELECT id FROM spread; COMMIT; SELECT id FROM spread
        SELECT id FROM spread
        DISCARD ALL
        SELECT count(*) FROM other_path.spread
        SELECT id FROM spread\
        """,
        """
        SET app.tenant = 2
        RESET ALL
        SELECT id FROM spread
        SELECT id FROM spread WHERE id = 2\
        """,
        """
        SET work_mem = '78MB'
        SET app.tenant = 2
        BEGIN
        UPDATE spread SET x = x
        SET LOCAL work_mem = '79MB'
        SAVEPOINT s
        RESET ALL
        SET app.tenant = 1
        SELECT id, current_setting('work_mem') FROM spread
        ROLLBACK TO s
        SELECT id, current_setting('work_mem') FROM spread
        RESET ALL
        SET app.tenant = 3
        SELECT id, current_setting('work_mem') FROM spread
        ROLLBACK
        SELECT id, current_setting('work_mem') FROM spread
        SELECT 1; RESET ALL
        SET app.tenant = 3; SELECT id, current_setting('work_mem') FROM spread\
        """,
        """
        SELECT set_config('search_path', 'other_path', false)
        SELECT x FROM spread WHERE id = 15
        SELECT x FROM spread WHERE id = 16
        SELECT count(*) FROM spread
        SET search_path = public
        SET app.tenant = 1
        SELECT id FROM spread WHERE id = 4\
        """,
        """
        BEGIN
        SET LOCAL search_path = other_path
        SELECT x FROM spread WHERE id = 11
        SELECT x FROM spread WHERE id = 12
        SELECT x FROM spread WHERE id = 13
        COMMIT
        SET app.tenant = 1
        SELECT x FROM spread WHERE id = 1\
        """,
        """
        BEGIN
        SELECT set_config('search_path', 'other_path', true)
        SELECT x FROM spread WHERE id = 14
        SELECT x FROM spread WHERE id = 15
        ROLLBACK
        SET app.tenant = 2
        SELECT x FROM spread WHERE id = 5\
        """,
        """
        SELECT set_config('DateStyle', 'German', false), set_config('TimeZone', 'Asia/Tokyo', false)
        SET app.tenant = 2
        SELECT id, date '2020-02-01', timestamptz '2020-02-01 00:00:00+00' FROM spread\
        """,
        """
        SET TIME ZONE INTERVAL '+05:30' HOUR TO MINUTE
        SET app.tenant = 2
        SELECT id, timestamptz '2020-02-01 00:00:00+00' FROM spread\
        """,
        """
        SET app.tenant = 2
        SET app.text = E'it''s a \\\\ and\\na line'
        SELECT id, current_setting('app.text') FROM spread\
        """,
      })
  void rowsAreThoseOfOnePostgresql(String script) throws IOException {
    try (WireClient alone = wire(single.port());
        WireClient through = wire(router.port())) {
      for (String sql : script.split("\n")) {
        assertEquals(ask(alone, sql), ask(through, sql), sql + "\nof\n" + script);
      }
    }
  }

  private static WireClient wire(int port) throws IOException {
    return ParityFixture.wire(port);
  }

  private static List<String> ask(WireClient client, String sql) throws IOException {
    return ParityFixture.ask(client, sql);
  }

  @Test
  void statementsOfOneGroupSeeWhatOneBeforeThemSets() throws IOException {
    try (WireClient alone = wire(single.port());
        WireClient through = wire(router.port())) {
      List<List<String>> answers = new ArrayList<>();
      for (WireClient client : List.of(alone, through)) {
        for (String sql :
            List.of(
                "SELECT set_config('app.tenant', '2', false)",
                "SELECT id FROM spread",
                "SET app.tenant = 1",
                "SELECT id FROM spread WHERE id < 8")) {
          client.parse("", sql).bind("", "", 0).execute("", 0);
        }
        answers.add(ParityFixture.answers(client.sync().untilReady()));
        answers.add(ask(client, "SELECT id FROM spread"));
      }
      assertEquals(answers.subList(0, 2), answers.subList(2, 4));
    }
  }

  @Test
  void aRoleThatIsTakenByAFunctionIsTakenOnAllNodes() throws Exception {
    superuser("DROP ROLE IF EXISTS settings_reader");
    superuser("CREATE ROLE settings_reader");
    superuser("GRANT settings_reader TO app");
    try (WireClient alone = wire(single.port());
        WireClient through = wire(router.port())) {
      for (String sql :
          List.of(
              "SET app.tenant = 1",
              "SELECT set_config('role', 'settings_reader', false)",
              "SELECT id FROM spread",
              "SELECT id FROM spread WHERE id = 1",
              "SELECT id FROM spread WHERE id = 2",
              "SELECT id FROM spread WHERE id = 3",
              "RESET ROLE",
              "SELECT id FROM spread",
              "SET ROLE settings_reader",
              "DISCARD ALL",
              "SET app.tenant = 1",
              "SELECT id FROM spread")) {
        assertEquals(ask(alone, sql), ask(through, sql), sql);
      }
    }
    superuser("DROP ROLE settings_reader");
  }

  /** The statement of the same text, by another name, has other columns. */
  @Test
  void aBlockThatSetsItsSearchPathPreparesStatementsAnew() throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(single.port(), router.port())) {
      List<String> answers = new ArrayList<>();
      try (WireClient client = wire(port)) {
        ask(client, "SET app.tenant = 1");
        for (int round = 0; round < 3; round++) {
          answers.addAll(ask(client, round == 1 ? "SELECT 1" : "BEGIN"));
          for (String path : List.of("public", "other_path", "public")) {
            answers.addAll(ask(client, "SET search_path = " + path));
            String name = "S_" + answers.size();
            client.parse(name, "SELECT * FROM spread WHERE id = 4").describe('S', name);
            client.bind("", name, 0).execute("", 0);
            answers.addAll(ParityFixture.answers(client.sync().untilReady()));
          }
          answers.addAll(ask(client, "COMMIT"));
        }
      }
      both.add(answers);
    }
    assertEquals(both.get(0), both.get(1));
  }

  @Test
  void whatABlockMaySetDependsOnTheRoleThatItHasTaken() throws Exception {
    superuser("DROP ROLE IF EXISTS settings_writer");
    superuser("CREATE ROLE settings_writer");
    superuser("GRANT SET ON PARAMETER log_min_duration_statement TO settings_writer");
    superuser("GRANT settings_writer TO app");
    String set = "SET LOCAL log_min_duration_statement = 5000";
    try (WireClient alone = wire(single.port());
        WireClient through = wire(router.port())) {
      for (String sql :
          List.of(
              "BEGIN; SET LOCAL ROLE settings_writer",
              set,
              "SHOW log_min_duration_statement",
              "COMMIT",
              "BEGIN",
              "SET LOCAL ROLE settings_writer",
              "SAVEPOINT s",
              set,
              "ROLLBACK TO s",
              "RESET ROLE",
              set,
              "ROLLBACK",
              "BEGIN",
              "SET LOCAL ROLE settings_writer",
              set,
              "COMMIT",
              // Nobody need be asked any more what it is.
              "BEGIN",
              "SET LOCAL ROLE settings_writer",
              set,
              "SHOW log_min_duration_statement",
              "COMMIT")) {
        assertEquals(ask(alone, sql), ask(through, sql), sql);
      }
    } finally {
      superuser("REVOKE SET ON PARAMETER log_min_duration_statement FROM settings_writer");
      superuser("DROP ROLE settings_writer");
    }
  }

  /** On the bare node, and through the router on all nodes. */
  private void superuser(String sql) throws SQLException {
    try (Connection bare = single.connectAsSuperuser();
        Connection routed =
            java.sql.DriverManager.getConnection(
                router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER)) {
      for (Connection connection : List.of(bare, routed)) {
        try (Statement statement = connection.createStatement()) {
          // What all nodes run is refused at a strict level, which a default may be by now.
          statement.execute("SET default_transaction_isolation = 'read committed'");
          statement.execute(sql);
        }
      }
    }
  }

  @Test
  void defaultsOfTheRoleHoldForSessionsThatBeginAfterwards() throws Exception {
    try {
      for (String tenant : List.of("1", "3")) {
        superuser("ALTER ROLE app SET app.tenant = " + tenant);
        try (WireClient alone = wire(single.port());
            WireClient through = wire(router.port())) {
          assertEquals(
              ask(alone, "SELECT id FROM spread"), ask(through, "SELECT id FROM spread"), tenant);
        }
      }
    } finally {
      superuser("ALTER ROLE app RESET app.tenant");
    }
  }

  @Test
  void aSessionThatGoesOnTakesThemOverOnAllNodesAtOnce() throws Exception {
    try (WireClient old = wire(router.port())) {
      ask(old, "SELECT x FROM other_path.spread WHERE id = 11");
      superuser("ALTER ROLE app SET app.tenant = 2");
      try (WireClient alone = wire(single.port())) {
        List<String> expected = ask(alone, "SELECT id FROM spread");
        List<String> actual = ask(old, "SELECT id FROM spread");
        for (int tries = 0; tries < 3 && actual.toString().contains("40001"); tries++) {
          actual = ask(old, "SELECT id FROM spread");
        }
        boolean withoutThem = actual.toString().contains("42704");
        assertTrue(withoutThem || actual.equals(expected), actual.toString());
      }
    } finally {
      superuser("ALTER ROLE app RESET app.tenant");
    }
  }

  @Test
  void nothingIsLeftToTheNextSession() throws IOException {
    String question = "SELECT current_setting('app.leftover', true) IS NULL, id FROM spread";
    for (int i = 0; i < 3; i++) {
      try (WireClient one = wire(router.port())) {
        ask(one, "SET app.tenant = 1");
        ask(one, "SELECT set_config('app.leftover', 'x', false)");
        assertEquals("[f, 1]", ask(one, question).get(0));
      }
      try (WireClient next = wire(router.port())) {
        ask(next, "SET app.tenant = 1");
        assertEquals("[t, 1]", ask(next, question).get(0));
        assertEquals("[t, 4]", ask(next, question).get(1));
        assertEquals("[t, 7]", ask(next, question).get(2));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT set_config('default_transaction_isolation', 'serializable', false)",
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        "SET default_transaction_isolation = 'serializable'",
        "BEGIN; SET transaction_isolation = 'serializable'",
        "BEGIN; SET LOCAL transaction_isolation TO 'serializable'",
        "BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
      })
  void aStrictLevelIsKnownHoweverItIsSet(String sql) throws IOException {
    try (WireClient client = wire(router.port())) {
      ask(client, "SET abelian.distributed_isolation = 'one_node'");
      ask(client, sql);
      assertRefused(client, "SELECT count(*) FROM other_path.spread");
    }
  }

  private static void assertRefused(WireClient client, String sql) throws IOException {
    List<String> answer = ask(client, sql);
    assertEquals("E 0A000", answer.get(0), answer.toString());
  }

  @Test
  void aStrictLevelOfTheRoleOrDatabaseIsKnown() throws Exception {
    for (String whose : List.of("ROLE app", "DATABASE abelian")) {
      superuser("ALTER " + whose + " SET default_transaction_isolation = 'serializable'");
      try (WireClient client = wire(router.port());
          Connection driver = cluster.connect();
          Statement statement = driver.createStatement()) {
        ask(client, "SET abelian.distributed_isolation = 'one_node'");
        assertRefused(client, "SELECT count(*) FROM other_path.spread");
        statement.execute("SET abelian.distributed_isolation = 'one_node'");
        SQLException error =
            org.junit.jupiter.api.Assertions.assertThrows(
                SQLException.class,
                () -> statement.executeQuery("SELECT count(*) FROM other_path.spread"));
        assertEquals("0A000", error.getSQLState());
      } finally {
        superuser("ALTER " + whose + " RESET default_transaction_isolation");
      }
    }
  }
}
