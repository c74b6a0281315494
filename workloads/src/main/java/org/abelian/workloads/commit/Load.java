package org.abelian.workloads.commit;

import java.time.Duration;

/**
 * What the clients do.
 *
 * @param distributedPercent so many of the transactions write on two nodes, the others on one
 * @param hot one row of each node takes all additions; else they are spread over all rows
 * @param delay added to each round trip to a node
 */
record Load(int distributedPercent, boolean hot, Duration delay) {
  boolean isAllDistributed() {
    return distributedPercent == 100;
  }

  @Override
  public String toString() {
    return "%d%% %s %d ms".formatted(distributedPercent, hot ? "hot" : "uniform", delay.toMillis());
  }
}
