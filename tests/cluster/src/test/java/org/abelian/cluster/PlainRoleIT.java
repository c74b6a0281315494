package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A role with nothing but a login, of which the router's role is a member, commits in every class
 * through the server: what the router says on its connections is sealed. The role itself cannot say
 * it.
 */
@WithCluster
class PlainRoleIT {
  private static final String ROLE = "plain_role";

  /** Of the password "plain_role", the same on every node. */
  private static final String VERIFIER =
      "SCRAM-SHA-256$4096:cGxhaW4tcm9sZS5zYWx0IQ=="
          + "$7DofSRhWpFN7SEOL2yT7/5jyaUwV+OWj5XqxNc6hrFA=:PhQJd+Pz3mxMoT1lJL0TPHGqu2L4DQms1KZrtoTyt9k=";

  private final LocalCluster cluster;
  private final RouterServer router;
  private Connection connection;
  private int from;
  private int to;

  PlainRoleIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      onNode(node, "DROP SCHEMA IF EXISTS plain_work CASCADE");
      // One that comes anew is another one, for which the server's connections are not good.
      onNode(
          node,
          "DO $$ BEGIN CREATE ROLE "
              + ROLE
              + " LOGIN PASSWORD '"
              + VERIFIER
              + "'; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
      onNode(node, "GRANT " + ROLE + " TO router");
      onNode(node, "CREATE SCHEMA plain_work AUTHORIZATION " + ROLE);
    }
    connection = connect();
    execute("SET search_path = plain_work");
    execute("CREATE TABLE account (id int PRIMARY KEY, balance abelian.counter, plain int)");
    execute("SELECT create_distributed_table('account', 'id')");
    for (int id = 1; id <= 30; id++) {
      execute("INSERT INTO account VALUES (" + id + ", 0, 0)");
    }
    execute(
        "CREATE PROCEDURE transfer(source int, target int) LANGUAGE sql BEGIN ATOMIC UPDATE account"
            + " SET balance = balance - 1 WHERE id = source; UPDATE account SET balance = balance +"
            + " 1 WHERE id = target; END");
    execute(
        "SELECT create_distributed_procedure('transfer(int, int)', 'source, target', 'account')");
    execute(
        "CREATE PROCEDURE mark(source int, target int) LANGUAGE plpgsql AS $$ BEGIN UPDATE account"
            + " SET plain = 1 WHERE id IN (source, target); END $$");
    execute(
        "SELECT create_distributed_procedure('mark(int, int)', 'source, target', 'account', class"
            + " => 'independent', unsafe => true)");
    execute("SET abelian.commit_notice = on");
    from = key(0);
    to = key(1);
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(router.jdbcUrl(), ROLE, ROLE);
  }

  private int key(int node) throws SQLException {
    String query = "SELECT min(id) FROM plain_work.account";
    try (Connection direct = cluster.node(node).connectAsSuperuser();
        Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @AfterEach
  void drop() throws SQLException {
    connection.close();
    try (Connection again = connect();
        Statement statement = again.createStatement()) {
      statement.execute("DROP TABLE plain_work.account CASCADE");
      statement.execute("DROP PROCEDURE IF EXISTS plain_work.transfer, plain_work.mark");
    }
    for (LocalNode node : cluster.nodes()) {
      onNode(node, "DROP OWNED BY " + ROLE);
    }
  }

  private static void onNode(LocalNode node, String sql) throws SQLException {
    try (Connection direct = node.connectAsSuperuser();
        Statement statement = direct.createStatement()) {
      statement.execute(sql);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What the router says of the commit of these statements. */
  private String commit(String... statements) throws SQLException {
    List<String> notices = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
        for (SQLWarning next = statement.getWarnings();
            next != null;
            next = next.getNextWarning()) {
          notices.add(next.getMessage());
        }
        statement.clearWarnings();
      }
    }
    return String.join("; ", notices);
  }

  private void assertClass(String expected, String notice) {
    assertTrue(notice.startsWith("commit class " + expected), notice);
  }

  @Test
  void everyClassCommits() throws SQLException {
    assertClass(
        "coordinated",
        commit(
            "BEGIN",
            "UPDATE account SET plain = 2 WHERE id = " + from,
            "UPDATE account SET plain = 2 WHERE id = " + to,
            "COMMIT"));
    assertClass(
        "commuting",
        commit(
            "BEGIN",
            "UPDATE account SET balance = balance - 1 WHERE id = " + from,
            "UPDATE account SET balance = balance + 1 WHERE id = " + to,
            "COMMIT"));
    assertClass("commuting", commit("CALL transfer(" + from + ", " + to + ")"));
    assertClass("independent", commit("CALL mark(" + from + ", " + to + ")"));
    execute("SET abelian.commit_class = 'coordinated'");
    assertClass("coordinated", commit("CALL mark(" + from + ", " + to + ")"));
    assertEquals("-2 1, 2 1", row(from) + ", " + row(to));
  }

  private String row(int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT balance, plain FROM account WHERE id = " + id)) {
      rows.next();
      return rows.getLong(1) + " " + rows.getInt(2);
    }
  }

  @Test
  void theClientCannotSayWhatTheRouterSays() throws SQLException {
    for (String words :
        List.of(
            "SELECT abelian.decide('abelian:1:x:1')",
            "SELECT abelian.commit_intent('" + new UUID(0, 1) + "', 1, '{1,2}', '{}')",
            "SELECT abelian.independent_advance(1)",
            "SELECT abelian.router_key('" + new UUID(0, 1) + "')")) {
      assertEquals("42501", assertThrows(SQLException.class, () -> execute(words)).getSQLState());
    }
    // Neither inside a function that runs on one node alone, behind a change that the router
    // announces.
    execute(
        "CREATE FUNCTION plain_work.place(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS"
            + " $$ BEGIN PERFORM create_distributed_table($1, 'id'); RETURN $1; END $$");
    execute("CREATE TABLE plain_work.alone (name text)");
    execute("INSERT INTO plain_work.alone VALUES ('plain_work.late')");
    String alone = "SELECT plain_work.place(name) FROM plain_work.alone";
    execute("BEGIN");
    execute("CREATE TABLE plain_work.late (id int PRIMARY KEY)");
    assertEquals("55000", assertThrows(SQLException.class, () -> execute(alone)).getSQLState());
    execute("ROLLBACK");
  }
}
