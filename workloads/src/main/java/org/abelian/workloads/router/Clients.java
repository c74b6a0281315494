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
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Sample;

/** Clients that execute one statement again and again, each on its own connection. */
final class Clients {
  private static final long HIGHEST_MICROS = 60_000_000L;
  private static final int DIGITS = 3;
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  /** What a measurement gives. */
  record Measured(Sample sample, Cost cost) {}

  /** What one client has done and used. */
  private record Work(Histogram micros, ThreadUse use) {}

  private final Database database;
  private final int clients;
  private final int[] keys;
  private final LongSupplier serverNanos;

  /**
   * @param keys of existing rows; each execution draws one
   * @param serverNanos processor time that the router server has used, in nanoseconds; negative
   *     when it has no part in this
   */
  Clients(Database database, int clients, int[] keys, LongSupplier serverNanos) {
    this.database = database;
    this.clients = clients;
    this.keys = keys.clone();
    this.serverNanos = serverNanos;
  }

  /** Warms up for a moment, then measures. */
  Measured measure(Operation operation, int seconds, long seed) throws Exception {
    List<Connection> connections = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try {
      for (int i = 0; i < clients; i++) {
        connections.add(database.connect());
      }
      long start = System.nanoTime() + WARM_UP_NANOS;
      long end = start + TimeUnit.SECONDS.toNanos(seconds);
      List<Future<Work>> tasks = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Connection connection = connections.get(i);
        SplittableRandom random = new SplittableRandom(seed * clients + i);
        Callable<Work> client = () -> client(connection, operation, random, start, end);
        tasks.add(pool.submit(client));
      }
      TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
      long serverBefore = serverNanos.getAsLong();
      TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
      long server = serverBefore < 0 ? -1 : serverNanos.getAsLong() - serverBefore;
      return measured(tasks, seconds, server);
    } finally {
      pool.shutdownNow();
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private Work client(
      Connection connection, Operation operation, SplittableRandom random, long start, long end)
      throws SQLException {
    Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);
    ThreadUse use = new ThreadUse();
    boolean warm = false;
    try (PreparedStatement statement = connection.prepareStatement(operation.sql())) {
      long before = System.nanoTime();
      while (before < end) {
        if (!warm && before >= start) {
          warm = true;
          use.start();
        }
        operation.execute(statement, keys[random.nextInt(keys.length)]);
        long after = System.nanoTime();
        if (warm) {
          micros.recordValue(Math.min((after - before) / 1000, HIGHEST_MICROS));
        }
        before = after;
      }
      use.stop();
    }
    return new Work(micros, use);
  }

  private static Measured measured(List<Future<Work>> clients, int seconds, long serverNanos)
      throws Exception {
    Histogram all = new Histogram(HIGHEST_MICROS, DIGITS);
    long nanos = 0;
    long bytes = 0;
    for (Future<Work> client : clients) {
      Work work = result(client);
      all.add(work.micros());
      nanos += work.use().nanos();
      bytes += work.use().bytes();
    }
    double count = all.getTotalCount();
    Sample sample =
        new Sample(
            count / seconds,
            all.getValueAtPercentile(50) / 1000.0,
            all.getValueAtPercentile(99) / 1000.0,
            0);
    double server = serverNanos < 0 ? Double.NaN : serverNanos / 1000.0 / count;
    return new Measured(sample, new Cost(nanos / 1000.0 / count, bytes / count, server));
  }

  private static Work result(Future<Work> client) throws Exception {
    try {
      return client.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException error) {
        throw error;
      }
      throw e;
    }
  }
}
