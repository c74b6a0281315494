package org.abelian.workloads.queries;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** A session that runs queries over the tables of one suite, each for a bounded time. */
final class QuerySession implements AutoCloseable {
  private static final int REACHABLE_SECONDS = 5;

  private final JdbcPool pool;
  private final Duration timeout;
  private final List<String> settings;
  private Connection connection;

  /**
   * @param database whose search path names the suite's schema
   * @param timeout of each query
   * @param settings further SET commands
   */
  QuerySession(Database database, Duration timeout, String... settings) throws SQLException {
    this.timeout = timeout;
    this.settings = List.of(settings);
    pool = database.pool(1);
    try {
      connect();
    } catch (SQLException | RuntimeException failed) {
      pool.close();
      throw failed;
    }
  }

  private void connect() throws SQLException {
    connection = pool.connection();
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET statement_timeout = " + timeout.toMillis());
      for (String setting : settings) {
        statement.execute(setting);
      }
    }
  }

  /** Runs a query to its last row. After an error the session goes on with the next one. */
  Answer run(Query query) throws SQLException {
    if (!connection.isValid(REACHABLE_SECONDS)) {
      pool.discard(connection);
      connect();
    }
    long start = System.nanoTime();
    try (Statement statement = connection.createStatement()) {
      // Also ends what the server's own timeout does not, such as the work between two nodes.
      statement.setQueryTimeout((int) timeout.toSeconds() + REACHABLE_SECONDS);
      List<String[]> rows = rows(statement.executeQuery(query.sql()));
      return new Answer(rows, (System.nanoTime() - start) / 1e9);
    }
  }

  /**
   * The bytes that nodes get of others while the query runs; it runs anew for that.
   *
   * @throws SQLException also when the router tells something else than expected
   */
  long exchangedBytes(Query query) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String explain = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + query.sql();
      String plan = rows(statement.executeQuery(explain)).get(0)[0];
      // What stays on one node, or is given to the client as nodes give it, exchanges nothing.
      return new ObjectMapper().readTree(plan).at("/0/Plan/Exchanged Bytes").asLong();
    } catch (JsonProcessingException broken) {
      throw new SQLException("EXPLAIN gives no JSON", broken);
    }
  }

  private static List<String[]> rows(ResultSet result) throws SQLException {
    int columns = result.getMetaData().getColumnCount();
    List<String[]> rows = new ArrayList<>();
    while (result.next()) {
      String[] row = new String[columns];
      for (int i = 0; i < columns; i++) {
        row[i] = result.getString(i + 1);
      }
      rows.add(row);
    }
    return rows;
  }

  @Override
  public void close() {
    pool.close();
  }
}
