package org.abelian.workloads.commit;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.InjectedDelay;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Worker;
import org.abelian.workloads.pair.Keys;
import org.abelian.workloads.pair.Pair;

/** Runs clients for a while and counts. */
final class Clients {
  private static final int ATTEMPTS = 100;

  private final Database router;
  private final Keys keys;
  private final Factory factory;
  private final int clients;
  private final AtomicLong committed = new AtomicLong();

  /** Opens the connections of a client. */
  @FunctionalInterface
  interface Factory {
    Client open(JdbcPool pool, Way way, int number) throws Exception;
  }

  /**
   * @param router the cluster through our driver
   */
  Clients(Database router, Keys keys, Factory factory, int clients) {
    this.router = router;
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
    Crew crew =
        new Crew(
            clients,
            router,
            (pool, number) ->
                worker(factory.open(pool, way, number), load, seed * clients + number));
    InjectedDelay.set(load.delay());
    try {
      return crew.measure(time);
    } finally {
      InjectedDelay.set(Duration.ZERO);
    }
  }

  /** Has a client run one transaction after the other, which closes it in the end. */
  Worker worker(Client client, Load load, long seed) {
    return new Repeated(client, load, new SplittableRandom(seed));
  }

  private final class Repeated implements Worker {
    private final Client client;
    private final Load load;
    private final SplittableRandom random;
    private long retried;

    Repeated(Client client, Load load, SplittableRandom random) {
      this.client = client;
      this.load = load;
      this.random = random;
    }

    /**
     * Tries again what was rolled back by a conflict, until the end of the measurement; the latency
     * includes all of it.
     */
    @Override
    public boolean once(long end) throws Exception {
      Pair pair = Pair.draw(keys, load.distributedPercent(), load.hot(), random);
      for (int attempt = 1; ; attempt++) {
        try {
          client.run(pair);
          committed.incrementAndGet();
          return true;
        } catch (SQLException failed) {
          if (attempt == ATTEMPTS || !SqlStates.isRetryable(failed)) {
            throw failed;
          }
          retried++;
          if (System.nanoTime() > end) {
            return false;
          }
        }
      }
    }

    @Override
    public long failures() {
      return retried;
    }

    @Override
    public void close() throws IOException, SQLException {
      client.close();
    }
  }
}
