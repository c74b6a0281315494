package org.abelian.histories.escrow;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Amounts with a time each, and how much came before any time. */
final class TimedSums {
  private final NavigableMap<Long, Long> amounts = new TreeMap<>();

  /** Sums of all amounts up to each time; null until they are asked for. */
  private NavigableMap<Long, Long> sums;

  void add(long time, long amount) {
    amounts.merge(time, amount, Long::sum);
    sums = null;
  }

  /** The sum of the amounts whose time is earlier. */
  long before(long time) {
    if (sums == null) {
      sums = new TreeMap<>();
      long sum = 0;
      for (Map.Entry<Long, Long> amount : amounts.entrySet()) {
        sum += amount.getValue();
        sums.put(amount.getKey(), sum);
      }
    }
    Map.Entry<Long, Long> last = sums.lowerEntry(time);
    return last == null ? 0 : last.getValue();
  }
}
