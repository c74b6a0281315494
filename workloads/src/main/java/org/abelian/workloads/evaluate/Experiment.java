package org.abelian.workloads.evaluate;

import java.time.Duration;
import java.util.List;

/**
 * Arms that are compared under the same loads.
 *
 * @param name of its file
 * @param title of its section
 * @param points the loads; not empty
 * @param arms what is compared
 * @param clients concurrent clients
 * @param roundTrip between a client and its database
 */
public record Experiment(
    String name,
    String title,
    List<Point> points,
    List<Arm> arms,
    List<Comparison> comparisons,
    int clients,
    Duration roundTrip) {
  public Experiment {
    points = List.copyOf(points);
    arms = List.copyOf(arms);
    comparisons = List.copyOf(comparisons);
  }
}
