package org.abelian.advisor.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A decision tree as the inside of a CASE. Answers come in the tree's order, the one for "yes"
 * first, and the first clause that holds decides: so a clause needs only the questions that were
 * answered by "yes". Rows of a "no" have not met the clauses before, all of which ask for more.
 */
final class RuleClauses {
  private final List<String> clauses = new ArrayList<>();

  private RuleClauses() {}

  static String of(Rule rule) {
    RuleClauses text = new RuleClauses();
    text.add(rule, Map.of(), List.of());
    return String.join(" ", text.clauses);
  }

  /**
   * Adds the answers below a question.
   *
   * @param bounds of columns that must not be exceeded, from what was answered by "yes"
   * @param equalities that were answered by "yes"
   */
  private void add(Rule rule, Map<String, Long> bounds, List<String> equalities) {
    if (rule instanceof Rule.AtMost split) {
      Map<String, Long> more = new LinkedHashMap<>(bounds);
      more.merge(SqlNames.identifier(split.column()), (long) Math.floor(split.value()), Math::min);
      add(split.yes(), more, equalities);
      add(split.no(), bounds, equalities);
    } else if (rule instanceof Rule.Equal split) {
      List<String> more = new ArrayList<>(equalities);
      more.add(SqlNames.identifier(split.column()) + " = " + SqlNames.literal(split.value()));
      add(split.yes(), bounds, more);
      add(split.no(), bounds, equalities);
    } else {
      List<String> conditions = new ArrayList<>();
      bounds.forEach((column, bound) -> conditions.add(column + " <= " + bound));
      conditions.addAll(equalities);
      answer(((Rule.Then) rule).partition(), String.join(" AND ", conditions));
    }
  }

  private void answer(int partition, String condition) {
    if (condition.isEmpty()) {
      clauses.add("ELSE " + partition);
      return;
    }
    clauses.add("WHEN " + condition + " THEN " + partition);
  }
}
