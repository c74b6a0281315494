package org.abelian.advisor.placement;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.abelian.advisor.trace.KeyType;
import org.abelian.advisor.trace.TraceTable;

/**
 * How create_distributed_table() is told of a placement: its type, its distribution columns and the
 * inside of the CASE that is its rule.
 *
 * @param type hash, range, list, rules or lookup
 * @param columns in the order of the rule
 * @param rule null for hash
 */
public record Distribution(String type, List<String> columns, String rule) {
  /** Of a table, as the extension has it. */
  private static final int MOST_COLUMNS = 8;

  /** Of a rule, as the extension has it. */
  private static final int MOST_CONDITIONS = 10_000;

  /** Digits that a 64-bit number has in any case. */
  private static final int MOST_DIGITS = 18;

  /** Copies the list. */
  public Distribution {
    columns = List.copyOf(columns);
  }

  /**
   * Of the rows of a table. Only for a placement that is neither a reference table's nor has an
   * {@link #obstacle}.
   */
  public static Distribution of(TraceTable table, TablePlacement placement) {
    if (placement instanceof TablePlacement.Lookup lookup) {
      return new Distribution("lookup", List.of(lookup.column()), "ELSE HASH");
    }
    if (placement instanceof TablePlacement.Rules rules) {
      List<String> columns = columns(table, placement);
      return new Distribution(type(rules.rule(), columns), columns, RuleClauses.of(rules.rule()));
    }
    return new Distribution("hash", columns(table, placement), null);
  }

  /** The columns by which a placement tells rows apart. */
  public static List<String> columns(TraceTable table, TablePlacement placement) {
    if (placement instanceof TablePlacement.Hash hash) {
      return List.of(hash.column());
    }
    if (placement instanceof TablePlacement.RowHash) {
      return table.primaryKey();
    }
    if (placement instanceof TablePlacement.Lookup lookup) {
      return List.of(lookup.column());
    }
    if (placement instanceof TablePlacement.Rules rules) {
      Set<String> columns = new LinkedHashSet<>();
      collect(rules.rule(), columns);
      return new ArrayList<>(columns);
    }
    return List.of();
  }

  private static void collect(Rule rule, Set<String> columns) {
    if (rule instanceof Rule.AtMost split) {
      columns.add(split.column());
      collect(split.yes(), columns);
      collect(split.no(), columns);
    } else if (rule instanceof Rule.Equal split) {
      columns.add(split.column());
      collect(split.yes(), columns);
      collect(split.no(), columns);
    }
  }

  private static String type(Rule rule, List<String> columns) {
    if (columns.size() > 1) {
      return "rules";
    }
    return rule instanceof Rule.AtMost ? "range" : "list";
  }

  /** Why a placement cannot be loaded, as the end of a sentence; null when it can. */
  public static String obstacle(TraceTable table, TablePlacement placement) {
    if (placement instanceof TablePlacement.Reference) {
      return null;
    }
    if (placement instanceof TablePlacement.RowLookup) {
      return "a table of rows is none of a key";
    }
    List<String> columns = columns(table, placement);
    if (columns.isEmpty()) {
      return placement instanceof TablePlacement.RowHash
          ? "there is no primary key"
          : "all rows are on one node, which no rule over a column says";
    }
    if (columns.size() > MOST_COLUMNS) {
      return "there are more than " + MOST_COLUMNS + " columns";
    }
    for (String column : columns) {
      if (!table.keys().stream().allMatch(key -> key.contains(column))) {
        return column + " is not in all unique keys";
      }
      if (!table.canDistribute(column)) {
        return "rows cannot be placed by the type of " + column;
      }
    }
    return placement instanceof TablePlacement.Rules rules ? obstacle(table, rules.rule()) : null;
  }

  private static String obstacle(TraceTable table, Rule rule) {
    if (rule.leaves() > MOST_CONDITIONS) {
      return "the rule has too many conditions";
    }
    if (rule instanceof Rule.Then then) {
      return then.partition() == Rule.EVERYWHERE
          ? "some rows are on every node and others are not"
          : null;
    }
    if (rule instanceof Rule.AtMost split) {
      if (!isWhole(table, split.column())) {
        return split.column() + " is no whole number, and has another order in rules";
      }
      return first(obstacle(table, split.yes()), obstacle(table, split.no()));
    }
    Rule.Equal split = (Rule.Equal) rule;
    return first(obstacle(table, split.yes()), obstacle(table, split.no()));
  }

  private static String first(String one, String other) {
    return one == null ? other : one;
  }

  private static boolean isWhole(TraceTable table, String column) {
    String type = table.attributes().get(table.place(column)).type();
    return KeyType.of(type) == KeyType.NUMBER
        && (!type.startsWith("numeric")
            || Integer.parseInt(type.replaceAll("\\D*(\\d+),.*", "$1")) <= MOST_DIGITS);
  }
}
