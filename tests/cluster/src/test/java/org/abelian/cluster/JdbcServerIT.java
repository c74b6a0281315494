package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGStatement;

/** The stock PostgreSQL driver over the server. */
@WithCluster
class JdbcServerIT extends JdbcContract {
  private static RouterServer server;
  private final LocalCluster cluster;

  JdbcServerIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(LocalCluster cluster) {
    server = RouterServer.start(cluster);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String url() {
    return server.jdbcUrl();
  }

  @Override
  List<LocalNode> nodes() {
    return cluster.nodes();
  }

  /** The driver keeps what it was told of the columns, and asks again after this one error. */
  @Test
  void preparedStatementsDoNotReadOtherColumnsAsThoseThatTheyHad() throws SQLException {
    try (Connection client = server.connect();
        Connection other = server.connect()) {
      execute(client, "CREATE TABLE changing (a int, b int)");
      execute(client, "SELECT create_distributed_table('changing', 'a')");
      execute(client, "INSERT INTO changing VALUES (1, 2)");
      try (PreparedStatement read = client.prepareStatement("SELECT * FROM changing")) {
        read.unwrap(PGStatement.class).setPrepareThreshold(1);
        for (String last : List.of("b", "b", "c")) {
          if (last.equals("c")) {
            execute(other, "ALTER TABLE changing DROP b, ADD c int DEFAULT 2");
          }
          try (ResultSet rows = read.executeQuery()) {
            assertTrue(rows.next());
            assertEquals(2, rows.getInt(last));
          }
        }
      } finally {
        execute(client, "DROP TABLE changing");
      }
    }
  }

  private static void execute(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
