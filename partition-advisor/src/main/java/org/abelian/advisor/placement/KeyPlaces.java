package org.abelian.advisor.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.abelian.advisor.trace.TraceTable;

/**
 * The ways in which a placement takes a single value to a node: its hash, a lookup table, ranges.
 */
public final class KeyPlaces {
  /** What is not placed by one value. */
  private static final int NOWHERE = -2;

  private final Map<String, ToIntFunction<String>> ways = new LinkedHashMap<>();

  /** Collects the ways of a candidate; equal ones once. */
  public KeyPlaces(Candidate candidate, Lookups lookups, List<TraceTable> tables, int nodes) {
    for (TraceTable table : tables) {
      TablePlacement placement = candidate.tables().get(table.id());
      if (placement instanceof TablePlacement.Hash hash) {
        String type = type(table, hash.column());
        ways.put("hash of " + type, value -> hashed(type, value, nodes));
      } else if (placement instanceof TablePlacement.Lookup lookup) {
        Map<String, Integer> map = lookups.map(lookup.map());
        String type = type(table, lookup.column());
        ways.put(
            lookup.map() + " of " + type,
            value -> map.containsKey(value) ? map.get(value) : hashed(type, value, nodes));
      } else if (placement instanceof TablePlacement.Rules rules
          && rules.rule() instanceof Rule.AtMost) {
        ways.put(
            rules.rule().toString().replaceAll("column=[^,]*", ""),
            value -> follow(rules.rule(), value));
      }
    }
  }

  /** The ways. Each gives a node from 0, or a number below 0 when it says nothing. */
  public List<ToIntFunction<String>> ways() {
    return List.copyOf(ways.values());
  }

  private static String type(TraceTable table, String column) {
    return table.attributes().get(table.place(column)).type();
  }

  private static int hashed(String type, String value, int nodes) {
    return KeyHash.node(nodes, KeyHash.value(type, value));
  }

  private static int follow(Rule start, String value) {
    Double number = Numbers.parse(value);
    Rule rule = start;
    String column = ((Rule.AtMost) start).column();
    while (rule instanceof Rule.AtMost split && number != null && split.column().equals(column)) {
      rule = number <= split.value() ? split.yes() : split.no();
    }
    return rule instanceof Rule.Then then && number != null ? then.partition() : NOWHERE;
  }
}
