package org.abelian.advisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.harness.LocalNode;

/** A PostgreSQL that logs all statements, as csvlog and as jsonlog. */
public final class LoggedServer implements AutoCloseable {
  private static final int WAITS = 600;
  private static final long WAIT_MS = 100;

  private final LocalNode node;
  private final Path logs;

  /**
   * Starts one.
   *
   * @param folder where it gets a folder for its logs
   * @param settings more configuration parameters
   */
  public LoggedServer(Path folder, Map<String, String> settings) throws IOException {
    logs = Files.createDirectory(folder.resolve("logs"));
    for (Path open : List.of(folder, logs)) {
      // The server, which is another user, writes here.
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    Map<String, String> all = new HashMap<>(settings);
    all.put("log_destination", "csvlog,jsonlog");
    all.put("logging_collector", "on");
    all.put("log_directory", logs.toString());
    all.put("log_filename", "server");
    all.put("log_file_mode", "0644");
    all.put("log_min_duration_statement", "0");
    node = LocalNode.create(all);
  }

  /** The server. */
  public LocalNode node() {
    return node;
  }

  /** One of its log files: server.csv or server.json. */
  public Path log(String name) {
    return logs.resolve(name);
  }

  /** The URL of one of its databases, as a superuser. */
  public String url(String database) {
    return "jdbc:postgresql://"
        + node.address()
        + "/"
        + database
        + "?user=abelian&password=abelian";
  }

  /** Makes a database. */
  public void createDatabase(String name) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
  }

  /** Connects to a database as a superuser. */
  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(url(database));
  }

  /**
   * Waits until the logs have all that was done so far: the collector is another process and may be
   * behind.
   *
   * @param database of which the last statement is, which touches no table
   */
  public void awaitLogs(String database) throws SQLException, IOException, InterruptedException {
    String end = "end_" + System.nanoTime();
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 AS " + end);
    }
    for (String file : List.of("server.csv", "server.json")) {
      awaitEnd(log(file), end);
    }
  }

  /** Waits until a file that another process or thread writes has a text. */
  public static void awaitEnd(Path log, String end) throws IOException, InterruptedException {
    for (int i = 0; i < WAITS; i++) {
      if (Files.exists(log) && Files.readString(log).contains(end)) {
        return;
      }
      Thread.sleep(WAIT_MS);
    }
    throw new AssertionError(log + " does not have the last statement after a minute");
  }

  @Override
  public void close() {
    node.close();
  }
}
