package org.abelian.workloads.router;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.abelian.workloads.measure.Statistics;

/**
 * What one statement costs beside time. Noise on the machine hardly touches these figures.
 *
 * @param clientMicros processor time of the client's thread, in microseconds; the driver's router
 *     runs in it
 * @param clientBytes what the client's thread allocates, in bytes
 * @param serverMicros processor time of the router server's process, in microseconds; NaN when it
 *     has no part in the measurement
 */
record Cost(
    @JsonProperty("client_cpu_us") double clientMicros,
    @JsonProperty("client_bytes") double clientBytes,
    @JsonProperty("server_cpu_us") double serverMicros) {
  /** The median of each figure over the rounds. */
  static Cost median(List<Cost> rounds) {
    return new Cost(
        median(rounds, Cost::clientMicros),
        median(rounds, Cost::clientBytes),
        median(rounds, Cost::serverMicros));
  }

  private static double median(List<Cost> rounds, ToDoubleFunction<Cost> figure) {
    return Statistics.median(rounds.stream().mapToDouble(figure).toArray());
  }
}
