package org.abelian.advisor.validation;

import java.util.List;

/**
 * The comparison.
 *
 * @param transactions how many judged
 * @param tolerance how much more of the transactions may be distributed for a simpler placement
 * @param mostBalance the load balance above which a placement is taken only if none is below
 * @param chosen the name of the one to take
 * @param loadable the name of the one to take of those that can be loaded; null when there is none
 * @param judgements all, the best first
 * @param routing of the chosen placement: from which arguments of a transaction its nodes follow
 * @param notes what was left out
 */
public record Validation(
    long transactions,
    double tolerance,
    double mostBalance,
    String chosen,
    String loadable,
    List<Judgement> judgements,
    List<RoutedClass> routing,
    List<String> notes) {
  /** Copies the lists. */
  public Validation {
    judgements = List.copyOf(judgements);
    routing = List.copyOf(routing);
    notes = List.copyOf(notes);
  }

  /** The judgement of a candidate. */
  public Judgement judgement(String name) {
    return judgements.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }
}
