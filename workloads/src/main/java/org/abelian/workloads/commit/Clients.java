package org.abelian.workloads.commit;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.abelian.router.pool.InjectedDelay;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Sample;

/** Runs clients for a while and counts. */
final class Clients {
  private static final long HIGHEST_MICROS = 60_000_000L;
  private static final int DIGITS = 3;
  private static final int ATTEMPTS = 100;
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private final Keys keys;
  private final Factory factory;
  private final int clients;
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong retried = new AtomicLong();

  /** Opens the connections of a client. */
  @FunctionalInterface
  interface Factory {
    Client open(Way way, int number) throws Exception;
  }

  Clients(Keys keys, Factory factory, int clients) {
    this.keys = keys;
    this.factory = factory;
    this.clients = clients;
  }

  /** Transactions that were committed by now, warm-ups included. */
  long committed() {
    return committed.get();
  }

  /** Warms up for a moment, then measures. */
  Sample measure(Way way, Load load, Duration time, long seed) throws Exception {
    List<Client> open = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try {
      for (int i = 0; i < clients; i++) {
        open.add(factory.open(way, i));
      }
      InjectedDelay.set(load.delay());
      retried.set(0);
      long start = System.nanoTime() + WARM_UP_NANOS;
      long end = start + time.toNanos();
      List<Callable<Histogram>> tasks = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Client client = open.get(i);
        SplittableRandom random = new SplittableRandom(seed * clients + i);
        tasks.add(() -> run(client, load, random, start, end));
      }
      return sample(pool.invokeAll(tasks), time, retried.get());
    } finally {
      pool.shutdownNow();
      for (Client client : open) {
        client.close();
      }
      InjectedDelay.set(Duration.ZERO);
    }
  }

  private Histogram run(Client client, Load load, SplittableRandom random, long start, long end)
      throws Exception {
    Histogram micros = new Histogram(HIGHEST_MICROS, DIGITS);
    long before = System.nanoTime();
    while (before < end) {
      runToTheEnd(client, Transfer.draw(load, keys, random), end);
      long after = System.nanoTime();
      if (before >= start && after <= end) {
        micros.recordValue(Math.min((after - before) / 1000, HIGHEST_MICROS));
      }
      before = after;
    }
    return micros;
  }

  /**
   * Tries again what was rolled back by a conflict, until the end of the measurement; the latency
   * includes all of it.
   */
  void runToTheEnd(Client client, Transfer transfer, long end) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        client.run(transfer);
        committed.incrementAndGet();
        return;
      } catch (SQLException failed) {
        if (attempt == ATTEMPTS || !SqlStates.isRetryable(failed)) {
          throw failed;
        }
        retried.incrementAndGet();
        if (System.nanoTime() > end) {
          return;
        }
      }
    }
  }

  private static Sample sample(List<Future<Histogram>> clients, Duration time, long retried)
      throws Exception {
    Histogram all = new Histogram(HIGHEST_MICROS, DIGITS);
    for (Future<Histogram> client : clients) {
      try {
        all.add(client.get());
      } catch (ExecutionException failed) {
        throw failed.getCause() instanceof Exception cause ? cause : failed;
      }
    }
    return new Sample(
        all.getTotalCount() * 1e9 / time.toNanos(),
        all.getValueAtPercentile(50) / 1000.0,
        all.getValueAtPercentile(99) / 1000.0,
        retried);
  }
}
