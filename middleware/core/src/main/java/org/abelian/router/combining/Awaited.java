package org.abelian.router.combining;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects at which somebody seems to wait for a lock, and how many do. Safe for many threads; what
 * it says may be old.
 *
 * @param <T> what names an object, by equals and an order
 */
public final class Awaited<T extends Comparable<T>> {
  private final ConcurrentHashMap<T, Integer> counts = new ConcurrentHashMap<>();

  /** Somebody waits at one of these objects, maybe. */
  public void enter(List<T> objects) {
    objects.forEach(object -> counts.merge(object, 1, Integer::sum));
  }

  /** He does so no more. */
  public void leave(List<T> objects) {
    for (T object : objects) {
      counts.compute(object, (same, count) -> count == null || count == 1 ? null : count - 1);
    }
  }

  /** Somebody was there and did not wait: whoever has entered them waits at others. */
  public void free(List<T> objects) {
    objects.forEach(counts::remove);
  }

  /** Those that somebody waits at, by their order. */
  public List<T> among(List<T> objects) {
    if (counts.isEmpty()) {
      return List.of();
    }
    return objects.stream().filter(counts::containsKey).sorted().toList();
  }

  /** How many objects somebody waits at. */
  int size() {
    return counts.size();
  }
}
