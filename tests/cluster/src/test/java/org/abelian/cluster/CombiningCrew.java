package org.abelian.cluster;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Clients that each have a connection and a thread, and what they were told. */
final class CombiningCrew implements AutoCloseable {
  /** Opens a client's connection. */
  @FunctionalInterface
  interface Door {
    /** A new connection. */
    Connection open() throws SQLException;
  }

  /** What a client does. */
  @FunctionalInterface
  interface Work {
    /** Does it; the client's number counts from 0. */
    void run(Connection connection, int client) throws Exception;
  }

  /** Added by statements that were acknowledged. */
  private long acknowledged;

  /** Added by statements of which nobody knows. */
  private long unknown;

  /** How often each SQLSTATE was told. */
  private final ConcurrentHashMap<String, Integer> errors = new ConcurrentHashMap<>();

  private final List<Connection> connections = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  CombiningCrew(int size, Door door, String... settings) throws SQLException {
    for (int i = 0; i < size; i++) {
      Connection connection = door.open();
      connections.add(connection);
      try (Statement statement = connection.createStatement()) {
        for (String setting : settings) {
          statement.execute(setting);
        }
      }
    }
  }

  /** Lets all work at once. */
  List<Future<Void>> start(Work work) {
    List<Future<Void>> futures = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      Connection connection = connections.get(i);
      int client = i;
      Callable<Void> task =
          () -> {
            work.run(connection, client);
            return null;
          };
      futures.add(threads.submit(task));
    }
    return futures;
  }

  /** Lets all work at once, and waits for them. */
  void run(Work work) throws Exception {
    await(start(work));
  }

  static void await(List<Future<Void>> futures) throws Exception {
    await(futures, 120);
  }

  static void await(List<Future<Void>> futures, long seconds) throws Exception {
    for (Future<Void> future : futures) {
      future.get(seconds, TimeUnit.SECONDS);
    }
  }

  /** Adds, and keeps what became of it; false after an error. */
  boolean add(Statement statement, String sql, long delta) throws SQLException {
    try {
      if (statement.executeUpdate(sql) != 1) {
        throw new AssertionError("no row was met by " + sql);
      }
      synchronized (this) {
        acknowledged += delta;
      }
      return true;
    } catch (SQLException e) {
      errors.merge(String.valueOf(e.getSQLState()), 1, Integer::sum);
      if (isUnknown(e)) {
        synchronized (this) {
          unknown += delta;
        }
      }
      return false;
    }
  }

  private static boolean isUnknown(SQLException error) {
    return "08007".equals(error.getSQLState());
  }

  synchronized long acknowledged() {
    return acknowledged;
  }

  synchronized long unknown() {
    return unknown;
  }

  int errors(String sqlState) {
    return errors.getOrDefault(sqlState, 0);
  }

  /** How many errors there were. */
  int errors() {
    return errors.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    for (Connection connection : connections) {
      connection.close();
    }
  }

  @Override
  public String toString() {
    return "acknowledged " + acknowledged + ", unknown " + unknown + ", errors " + errors;
  }
}
