package org.abelian.advisor.placement;

import java.util.List;
import java.util.function.UnaryOperator;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.router.placement.KeyValue;

/** Where rows lie under a placement, by what is known of them. */
public final class RowPlacement {
  /** A copy on each node. */
  public static final int EVERYWHERE = Rule.EVERYWHERE;

  /** What is known of the row does not say. */
  public static final int UNKNOWN = -2;

  private final Lookups lookups;
  private final int nodes;

  /**
   * For placements on so many nodes.
   *
   * @param lookups the maps that they name
   */
  public RowPlacement(Lookups lookups, int nodes) {
    this.lookups = lookups;
    this.nodes = nodes;
  }

  /**
   * The node of a row from 0, {@link #EVERYWHERE} or {@link #UNKNOWN}. A row of a lookup table of
   * rows is taken for one that is not in it.
   *
   * @param value of a column of the row as text, or null where it is not known; it is asked for the
   *     columns that matter only
   */
  public int node(TraceTable table, TablePlacement placement, UnaryOperator<String> value) {
    if (placement instanceof TablePlacement.Reference) {
      return EVERYWHERE;
    }
    if (placement instanceof TablePlacement.Rules rules) {
      return follow(rules.rule(), value);
    }
    if (placement instanceof TablePlacement.Lookup lookup) {
      Integer entry = lookups.map(lookup.map()).get(value.apply(lookup.column()));
      if (entry != null) {
        return entry;
      }
    }
    KeyValue[] key = key(table, placement, value);
    return key == null ? UNKNOWN : KeyHash.node(nodes, key);
  }

  /**
   * What the rows have in common that go where a row goes, for a row whose place is known: a key, a
   * condition, or the partition of a hash.
   */
  public String unit(TraceTable table, TablePlacement placement, UnaryOperator<String> value) {
    if (placement instanceof TablePlacement.Reference) {
      return "all rows";
    }
    if (placement instanceof TablePlacement.Rules rules) {
      return RuleText.way(rules.rule(), value);
    }
    if (placement instanceof TablePlacement.Lookup lookup) {
      String key = value.apply(lookup.column());
      if (lookups.map(lookup.map()).containsKey(key)) {
        return lookup.column() + " = " + SqlNames.literal(key);
      }
    }
    return "partition " + KeyHash.partition(nodes, key(table, placement, value));
  }

  /** The values that are hashed; null when one is not known. */
  private static KeyValue[] key(
      TraceTable table, TablePlacement placement, UnaryOperator<String> value) {
    List<String> columns =
        placement instanceof TablePlacement.RowLookup
            ? table.primaryKey()
            : Distribution.columns(table, placement);
    KeyValue[] key = new KeyValue[columns.size()];
    boolean known = key.length > 0;
    for (int at = 0; at < key.length; at++) {
      String text = value.apply(columns.get(at));
      String type = table.attributes().get(table.place(columns.get(at))).type();
      known &= text != null;
      key[at] = text == null ? null : KeyHash.value(type, text);
    }
    return known ? key : null;
  }

  private static int follow(Rule start, UnaryOperator<String> value) {
    Rule rule = start;
    while (!(rule instanceof Rule.Then)) {
      Boolean holds = rule.holds(value);
      if (holds == null) {
        return UNKNOWN;
      }
      if (rule instanceof Rule.AtMost split) {
        rule = holds ? split.yes() : split.no();
      } else if (rule instanceof Rule.Equal split) {
        rule = holds ? split.yes() : split.no();
      }
    }
    return ((Rule.Then) rule).partition();
  }
}
