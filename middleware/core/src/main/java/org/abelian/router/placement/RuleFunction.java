package org.abelian.router.placement;

import java.util.BitSet;
import java.util.List;

/** By the first clause that holds: range, list and rules. */
public record RuleFunction(int count, List<Clause> clauses, Otherwise otherwise)
    implements PartitionFunction {
  /** Copies the list. */
  public RuleFunction {
    clauses = List.copyOf(clauses);
  }

  @Override
  public int partition(KeyValue... key) {
    for (Clause clause : clauses) {
      if (clause.holds(key) == Clause.Truth.TRUE) {
        return clause.partition();
      }
    }
    return otherwise.partition(count, key);
  }

  @Override
  public BitSet possible(KeyValue... key) {
    BitSet possible = new BitSet(count);
    for (Clause clause : clauses) {
      Clause.Truth truth = clause.holds(key);
      if (truth != Clause.Truth.FALSE) {
        possible.set(clause.partition());
      }
      if (truth == Clause.Truth.TRUE) {
        return possible;
      }
    }
    otherwise.addPossible(count, possible, key);
    return possible;
  }
}
