package org.abelian.router.analysis;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Keeps what was worked out about texts, within a number of entries and of bytes. Eviction gives
 * each entry that was used a second chance (the CLOCK policy; Corbató 1968), so that a lookup takes
 * no lock. Safe for several threads; two threads may work out the same text at once, and the later
 * result stays.
 *
 * @param <T> what is kept
 */
public final class AnalysisCache<T> {
  private static final class Entry<T> {
    final T value;
    final long bytes;
    volatile boolean used;

    Entry(T value, long bytes) {
      this.value = value;
      this.bytes = bytes;
    }
  }

  /** What an entry costs beside its texts: objects, the key, its place in the map and the queue. */
  private static final long ENTRY_BYTES = 512;

  private final int entriesMax;
  private final long bytesMax;
  private final ConcurrentMap<AnalysisKey, Entry<T>> entries = new ConcurrentHashMap<>();
  private final Queue<AnalysisKey> hand = new ArrayDeque<>();
  private long bytes;

  /** An empty cache. */
  public AnalysisCache(int entriesMax, long bytesMax) {
    this.entriesMax = entriesMax;
    this.bytesMax = bytesMax;
  }

  /** What was kept for the key. */
  public Optional<T> get(AnalysisKey key) {
    Entry<T> entry = entries.get(key);
    if (entry == null) {
      return Optional.empty();
    }
    if (!entry.used) {
      entry.used = true;
    }
    return Optional.of(entry.value);
  }

  /**
   * Keeps a value, and drops others if there is no room. A value larger than a quarter of the cache
   * is not kept.
   *
   * @param valueBytes about how much memory the value takes, without the key
   */
  public synchronized void put(AnalysisKey key, T value, long valueBytes) {
    long cost = ENTRY_BYTES + 2L * key.sql().length() + valueBytes;
    if (cost > bytesMax / 4) {
      return;
    }
    Entry<T> replaced = entries.put(key, new Entry<>(value, cost));
    if (replaced == null) {
      hand.add(key);
    } else {
      bytes -= replaced.bytes;
    }
    bytes += cost;
    evict();
  }

  private void evict() {
    while (entries.size() > entriesMax || bytes > bytesMax) {
      AnalysisKey oldest = hand.remove();
      Entry<T> entry = entries.get(oldest);
      if (entry.used) {
        entry.used = false;
        hand.add(oldest);
      } else {
        entries.remove(oldest);
        bytes -= entry.bytes;
      }
    }
  }

  /** Forgets everything. */
  public synchronized void clear() {
    entries.clear();
    hand.clear();
    bytes = 0;
  }

  /** The number of entries. */
  public int size() {
    return entries.size();
  }

  /** The memory that the entries take, about, in bytes. */
  public synchronized long bytes() {
    return bytes;
  }
}
