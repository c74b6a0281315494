package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.combining.Load;

/**
 * Calls of several sessions that become one independent transaction, in this order.
 *
 * @param calls one of each session
 * @param size of their intents, in characters
 */
record LaneCalls(List<LaneCall> calls, int size) implements Load<LaneCalls> {
  /** A longer intent would make the record's row more expensive than another transaction. */
  private static final int SIZE_MAX = 1 << 15;

  /** Of one session. */
  static LaneCalls of(LaneCall call) {
    return new LaneCalls(List.of(call), call.intent().length());
  }

  @Override
  public LaneCalls plus(LaneCalls other) {
    if (size + other.size > SIZE_MAX) {
      return null;
    }
    List<LaneCall> all = new ArrayList<>(calls.size() + other.calls.size());
    all.addAll(calls);
    all.addAll(other.calls);
    return new LaneCalls(all, size + other.size);
  }
}
