package org.abelian.router.routing;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many statements took which route since the router started. Thread-safe. */
public final class RouteCounts {
  private final Map<Class<? extends Route>, LongAdder> counts = new ConcurrentHashMap<>();
  private final LongAdder batched = new LongAdder();

  /** A statement is bound. */
  public void count(Route route) {
    Class<? extends Route> kind = route.plain().getClass();
    LongAdder known = counts.get(kind);
    if (known == null) {
      known = counts.computeIfAbsent(kind, any -> new LongAdder());
    }
    known.increment();
  }

  /** A read was answered in a batch with those of other sessions; counted beside its route. */
  public void countBatched() {
    batched.increment();
  }

  /** How many reads were answered in batches. */
  public long batched() {
    return batched.sum();
  }

  /** The counts by the names of routes, for instance {@code one_node}. */
  public Map<String, Long> counts() {
    Map<String, Long> named = new TreeMap<>();
    counts.forEach((kind, count) -> named.put(name(kind), count.sum()));
    return named;
  }

  private static String name(Class<?> kind) {
    return kind.getSimpleName().replaceAll("(?<=.)([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
