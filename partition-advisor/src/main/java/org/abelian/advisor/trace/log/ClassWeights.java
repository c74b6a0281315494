package org.abelian.advisor.trace.log;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How much more often the classes of a short log's transactions are in truth, from how often their
 * statements are executed. A statement may be in several classes: the weights are fitted (iterative
 * scaling, Darroch and Ratcliff 1972) until the statements of all transactions, weighted, are as
 * many as were counted.
 */
final class ClassWeights {
  private static final int ROUNDS = 200;

  /** By class, how often its transactions have each statement. */
  private final Map<String, Map<String, Long>> statements = new TreeMap<>();

  private final Map<String, Long> transactions = new TreeMap<>();

  /**
   * Counts a transaction.
   *
   * @param name of its class
   * @param keys of its statements, as {@link CallCounts} has them
   */
  void add(String name, Iterable<String> keys) {
    transactions.merge(name, 1L, Long::sum);
    Map<String, Long> counts = statements.computeIfAbsent(name, fresh -> new TreeMap<>());
    keys.forEach(key -> counts.merge(key, 1L, Long::sum));
  }

  /**
   * The weight of a transaction of each class; the mean over all transactions is 1. A class of
   * which no statement was counted keeps its share.
   */
  Map<String, Double> of(Map<String, Long> calls) {
    Map<String, Map<String, Double>> known = new TreeMap<>();
    Map<String, Double> weights = new TreeMap<>();
    statements.forEach(
        (name, counts) -> {
          Map<String, Double> counted = new TreeMap<>();
          counts.forEach(
              (key, count) -> {
                if (calls.containsKey(key)) {
                  counted.put(key, (double) count);
                }
              });
          known.put(name, counted);
          weights.put(name, 1.0);
        });
    double start = total(calls, known) / Math.max(1, sum(known));
    weights.replaceAll((name, one) -> start == 0 ? 1 : start);
    for (int round = 0; round < ROUNDS; round++) {
      fit(calls, known, weights);
    }
    double all = transactions.values().stream().mapToLong(Long::longValue).sum();
    double mean = 0;
    for (String name : weights.keySet()) {
      mean += weights.get(name) * transactions.get(name) / all;
    }
    double over = mean;
    weights.replaceAll((name, weight) -> weight / over);
    return weights;
  }

  private static void fit(
      Map<String, Long> calls,
      Map<String, Map<String, Double>> known,
      Map<String, Double> weights) {
    Map<String, Double> expected = new HashMap<>();
    known.forEach(
        (name, counts) ->
            counts.forEach(
                (key, count) -> expected.merge(key, weights.get(name) * count, Double::sum)));
    known.forEach(
        (name, counts) -> {
          double all = counts.values().stream().mapToDouble(Double::doubleValue).sum();
          double log = 0;
          for (Map.Entry<String, Double> one : counts.entrySet()) {
            log +=
                one.getValue()
                    / all
                    * Math.log(Math.max(1, calls.get(one.getKey())) / expected.get(one.getKey()));
          }
          weights.put(name, weights.get(name) * Math.exp(log));
        });
  }

  private static double total(Map<String, Long> calls, Map<String, Map<String, Double>> known) {
    Set<String> keys = new HashSet<>();
    known.values().forEach(counts -> keys.addAll(counts.keySet()));
    return keys.stream().mapToLong(calls::get).sum();
  }

  private static double sum(Map<String, Map<String, Double>> known) {
    return known.values().stream()
        .flatMap(counts -> counts.values().stream())
        .mapToDouble(Double::doubleValue)
        .sum();
  }

  /** The share of calls whose statements no transaction of the log has, between 0 and 1. */
  double missing(Map<String, Long> calls) {
    Set<String> seen = new HashSet<>();
    statements.values().forEach(counts -> seen.addAll(counts.keySet()));
    double all =
        calls.entrySet().stream()
            .filter(one -> isOfTables(one.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    return all == 0
        ? 0
        : calls.entrySet().stream()
                .filter(one -> isOfTables(one.getKey()) && !seen.contains(one.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum()
            / all;
  }

  private static boolean isOfTables(String key) {
    return key.matches("(?is)(select|insert|update|delete|merge|with)\\b.*");
  }
}
