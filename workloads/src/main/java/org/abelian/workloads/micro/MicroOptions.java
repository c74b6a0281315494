package org.abelian.workloads.micro;

import java.util.List;

/**
 * Size of the benchmark.
 *
 * @param objects what is read and operated on; the ratios of the first have no prefix
 * @param clients concurrent connections
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param size how many objects there are
 * @param mixes percents of operations, at the greatest skew
 * @param skews Zipf exponents, at half operations, half reads
 * @param roundTrip microseconds that a client waits after every statement, as for a network
 */
public record MicroOptions(
    List<Objects> objects,
    int clients,
    int seconds,
    int rounds,
    int size,
    List<Integer> mixes,
    List<Double> skews,
    int roundTrip) {
  public MicroOptions {
    objects = List.copyOf(objects);
    mixes = List.copyOf(mixes);
    skews = List.copyOf(skews);
  }
}
