package org.abelian.histories;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.abelian.histories.lists.Ending;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.Recorded;

/** What histories consisted of. */
final class ListSummary {
  /** Errors that a client may meet: a transaction that is to be repeated, or a lost connection. */
  private static final String EXPECTED = "(?s)(40001|40P01|08...|57P0.|null|53300|57014) .*";

  private final Map<Kind, Map<Ending, Integer>> endings = new EnumMap<>(Kind.class);
  private final Map<String, Integer> errors = new TreeMap<>();
  private final Set<String> surprises = new TreeSet<>();
  private int histories;

  void add(ListHistory history) {
    histories++;
    for (Recorded transaction : history.transactions()) {
      endings
          .computeIfAbsent(transaction.intention().kind(), any -> new TreeMap<>())
          .merge(transaction.ending(), 1, Integer::sum);
      if (!transaction.error().isEmpty()) {
        errors.merge(transaction.intention().kind() + " " + transaction.error(), 1, Integer::sum);
        if (!transaction.error().matches(EXPECTED)) {
          surprises.add(transaction.toString());
        }
      }
    }
  }

  /** Errors that no client should meet. */
  Set<String> surprises() {
    return surprises;
  }

  /** How many were committed in all. */
  int committed() {
    return endings.values().stream().mapToInt(e -> e.getOrDefault(Ending.COMMITTED, 0)).sum();
  }

  boolean allCommitted(Set<Kind> kinds) {
    return kinds.stream()
        .allMatch(kind -> endings.getOrDefault(kind, Map.of()).containsKey(Ending.COMMITTED));
  }

  @Override
  public String toString() {
    return histories + " histories of " + endings + ", errors " + errors;
  }
}
