package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** The driver, as it is used by default. */
@WithCluster
class JdbcDriverIT extends JdbcContract {
  private final LocalCluster cluster;

  JdbcDriverIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  String url() {
    return cluster.driverUrl();
  }

  @Override
  List<LocalNode> nodes() {
    return cluster.nodes();
  }

  @Test
  void aNodeWhoseExtensionIsMissingOrOlderIsToldFromOneThatIsDown() throws SQLException {
    LocalNode node = nodes().get(0);
    try (Connection superuser = node.connectAsSuperuser();
        Statement statement = superuser.createStatement()) {
      statement.execute("CREATE DATABASE bare");
      try {
        assertRefused(node, "CREATE EXTENSION abelian_cluster CASCADE");
        String bare = "jdbc:postgresql://" + node.address() + "/bare";
        try (Connection inside =
                DriverManager.getConnection(bare, LocalNode.SUPERUSER, LocalNode.SUPERUSER);
            Statement made = inside.createStatement()) {
          made.execute("CREATE EXTENSION abelian_cluster CASCADE");
          made.execute("ALTER FUNCTION abelian.defaults_are_current() RENAME TO added_later");
        }
        assertRefused(node, "older than this router");
        try (Connection inside =
                DriverManager.getConnection(bare, LocalNode.SUPERUSER, LocalNode.SUPERUSER);
            Statement made = inside.createStatement()) {
          made.execute("ALTER FUNCTION abelian.added_later() RENAME TO defaults_are_current");
          made.execute("ALTER FUNCTION abelian.catalog() RENAME TO former_catalog");
          made.execute(
              "CREATE FUNCTION abelian.catalog() RETURNS json LANGUAGE sql AS $$SELECT"
                  + " (abelian.former_catalog()::jsonb || '{\"oldest_router\":"
                  + " \"999.0.0\"}')::json$$");
        }
        assertRefused(node, "needs routers of version 999.0.0 or newer");
      } finally {
        statement.execute("DROP DATABASE bare WITH (FORCE)");
      }
    }
  }

  private static void assertRefused(LocalNode node, String why) {
    String url = "jdbc:abelian://" + node.address() + "/bare";
    SQLException refused =
        assertThrows(
            SQLException.class,
            () -> DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER).close());
    assertTrue(refused.getMessage().contains(why), refused::getMessage);
  }
}
