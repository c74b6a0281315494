package org.abelian.workloads.workload;

import java.util.SplittableRandom;
import org.abelian.workloads.client.Client;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Tally;
import org.abelian.workloads.measure.Crew;

/** The clients of a workload as a crew. */
public final class Clients {
  private Clients() {}

  /**
   * Clients that work on a workload's tables.
   *
   * @param tally which counts what becomes of their transactions
   * @param seed of their inputs; each client's own are different
   */
  public static Crew of(WorkloadTables tables, ClientOptions options, Tally tally, long seed) {
    return new Crew(
        options.clients(),
        tables.database(),
        (pool, number) ->
            new Client(
                new Session(pool.connection(), options.mode(), options.roundTrip()),
                tables.workload().script(number, seed),
                options.pace(),
                tally,
                new SplittableRandom(seed * options.clients() + number)));
  }
}
