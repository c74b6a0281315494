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

  /**
   * The first by their order of those that somebody waits at, so that all who name two of them
   * choose the same; null when there is none.
   */
  public T first(List<T> objects) {
    if (counts.isEmpty()) {
      return null;
    }
    return objects.stream().filter(counts::containsKey).min(T::compareTo).orElse(null);
  }

  /** How many objects somebody waits at. */
  int size() {
    return counts.size();
  }
}
