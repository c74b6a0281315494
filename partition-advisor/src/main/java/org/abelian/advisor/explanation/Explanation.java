package org.abelian.advisor.explanation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Candidate;

/**
 * Placements to compare.
 *
 * @param nodes how many nodes they are for
 * @param seed of the division of the trace
 * @param heldOut the share of transactions that nothing was learnt from
 * @param candidates all placements
 * @param accuracy of each table's tree, the share of unseen rows of which it is right
 * @param groups of tables whose keys mean the same, by the name of the candidate; tables that are
 *     not in it are in no group
 * @param notes what was left out or is not known
 */
public record Explanation(
    int nodes,
    long seed,
    double heldOut,
    List<Candidate> candidates,
    Map<String, Double> accuracy,
    Map<String, Map<String, Integer>> groups,
    List<String> notes) {
  /** Copies the collections. */
  public Explanation {
    candidates = List.copyOf(candidates);
    accuracy = new TreeMap<>(accuracy);
    groups = new TreeMap<>(groups);
    notes = List.copyOf(notes);
  }
}
