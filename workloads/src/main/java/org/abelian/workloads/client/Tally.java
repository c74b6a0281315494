package org.abelian.workloads.client;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What became of the transactions of several clients. Thread-safe. */
public final class Tally {
  private final Map<String, LongAdder> committed = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> completed = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> failed = new ConcurrentHashMap<>();
  private final LongAdder retries = new LongAdder();

  void committed(String type, boolean measured) {
    add(committed, type);
    if (measured) {
      add(completed, type);
    }
  }

  void failed(String sqlState) {
    add(failed, sqlState);
  }

  private static void add(Map<String, LongAdder> counts, String name) {
    counts.computeIfAbsent(name, any -> new LongAdder()).increment();
  }

  void retried(long times) {
    retries.add(times);
  }

  /** Transactions that committed at any time, by type. */
  public Map<String, Long> committed() {
    return sums(committed);
  }

  /** Transactions that committed within the measured time, by type. */
  public Map<String, Long> completed() {
    return sums(completed);
  }

  /** Transactions that were given up within the measured time, by SQLSTATE. */
  public Map<String, Long> failed() {
    return sums(failed);
  }

  /** How often a transaction was tried again within the measured time. */
  public long retries() {
    return retries.sum();
  }

  private static Map<String, Long> sums(Map<String, LongAdder> adders) {
    Map<String, Long> sums = new TreeMap<>();
    adders.forEach((name, adder) -> sums.put(name, adder.sum()));
    return sums;
  }
}
