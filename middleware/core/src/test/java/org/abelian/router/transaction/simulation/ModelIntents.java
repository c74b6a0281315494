package org.abelian.router.transaction.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.abelian.router.transaction.IntentId;
import org.abelian.router.transaction.StoredIntent;

/** The intents of a node in memory: what is on disk of them. */
final class ModelIntents {
  final Map<Long, StoredIntent> rows = new TreeMap<>();

  /** How often the work of each transaction was done here, by number. */
  private final Map<Long, Integer> done = new HashMap<>();

  private final Map<UUID, Long> below = new HashMap<>();
  private final Map<UUID, Long> closed = new HashMap<>();

  int done(long number) {
    return done.getOrDefault(number, 0);
  }

  void did(long number, int times) {
    done.merge(number, times, Integer::sum);
  }

  boolean isOver(IntentId id) {
    return id.number() < below.getOrDefault(id.router(), 0L);
  }

  boolean isClosed(IntentId id) {
    return isOver(id) || id.number() < closed.getOrDefault(id.router(), 0L);
  }

  void close(UUID router, long number) {
    closed.merge(router, number, Math::max);
  }

  void forget(UUID router, long number) {
    below.merge(router, number, Math::max);
    rows.values().removeIf(row -> row.id().router().equals(router) && row.id().number() < number);
  }
}
