package org.abelian.advisor.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.abelian.advisor.AdvisorException;
import org.duckdb.DuckDBConnection;

/**
 * One DuckDB database in a temporary folder. What does not fit into its memory limit spills there;
 * closing removes the folder.
 */
public final class Engine implements AutoCloseable {
  /** Memory that the engine may use, unless the user says otherwise. */
  public static final String USUAL_MEMORY = "2GB";

  private final Path folder;
  private final Connection connection;

  /** An interrupted program leaves no folder behind. */
  private final Thread atExit;

  private Engine(Path folder, Connection connection) {
    this.folder = folder;
    this.connection = connection;
    atExit = new Thread(() -> delete(folder));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Opens an empty database with the usual memory limit. */
  public static Engine open() {
    return open(System.getProperty("abelian.advisor.memory", USUAL_MEMORY));
  }

  private static Engine open(String memory) {
    Path folder = null;
    try {
      folder = Files.createTempDirectory("abelian-advisor");
      Properties settings = new Properties();
      settings.setProperty("memory_limit", memory);
      settings.setProperty("temp_directory", folder.toString());
      settings.setProperty("preserve_insertion_order", "false");
      // Nothing is fetched from anywhere: Parquet and JSON are built in.
      settings.setProperty("autoinstall_known_extensions", "false");
      // Rows are handed over in portions, not all at once.
      settings.setProperty("jdbc_stream_results", "true");
      return new Engine(
          folder, DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("work"), settings));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      delete(folder);
      throw new AdvisorException("the analytical engine does not start: " + e.getMessage(), e);
    }
  }

  /** The connection, for appenders and result sets. */
  public DuckDBConnection connection() throws SQLException {
    return connection.unwrap(DuckDBConnection.class);
  }

  /** Runs statements without a result. */
  public void run(String... statements) {
    for (String sql : statements) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw failed(sql, e);
      }
    }
  }

  /** Hands over each row of a query. */
  public void each(String sql, RowReader reader) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    } catch (SQLException e) {
      throw failed(sql, e);
    }
  }

  /** The single number of a query. */
  public long number(String sql) {
    long[] found = new long[1];
    each(sql, row -> found[0] = row.getLong(1));
    return found[0];
  }

  /** Writes the rows of a query as a Parquet file. */
  public void writeParquet(String query, Path file) {
    run("COPY (" + query + ") TO " + literal(file) + " (FORMAT parquet, COMPRESSION zstd)");
  }

  /** A table expression over a Parquet file. */
  public static String parquet(Path file) {
    if (!Files.exists(file)) {
      throw new AdvisorException(file + " does not exist: run the phase that writes it first");
    }
    return "read_parquet(" + literal(file) + ")";
  }

  /** A path or name as an SQL literal. */
  public static String literal(Object text) {
    return "'" + text.toString().replace("'", "''") + "'";
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new AdvisorException("the analytical engine does not stop: " + e.getMessage(), e);
    } finally {
      delete(folder);
      try {
        Runtime.getRuntime().removeShutdownHook(atExit);
      } catch (IllegalStateException alreadyExiting) {
        // The hook finds nothing to do.
      }
    }
  }

  private static AdvisorException failed(String sql, SQLException e) {
    return new AdvisorException("the analytical engine refuses\n" + sql + "\n" + e.getMessage(), e);
  }

  private static void delete(Path folder) {
    try {
      Folders.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads one row; columns count from 1. */
  @FunctionalInterface
  public interface RowReader {
    /** Reads the row on which the result set stands. */
    void read(ResultSet row) throws SQLException;
  }
}
