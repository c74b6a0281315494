package org.abelian.advisor.trace.log;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.cluster.OneConnection;
import org.abelian.advisor.files.Engine;
import org.abelian.router.database.JdbcPool;

/** How often a server executed each statement, as its view pg_stat_statements tells. */
final class CallCounts {
  private static final String VIEW =
      """
      SELECT s.query, sum(s.calls)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
       WHERE d.datname = coalesce(?, current_database()) AND s.query IS NOT NULL GROUP BY s.query
      """;

  private CallCounts() {}

  /**
   * Reads the view.
   *
   * @param source a JDBC URL of a database that has it, or a CSV file of it with a header line, of
   *     which the columns query and calls count
   * @param database whose statements, at a URL; null for those of the database itself
   * @return calls by what statements have in common without their literals
   */
  static Map<String, Long> read(String source, String database) {
    Map<String, Long> calls = new TreeMap<>();
    if (source.startsWith("jdbc:")) {
      readView(source, database, calls);
    } else {
      readFile(Path.of(source), calls);
    }
    if (calls.isEmpty()) {
      throw new AdvisorException(source + " has no statement");
    }
    return calls;
  }

  /** The view has parameters where literals were, and keeps the text otherwise. */
  static String key(String text) {
    return SqlText.fingerprint(SqlText.of(text).text())
        // Literals that belong to the grammar are parameters in the view.
        .replaceAll("'(?:[^']|'')*'", "?")
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static void readView(String url, String database, Map<String, Long> calls) {
    try (JdbcPool pool = OneConnection.to(url);
        Connection connection = pool.connection();
        PreparedStatement query = connection.prepareStatement(VIEW)) {
      query.setString(1, database);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          calls.merge(key(row.getString(1)), row.getLong(2), Long::sum);
        }
      }
    } catch (SQLException e) {
      throw new AdvisorException(
          "pg_stat_statements cannot be read at "
              + url
              + ": "
              + e.getMessage()
              + " (SQLSTATE "
              + e.getSQLState()
              + ")",
          e);
    }
  }

  private static void readFile(Path file, Map<String, Long> calls) {
    if (!Files.isReadable(file)) {
      throw new AdvisorException(file + " cannot be read");
    }
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT query, CAST(calls AS BIGINT) FROM read_csv("
              + Engine.literal(file)
              + ", header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"',"
              + " max_line_size = 16777216) WHERE query IS NOT NULL AND calls IS NOT NULL",
          row -> calls.merge(key(row.getString(1)), row.getLong(2), Long::sum));
    } catch (AdvisorException e) {
      throw new AdvisorException(
          file
              + " is no CSV file of pg_stat_statements with a header line and the columns query and"
              + " calls; \\copy (SELECT * FROM pg_stat_statements) TO 'file' CSV HEADER writes one:"
              + " "
              + e.getMessage(),
          e);
    }
  }
}
