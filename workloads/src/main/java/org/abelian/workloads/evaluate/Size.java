package org.abelian.workloads.evaluate;

import java.time.Duration;
import java.util.List;
import org.abelian.workloads.tpcw.TpcwMix;

/**
 * How large an evaluation is.
 *
 * @param name as results name it
 * @param time of each measurement
 * @param rounds of all arms
 * @param warmUp of each arm, before anything is measured
 * @param clients concurrent clients
 * @param scale factor of RUBiS's items, LIKE's users and pages, INCR's keys, and of the usual sizes
 *     of EPinions, AuctionMark and TPC-W
 * @param retwisScale of {@code 2^scale} users
 * @param roundTrips for which RUBiS and Retwis are measured, between a client and its database
 * @param readPercents of LIKE
 * @param multiKeys keys of a multi-get or multi-put
 * @param tpcwMixes of TPC-W
 */
public record Size(
    String name,
    Duration time,
    int rounds,
    Duration warmUp,
    int clients,
    double scale,
    int retwisScale,
    List<Duration> roundTrips,
    List<Integer> readPercents,
    List<Integer> multiKeys,
    List<TpcwMix> tpcwMixes) {
  private static final int CLIENTS = 64;
  private static final Duration FAR = Duration.ofMillis(1);
  private static final Duration NEAR = Duration.ofNanos(150_000);

  /** Small tables and short measurements. */
  public static final Size QUICK =
      new Size(
          "quick",
          Duration.ofMillis(1500),
          2,
          Duration.ofMillis(500),
          CLIENTS,
          0.1,
          12,
          List.of(FAR),
          List.of(0, 50, 100),
          List.of(50),
          List.of(TpcwMix.ORDERING));

  /** Some hours, at the papers' sizes. */
  public static final Size FULL =
      new Size(
          "full",
          Duration.ofSeconds(20),
          5,
          Duration.ofSeconds(10),
          CLIENTS,
          1,
          16,
          List.of(Duration.ZERO, NEAR, FAR),
          List.of(0, 10, 25, 50, 75, 90, 100),
          List.of(1, 10, 100, 500),
          List.of(TpcwMix.values()));

  public Size {
    roundTrips = List.copyOf(roundTrips);
    readPercents = List.copyOf(readPercents);
    multiKeys = List.copyOf(multiKeys);
    tpcwMixes = List.copyOf(tpcwMixes);
  }
}
