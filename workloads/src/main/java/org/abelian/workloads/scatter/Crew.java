package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Sample;

/**
 * Clients that do the same, each on its own connection.
 *
 * @param block whether each time is a transaction block of its own
 */
record Crew(Database database, Work work, int clients, boolean block, int rows) {
  private static final long HIGHEST_MICROS = 60_000_000L;
  private static final int DIGITS = 3;
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** What clients have done. */
  private record Done(Histogram micros, Map<String, Long> failures) {}

  /**
   * Has this crew work, and another beside it.
   *
   * @param beside null for none
   * @param failures gets how often which SQLSTATE came, of both
   * @return figures of this crew
   */
  Sample measure(Crew beside, int seconds, long seed, Map<String, Long> failures) throws Exception {
    List<Connection> connections = new ArrayList<>();
    ExecutorService pool = Executors.newCachedThreadPool();
    try {
      long start = System.nanoTime() + WARM_UP_NANOS;
      long end = start + TimeUnit.SECONDS.toNanos(seconds);
      List<Future<Done>> others =
          beside == null ? List.of() : beside.start(pool, connections, seed, start, end);
      List<Future<Done>> own = start(pool, connections, seed, start, end);
      Done done = sum(own);
      Done besides = sum(others);
      done.failures()
          .forEach((state, count) -> failures.merge(work.title() + " " + state, count, Long::sum));
      besides
          .failures()
          .forEach(
              (state, count) ->
                  failures.merge(beside.work.title() + " " + state, count, Long::sum));
      return new Sample(
          done.micros().getTotalCount() / (double) seconds,
          done.micros().getValueAtPercentile(50) / 1000.0,
          done.micros().getValueAtPercentile(99) / 1000.0,
          done.failures().values().stream().mapToLong(Long::longValue).sum());
    } finally {
      pool.shutdownNow();
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private List<Future<Done>> start(
      ExecutorService pool, List<Connection> connections, long seed, long start, long end)
      throws SQLException {
    List<Future<Done>> tasks = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Connection connection = database.connect();
      connections.add(connection);
      connection.setAutoCommit(!block);
      SplittableRandom random = new SplittableRandom(seed * clients + i);
      tasks.add(pool.submit(() -> client(connection, random, start, end)));
    }
    return tasks;
  }

  private Done client(Connection connection, SplittableRandom random, long start, long end)
      throws SQLException {
    Done done = new Done(new Histogram(HIGHEST_MICROS, DIGITS), new TreeMap<>());
    try (PreparedStatement statement = work.prepare(connection)) {
      long before = System.nanoTime();
      while (before < end) {
        boolean succeeded = once(connection, statement, random, done);
        long after = System.nanoTime();
        if (succeeded && before >= start) {
          done.micros().recordValue(Math.min((after - before) / 1000, HIGHEST_MICROS));
        }
        before = after;
      }
    }
    return done;
  }

  private boolean once(
      Connection connection, PreparedStatement statement, SplittableRandom random, Done done)
      throws SQLException {
    try {
      work.execute(statement, random, rows);
      if (block && work != Work.TRANSFER) {
        connection.commit();
      }
      return true;
    } catch (SQLException error) {
      String state = SqlStates.stateOf(error);
      if (!state.startsWith("40") && !state.equals("57014")) {
        throw error;
      }
      done.failures().merge(state, 1L, Long::sum);
      if (block) {
        connection.rollback();
      }
      return false;
    }
  }

  private static Done sum(List<Future<Done>> clients) throws Exception {
    Done all = new Done(new Histogram(HIGHEST_MICROS, DIGITS), new TreeMap<>());
    for (Future<Done> client : clients) {
      try {
        Done done = client.get();
        all.micros().add(done.micros());
        done.failures().forEach((state, count) -> all.failures().merge(state, count, Long::sum));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException error) {
          throw error;
        }
        throw e;
      }
    }
    return all;
  }
}
