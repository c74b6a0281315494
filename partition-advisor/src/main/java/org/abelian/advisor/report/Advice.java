package org.abelian.advisor.report;

import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.validation.Validation;

/**
 * All that a report is about.
 *
 * @param trace what the workload was
 * @param explanation all placements
 * @param validation what they are worth
 * @param lookups the maps that they name
 */
record Advice(
    TraceDescription trace, Explanation explanation, Validation validation, Lookups lookups) {
  /** The placement to take. */
  Candidate chosen() {
    return candidate(validation.chosen());
  }

  /** The placement to take of those that can be loaded, or null. */
  Candidate loadable() {
    return validation.loadable() == null ? null : candidate(validation.loadable());
  }

  private Candidate candidate(String name) {
    return explanation.candidates().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
