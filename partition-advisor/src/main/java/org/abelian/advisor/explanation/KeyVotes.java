package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Numbers;
import org.abelian.advisor.placement.Rule;

/** The keys of a group of tables vote, by the rows that have them, where they lie. */
final class KeyVotes {
  private final Map<String, Map<Integer, Long>> votes = new TreeMap<>();

  void add(String key, int partition, long weight) {
    votes.computeIfAbsent(key, fresh -> new TreeMap<>()).merge(partition, weight, Long::sum);
  }

  /** Whether all keys are numbers. */
  boolean numeric() {
    return votes.keySet().stream().allMatch(key -> Numbers.parse(key) != null);
  }

  /** The partition of each key. */
  Map<String, Integer> winners() {
    Map<String, Integer> winners = new HashMap<>();
    votes.forEach((key, parts) -> winners.put(key, winner(parts)));
    return winners;
  }

  /**
   * A tree over the key alone.
   *
   * @param most keys to learn from
   */
  Rule ranges(long seed, int most) {
    List<Labelled> rows = new ArrayList<>();
    votes.forEach(
        (key, parts) ->
            rows.add(
                new Labelled(
                    new double[] {Numbers.parse(key)},
                    new String[0],
                    winner(parts),
                    parts.values().stream().mapToLong(Long::longValue).sum())));
    return new TreeLearner(List.of(""), List.of(), TreeLearner.sample(rows, most, seed), seed)
        .learn()
        .rule();
  }

  /** The same tree over the key of one table. */
  static Rule named(Rule rule, String column) {
    return rule instanceof Rule.AtMost split
        ? new Rule.AtMost(
            column, split.value(), named(split.yes(), column), named(split.no(), column))
        : rule;
  }

  /** The partition with the most votes. */
  static int winner(Map<Integer, Long> parts) {
    return parts.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }
}
