package org.abelian.advisor.census;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.SqlNames;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.database.JdbcPool;
import org.duckdb.DuckDBAppender;

/**
 * Counts the rows of a cluster by what an advised placement tells them apart by. Nodes group them,
 * so that no more comes from them than there are different keys; these are kept in the engine,
 * which spills.
 */
public final class CensusPhase {
  private static final int FETCHED_AT_ONCE = 10_000;

  private final Cluster cluster;
  private final Candidate candidate;
  private final Map<String, List<String>> columns = new TreeMap<>();
  private final List<String> everywhere = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private CensusPhase(Cluster cluster, Candidate candidate) {
    this.cluster = cluster;
    this.candidate = candidate;
  }

  /**
   * Counts.
   *
   * @param candidate the placement that is to come
   */
  public static Census run(
      TraceDescription trace, Candidate candidate, Cluster cluster, OutputFolder output) {
    return new CensusPhase(cluster, candidate).run(trace.tables(), output);
  }

  private Census run(List<TraceTable> tables, OutputFolder output) {
    CensusFiles files = new CensusFiles(output.path());
    Catalog catalog = Cluster.catalog(cluster.catalogText());
    long known =
        tables.stream().filter(table -> catalog.placement(name(table)).isPresent()).count();
    if (catalog.tables().size() > known) {
      notes.add(
          "of "
              + (catalog.tables().size() - known)
              + " placed tables the trace knows nothing; they stay");
    }
    notes.add("nodes are counted one after the other, while they may be changing");
    try (Engine engine = Engine.open()) {
      engine.run(
          "CREATE TABLE found (table_name VARCHAR, node INTEGER, key VARCHAR, count BIGINT)");
      for (int node = 0; node < catalog.nodes().size(); node++) {
        count(engine, catalog, node, tables);
      }
      engine.writeParquet("SELECT * FROM found ORDER BY table_name, node, key", files.rows());
    }
    Census census = new Census(catalog.nodes(), columns, everywhere, notes);
    JsonFile.write(files.censusFile(), census);
    output.finish();
    return census;
  }

  private void count(Engine engine, Catalog catalog, int number, List<TraceTable> tables) {
    Node node = catalog.nodes().get(number);
    try (JdbcPool pool = cluster.pool(node);
        Connection connection = pool.connection();
        DuckDBAppender found = engine.connection().createAppender("main", "found")) {
      connection.setReadOnly(true);
      connection.setAutoCommit(false); // Else rows would not come in portions.
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET LOCAL DateStyle = 'ISO'");
      }
      for (TraceTable table : tables) {
        Placement present = catalog.placement(name(table)).orElse(null);
        // A table without placement lies on the first node, and of copies one is counted.
        if ((number == 0 || present instanceof Placement.Distributed)
            && exists(connection, table)) {
          if (present instanceof Placement.Reference) {
            everywhere.add(table.id());
          }
          count(connection, found, number, table);
        }
      }
      connection.rollback();
    } catch (SQLException e) {
      throw Cluster.failed(Cluster.name(node), e);
    }
  }

  private static TableName name(TraceTable table) {
    return new TableName(table.schema(), table.name());
  }

  private boolean exists(Connection node, TraceTable table) throws SQLException {
    try (PreparedStatement ask = node.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      ask.setString(1, sqlName(table));
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
            ? "SELECT count(*) FROM " + sqlName(table)
            : "SELECT count(*), " + keys + " FROM " + sqlName(table) + " GROUP BY " + keys;
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

  private static String sqlName(TraceTable table) {
    return SqlNames.identifier(table.schema()) + "." + SqlNames.identifier(table.name());
  }
}
