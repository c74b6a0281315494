package org.abelian.advisor.cluster;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.advisor.AdvisorException;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogParser;
import org.abelian.router.catalog.Node;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.error.AbelianException;

/**
 * A cluster, known by one of its addresses.
 *
 * @param url of a node or a router, by JDBC; user, password and database are those of all nodes
 */
public record Cluster(String url) {
  private static final Pattern URL = Pattern.compile("jdbc:postgresql://([^/]+)(/.*)");

  /** Checks the URL. */
  public Cluster {
    if (!URL.matcher(url).matches()) {
      throw new AdvisorException(
          "a URL of the form jdbc:postgresql://host:port/database is needed");
    }
  }

  /** Its catalogue now, as abelian.catalog() gives it. */
  public String catalogText() {
    try (JdbcPool pool = OneConnection.to(url);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT abelian.catalog()::text")) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw failed(URL.matcher(url).replaceAll("$1"), e);
    }
  }

  /**
   * Reads a catalogue.
   *
   * @throws AdvisorException when the cluster has no nodes yet, or it is not understood
   */
  public static Catalog catalog(String text) {
    try {
      Catalog catalog = CatalogParser.parse(text, new Node(0, "", 0));
      if (catalog.nodes().get(0).id() == 0) {
        throw new AdvisorException("the cluster has no nodes yet");
      }
      return catalog;
    } catch (AbelianException e) {
      throw new AdvisorException("the catalogue is not understood: " + e.getMessage(), e);
    }
  }

  /** A connection to a node by the address that the cluster knows it by, for whoever closes it. */
  public JdbcPool pool(Node node) {
    Matcher parts = URL.matcher(url);
    parts.matches();
    String host = node.host().contains(":") ? "[" + node.host() + "]" : node.host();
    return OneConnection.to("jdbc:postgresql://" + host + ":" + node.port() + parts.group(2));
  }

  /** A node for people. */
  public static String name(Node node) {
    return "node " + node.id() + " (" + node.host() + ":" + node.port() + ")";
  }

  /** What a server says, and which. */
  public static AdvisorException failed(String where, SQLException e) {
    return new AdvisorException(
        where + ": " + e.getMessage() + " (SQLSTATE " + e.getSQLState() + ")", e);
  }
}
