package org.abelian.advisor.applied;

import java.util.List;

/**
 * A transaction of a workload; one of a single statement runs by itself, without BEGIN.
 *
 * @param name of what it does
 */
record Transaction(String name, List<Step> steps) {
  static Transaction of(String name, Step... steps) {
    return new Transaction(name, List.of(steps));
  }
}
