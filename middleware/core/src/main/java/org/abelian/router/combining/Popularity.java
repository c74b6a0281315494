package org.abelian.router.combining;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many of what is under way name an object, for each object: tells which of several objects
 * should be gathered for. Safe for many threads; what it says may be old.
 *
 * @param <T> what names an object, by equals and an order
 */
public final class Popularity<T extends Comparable<T>> {
  private final int hotFrom;
  private final ConcurrentHashMap<T, Integer> counts = new ConcurrentHashMap<>();

  /**
   * Of nothing.
   *
   * @param hotFrom from how many on an object is contended
   */
  public Popularity(int hotFrom) {
    this.hotFrom = hotFrom;
  }

  /**
   * Something that names these objects begins.
   *
   * @return the first contended one by their order, so that all who share two of them choose the
   *     same; null when none is
   */
  public T enter(List<T> objects) {
    T hot = null;
    for (T object : objects) {
      boolean contended = counts.merge(object, 1, Integer::sum) >= hotFrom;
      if (contended && (hot == null || object.compareTo(hot) < 0)) {
        hot = object;
      }
    }
    return hot;
  }

  /** It has ended. */
  public void leave(List<T> objects) {
    for (T object : objects) {
      counts.compute(object, (same, count) -> count == null || count == 1 ? null : count - 1);
    }
  }

  /** How many objects something under way names. */
  int size() {
    return counts.size();
  }
}
