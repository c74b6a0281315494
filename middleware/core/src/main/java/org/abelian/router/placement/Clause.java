package org.abelian.router.placement;

import java.util.List;

/** One WHEN of a rule: rows for which all conditions hold lie in the partition. */
public record Clause(int partition, List<Condition> conditions) {
  /** What is known of a row's columns may not say whether the conditions hold. */
  public enum Truth {
    TRUE,
    FALSE,
    UNKNOWN
  }

  /** Copies the list. */
  public Clause {
    conditions = List.copyOf(conditions);
  }

  /** Whether all conditions hold; values that are not known are null. */
  public Truth holds(KeyValue... key) {
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
}
