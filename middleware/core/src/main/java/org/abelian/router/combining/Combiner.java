package org.abelian.router.combining;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The objects that statements which could be combined are under way to. Nothing here is needed for
 * correctness: what it forgets is run alone.
 *
 * <p>Objects are named by keys, which are compared by equals.
 *
 * @param <L> what members bring to those who gather
 */
public final class Combiner<L extends Load<L>> {
  /** So many objects are kept in mind on which combining has failed. */
  private static final int QUIET_LIMIT = 1000;

  private final CombiningLimits limits;
  private final LongSupplier clock;
  private final ConcurrentHashMap<Object, Hotspot<L>> hotspots = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Object, Quiet> quiet = new ConcurrentHashMap<>();

  /**
   * A combiner without statements.
   *
   * @param clock what {@link System#nanoTime} is
   */
  public Combiner(CombiningLimits limits, LongSupplier clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** Its bounds. */
  public CombiningLimits limits() {
    return limits;
  }

  /** Registers a statement that goes alone if it need not gather; else gives null. */
  public Flight depart(Object key) {
    boolean alone = isQuiet(key);
    for (; ; ) {
      Hotspot<L> hotspot = hotspot(key);
      Flight flight = new Flight(hotspot);
      switch (hotspot.arrive(flight, null, alone)) {
        case GOES -> {
          return flight;
        }
        case CONTENDED -> {
          return null;
        }
        default -> {
          // Everybody left meanwhile.
        }
      }
    }
  }

  /** Registers a statement that goes alone in any case. */
  public Flight departAlone(Object key) {
    for (; ; ) {
      Hotspot<L> hotspot = hotspot(key);
      Flight flight = new Flight(hotspot);
      if (hotspot.arrive(flight, null, true) == Hotspot.Arrival.GOES) {
        return flight;
      }
    }
  }

  /** Joins those who gather, or leads at once if there is room. For the session's thread. */
  public Member<L> join(Object key, L load) {
    for (; ; ) {
      Hotspot<L> hotspot = hotspot(key);
      Member<L> member = new Member<>(hotspot, load, Member.State.GATHERING);
      switch (hotspot.arrive(member.flight(), member, false)) {
        case GOES -> {
          member.state(Member.State.LEADS);
          return member;
        }
        case GATHERS -> {
          return member;
        }
        default -> {
          // Everybody left meanwhile.
        }
      }
    }
  }

  private Hotspot<L> hotspot(Object key) {
    return hotspots.computeIfAbsent(key, missing -> new Hotspot<>(this, missing));
  }

  void forget(Object key, Hotspot<L> hotspot) {
    hotspots.remove(key, hotspot);
  }

  /**
   * Combining failed there: for a while everybody goes alone, longer after each failure in a row.
   * So one that fails now and then costs the others little, and what fails each time is hardly
   * tried.
   */
  void beQuiet(Object key) {
    if (quiet.size() >= QUIET_LIMIT) {
      quiet.clear();
    }
    quiet.compute(
        key,
        (same, before) -> {
          long nanos = limits.quietAfter(before);
          return new Quiet(clock.getAsLong() + nanos, nanos);
        });
  }

  /** Combining succeeded there. */
  void succeeded(Object key) {
    if (!quiet.isEmpty()) {
      quiet.remove(key);
    }
  }

  private boolean isQuiet(Object key) {
    if (quiet.isEmpty()) {
      return false;
    }
    Quiet last = quiet.get(key);
    return last != null && last.until() - clock.getAsLong() > 0;
  }

  /** How many objects have statements under way. */
  int size() {
    return hotspots.size();
  }
}
