package org.abelian.router.analysis;

import java.util.List;

/**
 * The changes that a MERGE or a DO block consists of, one after the other.
 *
 * @param steps in their order; at least one
 */
public record StepsFacts(List<Step> steps) implements InsteadFacts {
  /** Copies the list. */
  public StepsFacts {
    steps = List.copyOf(steps);
  }

  /**
   * One of the changes, with the parameters of the whole.
   *
   * @param instead null when it runs as it is
   */
  public record Step(String text, StatementFacts facts, InsteadFacts instead) {}
}
