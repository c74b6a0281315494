package org.abelian.server.backup;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;

/** Clusters in databases of their own on shared nodes, so that nobody else's tables are in them. */
final class Databases {
  private Databases() {}

  /** Makes an empty one, with the nodes' own addresses. */
  static void create(LocalCluster cluster, String database) throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      execute(node, "postgres", "CREATE DATABASE " + database);
      execute(
          node,
          database,
          "CREATE EXTENSION abelian_cluster CASCADE",
          "ALTER SCHEMA public OWNER TO " + LocalNode.USER,
          "GRANT CREATE ON DATABASE " + database + " TO " + LocalNode.USER);
      for (LocalNode other : cluster.nodes()) {
        execute(
            node,
            database,
            "SET abelian.placement_version = 2147483647",
            "SELECT abelian.add_node('127.0.0.1', " + other.port() + ")");
      }
    }
  }

  /** Drops it, whoever is connected. */
  static void drop(LocalCluster cluster, String database) throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      execute(node, "postgres", "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
    }
  }

  /** Where the router inside the driver finds it. */
  static String url(LocalCluster cluster, String database) {
    return "jdbc:abelian://" + cluster.addresses() + "/" + database;
  }

  static Connection connect(LocalNode node, String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + node.address() + "/" + database,
        LocalNode.SUPERUSER,
        LocalNode.SUPERUSER);
  }

  static void execute(LocalNode node, String database, String... statements) throws SQLException {
    try (Connection connection = connect(node, database);
        Statement statement = connection.createStatement()) {
      for (String sql : List.of(statements)) {
        statement.execute(sql);
      }
    }
  }

  /** The first value that a query gives. */
  static String text(LocalNode node, String database, String query) throws SQLException {
    try (Connection connection = connect(node, database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
