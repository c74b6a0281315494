package org.abelian.advisor.census;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.SqlNames;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;
import org.duckdb.DuckDBAppender;

/**
 * Counts the rows of a cluster by what an advised placement tells them apart by. Nodes group them,
 * so that no more comes from them than there are different keys; these are kept in the engine,
 * which spills.
 */
public final class CensusPhase {
  private static final int FETCHED_AT_ONCE = 10_000;

  /** Of tables of which each node has a copy. */
  private static final String REFERENCE = "reference";

  /** Of tables without placement, which lie on the first node. */
  private static final String LOCAL = "";

  private static final Pattern URL = Pattern.compile("jdbc:postgresql://([^/]+)(/.*)");

  private final String url;
  private final Candidate candidate;
  private final Map<String, List<String>> columns = new TreeMap<>();
  private final List<String> everywhere = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private CensusPhase(String url, Candidate candidate) {
    this.url = url;
    this.candidate = candidate;
  }

  /**
   * Counts.
   *
   * @param url of a node or a router of the cluster, by JDBC; the same user and password must hold
   *     on all nodes, which are reached by the addresses that the cluster knows them by
   * @param candidate the placement that is to come
   */
  public static Census run(
      TraceDescription trace, Candidate candidate, String url, OutputFolder output) {
    return new CensusPhase(url, candidate).run(trace.tables(), output);
  }

  private Census run(List<TraceTable> tables, OutputFolder output) {
    CensusFiles files = new CensusFiles(output.path());
    JsonNode catalog = catalog();
    List<Census.Node> nodes = nodes(catalog);
    Map<String, String> methods = new TreeMap<>();
    for (JsonNode table : catalog.path("tables")) {
      methods.put(
          table.path("schema").asText() + "." + table.path("name").asText(),
          table.path("method").asText());
    }
    tables.forEach(table -> methods.computeIfAbsent(table.id(), none -> LOCAL));
    long unknown = methods.size() - tables.size();
    if (unknown > 0) {
      notes.add("of " + unknown + " placed tables the trace knows nothing; they stay");
    }
    notes.add("nodes are counted one after the other, while they may be changing");
    try (Engine engine = Engine.open()) {
      engine.run(
          "CREATE TABLE found (table_name VARCHAR, node INTEGER, key VARCHAR, count BIGINT)");
      for (int node = 0; node < nodes.size(); node++) {
        count(engine, nodes.get(node), node, tables, methods);
      }
      engine.writeParquet("SELECT * FROM found ORDER BY table_name, node, key", files.rows());
    }
    Census census = new Census(nodes, columns, everywhere, notes);
    JsonFile.write(files.censusFile(), census);
    output.finish();
    return census;
  }

  private JsonNode catalog() {
    try (Connection node = DriverManager.getConnection(url);
        Statement statement = node.createStatement();
        ResultSet row = statement.executeQuery("SELECT abelian.catalog()::text")) {
      row.next();
      return new ObjectMapper().readTree(row.getString(1));
    } catch (SQLException e) {
      throw failed(url.replaceAll("\\?.*", ""), e);
    } catch (JsonProcessingException e) {
      throw new AdvisorException("the catalogue cannot be read: " + e.getOriginalMessage(), e);
    }
  }

  private static List<Census.Node> nodes(JsonNode catalog) {
    List<Census.Node> nodes = new ArrayList<>();
    for (JsonNode node : catalog.path("nodes")) {
      nodes.add(
          new Census.Node(
              node.path("id").asInt(), node.path("host").asText(), node.path("port").asInt()));
    }
    if (nodes.isEmpty()) {
      throw new AdvisorException(
          "the cluster has no nodes yet: make the placement by placement.sql");
    }
    nodes.sort(java.util.Comparator.comparingInt(Census.Node::id));
    return nodes;
  }

  /** The same database and user on a node. */
  private String urlOf(Census.Node node) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new AdvisorException(
          "a URL of the form jdbc:postgresql://host:port/database is needed");
    }
    String host = node.host().contains(":") ? "[" + node.host() + "]" : node.host();
    return "jdbc:postgresql://" + host + ":" + node.port() + parts.group(2);
  }

  private void count(
      Engine engine,
      Census.Node node,
      int number,
      List<TraceTable> tables,
      Map<String, String> methods) {
    try (Connection connection = DriverManager.getConnection(urlOf(node));
        DuckDBAppender found = engine.connection().createAppender("main", "found")) {
      connection.setReadOnly(true);
      connection.setAutoCommit(false); // Else rows would not come in portions.
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET LOCAL DateStyle = 'ISO'");
      }
      for (TraceTable table : tables) {
        String method = methods.get(table.id());
        boolean spread = !method.equals(REFERENCE) && !method.equals(LOCAL);
        if ((number == 0 || spread) && exists(connection, table)) {
          if (method.equals(REFERENCE)) {
            everywhere.add(table.id());
          }
          count(connection, found, number, table);
        }
      }
      connection.rollback();
    } catch (SQLException e) {
      throw failed(node.toString(), e);
    }
  }

  private boolean exists(Connection node, TraceTable table) throws SQLException {
    try (PreparedStatement ask = node.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      ask.setString(1, name(table));
      try (ResultSet answer = ask.executeQuery()) {
        answer.next();
        if (!answer.getBoolean(1)) {
          notes.add("the cluster has no table " + table.id());
        }
        return answer.getBoolean(1);
      }
    }
  }

  private void count(Connection node, DuckDBAppender found, int number, TraceTable table)
      throws SQLException {
    List<String> counted = Distribution.columns(table, candidate.tables().get(table.id()));
    columns.put(table.id(), counted);
    String keys =
        counted.stream()
            .map(column -> SqlNames.identifier(column) + "::text")
            .collect(Collectors.joining(", "));
    String sql =
        counted.isEmpty()
            ? "SELECT count(*) FROM " + name(table)
            : "SELECT count(*), " + keys + " FROM " + name(table) + " GROUP BY " + keys;
    try (Statement statement = node.createStatement()) {
      statement.setFetchSize(FETCHED_AT_ONCE);
      try (ResultSet rows = statement.executeQuery(sql)) {
        while (rows.next()) {
          found.beginRow();
          found.append(table.id());
          found.append(number);
          found.append(key(rows, counted.size()));
          found.append(rows.getLong(1));
          found.endRow();
        }
      }
    }
  }

  private static String key(ResultSet row, int columns) throws SQLException {
    StringBuilder key = new StringBuilder();
    for (int column = 0; column < columns; column++) {
      String text = row.getString(2 + column);
      key.append(column == 0 ? "" : TupleIdentity.SEPARATOR)
          .append(text == null ? TupleIdentity.UNKNOWN : text);
    }
    return key.toString();
  }

  private static String name(TraceTable table) {
    return SqlNames.identifier(table.schema()) + "." + SqlNames.identifier(table.name());
  }

  private static AdvisorException failed(String where, SQLException e) {
    return new AdvisorException(
        where + ": " + e.getMessage() + " (SQLSTATE " + e.getSQLState() + ")", e);
  }
}
