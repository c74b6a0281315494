package org.abelian.advisor.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Placements in words that read like SQL. */
public final class RuleText {
  private static final int MOST_LINES = 40;
  private static final double[] UNBOUNDED = {Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY};

  private RuleText() {}

  /** Where the rows of a table lie; one line for each rule. */
  public static List<String> lines(TablePlacement placement) {
    if (placement instanceof TablePlacement.Hash hash) {
      return List.of("by the hash of " + hash.column());
    }
    if (placement instanceof TablePlacement.RowHash) {
      return List.of("by the hash of the primary key");
    }
    if (placement instanceof TablePlacement.Reference) {
      return List.of("on every node");
    }
    if (placement instanceof TablePlacement.Lookup lookup) {
      return List.of("by " + lookup.column() + " in the lookup table \"" + lookup.map() + "\"");
    }
    if (placement instanceof TablePlacement.RowLookup lookup) {
      return List.of("by the row in the lookup table \"" + lookup.map() + "\"");
    }
    return ofRule(((TablePlacement.Rules) placement).rule());
  }

  private static List<String> ofRule(Rule rule) {
    Map<Integer, List<String>> byPartition = new TreeMap<>();
    collect(rule, new TreeMap<>(), new ArrayList<>(), byPartition);
    List<String> lines = new ArrayList<>();
    byPartition.forEach(
        (partition, conditions) ->
            lines.add(
                (partition == Rule.EVERYWHERE ? "every node" : "node " + (partition + 1))
                    + " WHERE "
                    + (conditions.contains("true") ? "true" : String.join(" OR ", conditions))));
    if (lines.size() > MOST_LINES) {
      int more = lines.size() - MOST_LINES;
      return new ArrayList<>(lines.subList(0, MOST_LINES)) {
        {
          add("... and " + more + " more");
        }
      };
    }
    return lines;
  }

  /**
   * What the rows have in common that a tree sends the same way as one row: the conditions from the
   * root to its answer.
   *
   * @param value of a column of the row
   */
  static String way(Rule start, UnaryOperator<String> value) {
    Map<String, double[]> ranges = new TreeMap<>();
    List<String> texts = new ArrayList<>();
    Rule rule = start;
    while (!(rule instanceof Rule.Then)) {
      boolean holds = rule.holds(value);
      if (rule instanceof Rule.AtMost split) {
        double[] range = ranges.getOrDefault(split.column(), UNBOUNDED);
        ranges.put(
            split.column(),
            holds
                ? new double[] {range[0], Math.min(range[1], split.value())}
                : new double[] {Math.max(range[0], split.value()), range[1]});
        rule = holds ? split.yes() : split.no();
      } else if (rule instanceof Rule.Equal split) {
        texts.add(split.column() + (holds ? " = " : " <> ") + SqlNames.literal(split.value()));
        rule = holds ? split.yes() : split.no();
      }
    }
    return condition(ranges, texts);
  }

  /** What the way from the root to each answer says, with the ranges of a column put together. */
  private static void collect(
      Rule rule,
      Map<String, double[]> ranges,
      List<String> texts,
      Map<Integer, List<String>> byPartition) {
    if (rule instanceof Rule.Then then) {
      byPartition
          .computeIfAbsent(then.partition(), fresh -> new ArrayList<>())
          .add(condition(ranges, texts));
    } else if (rule instanceof Rule.AtMost split) {
      double[] range = ranges.getOrDefault(split.column(), UNBOUNDED);
      collect(
          split.yes(),
          with(ranges, split.column(), range[0], Math.min(range[1], split.value())),
          texts,
          byPartition);
      collect(
          split.no(),
          with(ranges, split.column(), Math.max(range[0], split.value()), range[1]),
          texts,
          byPartition);
    } else if (rule instanceof Rule.Equal split) {
      String value = "'" + split.value().replace("'", "''") + "'";
      collect(split.yes(), ranges, plus(texts, split.column() + " = " + value), byPartition);
      collect(split.no(), ranges, plus(texts, split.column() + " <> " + value), byPartition);
    }
  }

  private static String condition(Map<String, double[]> ranges, List<String> texts) {
    List<String> parts = new ArrayList<>(texts);
    ranges.forEach((column, range) -> parts.add(range(column, range[0], range[1])));
    return parts.isEmpty() ? "true" : parts.stream().collect(Collectors.joining(" AND "));
  }

  /** Above one threshold and up to another; between halves only one whole number may lie. */
  private static String range(String column, double above, double atMost) {
    if (isHalf(above) && isHalf(atMost)) {
      return atMost - above == 1
          ? column + " = " + Numbers.text(above + 0.5)
          : column + " BETWEEN " + Numbers.text(above + 0.5) + " AND " + Numbers.text(atMost - 0.5);
    }
    if (above == Double.NEGATIVE_INFINITY) {
      return column + " <= " + Numbers.text(isHalf(atMost) ? atMost - 0.5 : atMost);
    }
    String from =
        isHalf(above)
            ? column + " >= " + Numbers.text(above + 0.5)
            : column + " > " + Numbers.text(above);
    return atMost == Double.POSITIVE_INFINITY
        ? from
        : from + " AND " + column + " <= " + Numbers.text(isHalf(atMost) ? atMost - 0.5 : atMost);
  }

  private static boolean isHalf(double value) {
    return !Double.isInfinite(value) && Math.abs(value - Math.floor(value) - 0.5) < 1e-9;
  }

  private static Map<String, double[]> with(
      Map<String, double[]> ranges, String column, double above, double atMost) {
    Map<String, double[]> more = new TreeMap<>(ranges);
    more.put(column, new double[] {above, atMost});
    return more;
  }

  private static List<String> plus(List<String> texts, String one) {
    List<String> more = new ArrayList<>(texts);
    more.add(one);
    return more;
  }
}
