package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.cluster.wire.WireException;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** The server authenticates its clients itself, by SCRAM, against the nodes' passwords. */
@WithCluster
class AuthenticationIT {
  private static final List<String> CREATED = List.of("made_in_clear", "changed", "made_by_do");

  private final LocalCluster cluster;
  private final RouterServer router;

  AuthenticationIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @Test
  void theRightPasswordIsLetIn() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query("SELECT current_user").untilReady();
      assertEquals("app", answer.get(1).values()[0]);
    }
  }

  @Test
  void theServerProvesThatItKnowsThePassword() throws IOException {
    // WireClient fails if the server's signature is missing or wrong; here: it is sent at all.
    try (WireClient client = ParityFixture.wire(router.port())) {
      assertTrue(client.startup().stream().filter(m -> m.type() == 'R').count() >= 4);
    }
  }

  @Test
  void aWrongPasswordIsRefusedWith28P01() {
    assertEquals("28P01", refusal(LocalNode.USER, "wrong", LocalNode.DATABASE));
  }

  @Test
  void anUnknownUserIsRefusedLikeAWrongPassword() {
    assertEquals("28P01", refusal("nobody", "nobody", LocalNode.DATABASE));
  }

  @Test
  void anUnknownDatabaseIsRefused() {
    assertEquals("3D000", refusal(LocalNode.USER, LocalNode.USER, "no_such_database"));
  }

  @Test
  void aDatabaseThatTheRouterDoesNotServeIsRefused() {
    assertEquals("3D000", refusal(LocalNode.USER, LocalNode.USER, "template1"));
  }

  @Test
  void clientsCannotReadVerifiers() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query("SELECT abelian.scram_verifier('router')").untilReady();
      assertEquals("42501", answer.get(0).sqlState());
    }
  }

  @Test
  void rolesThatAreCreatedWithPasswordsInClearLogInAtEveryNode() throws SQLException {
    onNodes(
        "DO $$ BEGIN EXECUTE 'CREATE ROLE clerk CREATEROLE LOGIN PASSWORD ' || (SELECT"
            + " quote_literal(rolpassword) FROM pg_authid WHERE rolname = 'app'); END $$");
    try {
      try (Connection clerk = connect("clerk", LocalNode.USER);
          Statement statement = clerk.createStatement()) {
        statement.execute("CREATE ROLE made_in_clear LOGIN PASSWORD 'gehèim'");
        statement.execute("CREATE ROLE changed LOGIN PASSWORD 'before'");
        statement.execute("ALTER ROLE changed VALID UNTIL '2100-01-01' PASSWORD 'gehèim'");
        statement.execute(
            "DO $$ BEGIN EXECUTE 'CREATE ROLE made_by_do LOGIN PASSWORD ' ||"
                + " quote_literal('gehèim'); END $$");
      }
      Set<String> verifiers = new HashSet<>();
      for (String role : CREATED) {
        for (LocalNode node : cluster.nodes()) {
          verifiers.add(verifier(node, role));
        }
        try (Connection connection = connect(role, "gehèim");
            Statement statement = connection.createStatement()) {
          statement.execute("SET CONSTRAINTS ALL DEFERRED"); // at every node
        }
      }
      assertEquals(CREATED.size(), verifiers.size(), verifiers::toString); // of one salt each
    } finally {
      onNodes("DROP ROLE IF EXISTS clerk, " + String.join(", ", CREATED));
    }
  }

  private static String verifier(LocalNode node, String role) throws SQLException {
    String query = "SELECT rolpassword FROM pg_authid WHERE rolname = '" + role + "'";
    try (Connection direct = node.connectAsSuperuser();
        Statement statement = direct.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertTrue(rows.next(), () -> role + " is missing at node " + node);
      assertTrue(rows.getString(1).startsWith("SCRAM-SHA-256$"));
      return rows.getString(1);
    }
  }

  private Connection connect(String role, String password) throws SQLException {
    return DriverManager.getConnection(router.jdbcUrl(), role, password);
  }

  private void onNodes(String sql) throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser();
          Statement statement = direct.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  private String refusal(String user, String password, String database) {
    return assertThrows(
            WireException.class, () -> WireClient.connect(router.port(), user, password, database))
        .error()
        .sqlState();
  }
}
