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
      if (clause.holds(key) == Truth.TRUE) {
        return clause.partition();
      }
    }
    return otherwise.partition(count, key);
  }

  @Override
  public BitSet possible(KeyValue... key) {
    BitSet possible = new BitSet(count);
    for (Clause clause : clauses) {
      Truth truth = clause.holds(key);
      if (truth != Truth.FALSE) {
        possible.set(clause.partition());
      }
      if (truth == Truth.TRUE) {
        return possible;
      }
    }
    otherwise.addPossible(count, possible, key);
    return possible;
  }

  @Override
  public BitSet within(KeyInterval... key) {
    BitSet possible = new BitSet(count);
    for (Clause clause : clauses) {
      Truth truth = clause.holds(key);
      if (truth != Truth.FALSE) {
        possible.set(clause.partition());
      }
      if (truth == Truth.TRUE) {
        return possible;
      }
    }
    otherwise.addPossible(count, possible, PartitionFunction.known(key));
    return possible;
  }
}
