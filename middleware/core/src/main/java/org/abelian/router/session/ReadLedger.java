package org.abelian.router.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What a router knows about reads of several nodes, for each set of nodes. Thread-safe. */
public final class ReadLedger {
  /** Beyond so many sets of nodes all is forgotten. */
  private static final int SETS_MAX = 256;

  private final Map<List<Integer>, ReadKnowledge> known = new ConcurrentHashMap<>();

  /** What is known of these nodes, in this order; null for nothing. */
  ReadKnowledge of(List<Integer> nodes) {
    return known.get(nodes);
  }

  /** A read behind the gates has learned this. */
  void begin(List<Integer> nodes, ReadKnowledge knowledge) {
    if (known.size() >= SETS_MAX) {
      known.clear();
    }
    known.put(List.copyOf(nodes), knowledge);
  }

  /** A read has learned more, unless another was faster; both may be kept, as both are true. */
  void learn(List<Integer> nodes, ReadKnowledge before, ReadKnowledge after) {
    known.replace(nodes, before, after);
  }
}
