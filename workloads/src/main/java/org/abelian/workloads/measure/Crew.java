package org.abelian.workloads.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * Clients that do the same at the same time.
 *
 * @param size how many
 * @param database that they work on; each has one connection to it for as long as it works
 */
public record Crew(int size, Database database, Opener opener) {
  private static final long HIGHEST_MICROS = 60_000_000L;
  private static final int DIGITS = 3;

  /**
   * What has just been connected runs for so long before it is measured: a new backend of a node
   * knows nothing of the tables.
   */
  private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long SETTLING_NANOS_EACH = TimeUnit.MILLISECONDS.toNanos(6);

  /** Connects the clients. */
  @FunctionalInterface
  public interface Opener {
    /**
     * @param pool with a connection for each client; it is closed after the clients
     * @param number of the client, from 0
     */
    Worker open(JdbcPool pool, int number) throws Exception;
  }

  /** Has the crew work for a while. */
  public Sample measure(Duration time) throws Exception {
    return measure(List.of(this), time, () -> {}).get(0);
  }

  /**
   * The same over connections that are kept, and have been used before.
   *
   * @param pool with a connection for each client; it stays open
   */
  public Sample measure(JdbcPool pool, Duration time) throws Exception {
    return measure(List.of(this), List.of(pool), SETTLING_NANOS, time, () -> {}).get(0);
  }

  /**
   * Has crews work beside each other for a while.
   *
   * @param atBothEnds is run when the measurement begins and when it ends
   * @return figures of each crew: of what began within the time
   */
  public static List<Sample> measure(List<Crew> crews, Duration time, Runnable atBothEnds)
      throws Exception {
    List<JdbcPool> pools = crews.stream().map(crew -> crew.database.pool(crew.size)).toList();
    try {
      return measure(crews, pools, settlingNanos(crews), time, atBothEnds);
    } finally {
      pools.forEach(JdbcPool::close);
    }
  }

  private static List<Sample> measure(
      List<Crew> crews,
      List<JdbcPool> pools,
      long settlingNanos,
      Duration time,
      Runnable atBothEnds)
      throws Exception {
    List<List<Worker>> workers = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int crew = 0; crew < crews.size(); crew++) {
        List<Worker> own = new ArrayList<>();
        workers.add(own); // Before it has any, so that all are closed when one cannot be opened.
        for (int i = 0; i < crews.get(crew).size; i++) {
          own.add(crews.get(crew).opener.open(pools.get(crew), i));
        }
      }
      long start = System.nanoTime() + settlingNanos;
      long end = start + time.toNanos();
      List<List<Future<Histogram>>> work =
          workers.stream().map(own -> start(own, threads, start, end)).toList();
      TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
      atBothEnds.run();
      TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
      atBothEnds.run();
      List<Sample> samples = new ArrayList<>();
      for (int i = 0; i < work.size(); i++) {
        samples.add(sample(await(work.get(i)), workers.get(i), time));
      }
      return samples;
    } finally {
      threads.shutdownNow();
      close(workers);
    }
  }

  private static void close(List<List<Worker>> workers) throws Exception {
    for (Worker worker : workers.stream().flatMap(List::stream).toList()) {
      worker.close();
    }
  }

  private static long settlingNanos(List<Crew> crews) {
    return SETTLING_NANOS + SETTLING_NANOS_EACH * crews.stream().mapToInt(Crew::size).sum();
  }

  private static List<Future<Histogram>> start(
      List<Worker> workers, ExecutorService threads, long start, long end) {
    return workers.stream().map(worker -> threads.submit(() -> run(worker, start, end))).toList();
  }

  /** How long what began between start and end has taken, in microseconds. */
  private static Histogram run(Worker worker, long start, long end) throws Exception {
    Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);
    boolean begun = false;
    long before = worker.turn(end);
    while (before < end && System.nanoTime() < end) {
      if (!begun && before >= start) {
        begun = true;
        worker.begin();
      }
      boolean succeeded = worker.once(end);
      long after = System.nanoTime();
      if (begun && succeeded) {
        micros.recordValue(Math.min((after - before) / 1000, HIGHEST_MICROS));
      }
      before = worker.turn(end);
    }
    worker.end();
    return micros;
  }

  private static Histogram await(List<Future<Histogram>> work) throws Exception {
    Histogram all = new Histogram(HIGHEST_MICROS, DIGITS);
    for (Future<Histogram> each : work) {
      try {
        all.add(each.get());
      } catch (ExecutionException failed) {
        throw failed.getCause() instanceof Exception cause ? cause : failed;
      }
    }
    return all;
  }

  private static Sample sample(Histogram micros, List<Worker> workers, Duration time) {
    return new Sample(
        micros.getTotalCount() * 1e9 / time.toNanos(),
        micros.getValueAtPercentile(50) / 1000.0,
        micros.getValueAtPercentile(99) / 1000.0,
        workers.stream().mapToLong(Worker::failures).sum());
  }
}
