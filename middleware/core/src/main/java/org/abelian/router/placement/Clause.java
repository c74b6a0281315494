package org.abelian.router.placement;

import java.util.List;

/** One WHEN of a rule: rows for which all conditions hold lie in the partition. */
public record Clause(int partition, List<Condition> conditions) {
  /** Copies the list. */
  public Clause {
    conditions = List.copyOf(conditions);
  }

  /** Whether all conditions hold; values that are not known are null. */
  Truth holds(KeyValue... key) {
    Truth truth = Truth.TRUE;
    for (Condition condition : conditions) {
      KeyValue value = key[condition.column()];
      if (value == null) {
        truth = Truth.UNKNOWN;
      } else if (!condition.holds(value)) {
        return Truth.FALSE;
      }
    }
    return truth;
  }

  /** Whether all conditions hold for whatever values the columns may have. */
  Truth holds(KeyInterval... key) {
    Truth truth = Truth.TRUE;
    for (Condition condition : conditions) {
      Truth one = key[condition.column()].holds(condition);
      if (one == Truth.FALSE) {
        return Truth.FALSE;
      }
      truth = one == Truth.UNKNOWN ? one : truth;
    }
    return truth;
  }
}
