package org.abelian.router.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.router.placement.KeyValue;

/**
 * In which partition the rows were that lookup indexes led to, for all sessions of a router. What
 * is remembered may be out of date: a row that is found there is the one, and one that is not may
 * be elsewhere. Safe for several threads.
 */
public final class LookupGuesses {
  /** More of them than this are forgotten, all at once. */
  private static final int MOST = 100_000;

  /** Longer values are not remembered. */
  private static final int LENGTH_MAX = 100;

  private record Place(int index, KeyValue value) {}

  private final Map<Place, Integer> partitions = new ConcurrentHashMap<>();

  /** The partition of the row with that value; null when nothing is remembered. */
  Integer partition(int index, KeyValue value) {
    return partitions.get(new Place(index, value));
  }

  /** Remembers where a row was. */
  void put(int index, KeyValue value, int partition) {
    if (value instanceof KeyValue.Bytes bytes && bytes.value().length > LENGTH_MAX) {
      return;
    }
    if (partitions.size() >= MOST) {
      partitions.clear();
    }
    partitions.put(new Place(index, value), partition);
  }

  /** The row was not there. */
  void forget(int index, KeyValue value) {
    partitions.remove(new Place(index, value));
  }
}
