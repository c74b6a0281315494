package org.abelian.router.batching;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Rows at which somebody seems to wait for a lock, and how many do. Safe for many threads; what it
 * says may be old.
 *
 * @param <T> what names a row, by equals and an order
 */
public final class LockWaits<T extends Comparable<T>> {
  private final ConcurrentHashMap<T, Integer> counts = new ConcurrentHashMap<>();

  /** Somebody waits at one of these rows, maybe. */
  public void enter(List<T> rows) {
    rows.forEach(row -> counts.merge(row, 1, Integer::sum));
  }

  /** They wait no more. */
  public void leave(List<T> rows) {
    for (T row : rows) {
      counts.compute(row, (same, count) -> count == null || count == 1 ? null : count - 1);
    }
  }

  /** Somebody was there and did not wait: whoever has entered them waits at others. */
  public void free(List<T> rows) {
    rows.forEach(counts::remove);
  }

  /** Those that somebody waits at, by their order. */
  public List<T> among(List<T> rows) {
    if (counts.isEmpty()) {
      return List.of();
    }
    return rows.stream().filter(counts::containsKey).sorted().toList();
  }

  /** How many rows somebody waits at. */
  int size() {
    return counts.size();
  }
}
