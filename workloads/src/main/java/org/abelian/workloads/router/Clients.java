package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Sample;

/** Clients that execute one statement again and again, each on its own connection. */
final class Clients {
  private static final long HIGHEST_MICROS = 60_000_000L;
  private static final int DIGITS = 3;
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private final Database database;
  private final int clients;
  private final int[] keys;

  /**
   * @param keys of existing rows; each execution draws one
   */
  Clients(Database database, int clients, int[] keys) {
    this.database = database;
    this.clients = clients;
    this.keys = keys.clone();
  }

  /** Warms up for a moment, then measures. */
  Sample measure(Operation operation, int seconds, long seed) throws Exception {
    List<Connection> connections = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try {
      for (int i = 0; i < clients; i++) {
        connections.add(database.connect());
      }
      long start = System.nanoTime() + WARM_UP_NANOS;
      long end = start + TimeUnit.SECONDS.toNanos(seconds);
      List<Callable<Histogram>> tasks = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Connection connection = connections.get(i);
        SplittableRandom random = new SplittableRandom(seed * clients + i);
        tasks.add(() -> client(connection, operation, random, start, end));
      }
      return sample(pool.invokeAll(tasks), seconds);
    } finally {
      pool.shutdownNow();
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private Histogram client(
      Connection connection, Operation operation, SplittableRandom random, long start, long end)
      throws SQLException {
    Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);
    try (PreparedStatement statement = connection.prepareStatement(operation.sql())) {
      long before = System.nanoTime();
      while (before < end) {
        operation.execute(statement, keys[random.nextInt(keys.length)]);
        long after = System.nanoTime();
        if (before >= start && after <= end) {
          micros.recordValue(Math.min((after - before) / 1000, HIGHEST_MICROS));
        }
        before = after;
      }
    }
    return micros;
  }

  private static Sample sample(List<Future<Histogram>> clients, int seconds) throws Exception {
    Histogram all = new Histogram(HIGHEST_MICROS, DIGITS);
    for (Future<Histogram> client : clients) {
      try {
        all.add(client.get());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException error) {
          throw error;
        }
        throw e;
      }
    }
    return new Sample(
        (double) all.getTotalCount() / seconds,
        all.getValueAtPercentile(50) / 1000.0,
        all.getValueAtPercentile(99) / 1000.0,
        0);
  }
}
