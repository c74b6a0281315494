package org.abelian.advisor.report;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.KeyType;
import org.abelian.advisor.trace.TraceTable;

/**
 * Which tables are colocated by a placement: those that have one placement function, whose keys are
 * of one kind and mean the same.
 *
 * @param candidate the placement
 * @param numbers of groups whose keys mean the same, by table
 */
record Groups(Candidate candidate, Map<String, Integer> numbers) {
  /** A name of a table's group. Keys of different kinds are hashed differently, and lie apart. */
  String of(TraceTable table) {
    TablePlacement placement = candidate.tables().get(table.id());
    List<String> columns = Distribution.columns(table, placement);
    Distribution distribution = Distribution.of(table, placement);
    Integer number = numbers.get(table.id());
    // Rules that were learnt for each table alone may be the same: then they are one function.
    if (number == null && !(placement instanceof TablePlacement.Rules)) {
      return "only " + table.id();
    }
    return number
        + " "
        + distribution.type()
        + " "
        + columns.stream()
            .map(column -> KeyType.of(table.attributes().get(table.place(column)).type()).name())
            .toList()
        + " "
        + inOrder(distribution);
  }

  /** The rule with numbers in place of columns. */
  private static String inOrder(Distribution distribution) {
    String rule = distribution.rule() == null ? "" : " " + distribution.rule();
    for (int i = 0; i < distribution.columns().size(); i++) {
      String name = Pattern.quote(distribution.columns().get(i));
      rule = rule.replaceAll("(?<= )\"?" + name + "\"?(?= (<=|=) )", "\\$" + i);
    }
    return rule;
  }

  /** Whether a foreign key may refer to a row of another node. */
  boolean crosses(TraceTable table, TraceTable.ForeignKey key, Map<String, TraceTable> tables) {
    TablePlacement mine = candidate.tables().get(table.id());
    TablePlacement other = candidate.tables().get(key.table());
    if (other == null || other instanceof TablePlacement.Reference) {
      return other == null;
    }
    TraceTable referenced = tables.get(key.table());
    if (mine instanceof TablePlacement.Reference
        || referenced == null
        || !of(table).equals(of(referenced))) {
      return true;
    }
    List<String> from = Distribution.columns(table, mine);
    List<String> to = Distribution.columns(referenced, other);
    for (int i = 0; i < from.size(); i++) {
      if (!key.maps(from.get(i), to.get(i))) {
        return true;
      }
    }
    return false;
  }
}
