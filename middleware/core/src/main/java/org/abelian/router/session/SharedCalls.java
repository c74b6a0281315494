package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.combining.Load;

/**
 * Calls that run in one transaction, in this order.
 *
 * @param calls at least one
 * @param size of their arguments and texts together, roughly, in bytes
 */
record SharedCalls(List<SharedCall> calls, int size) implements Load<SharedCalls> {
  /** So much at most: the intent of all is a value of each of its nodes. */
  private static final int LARGEST = 1 << 20;

  /** One of them. */
  static SharedCalls of(Portal.OnNodes portal) {
    int size = portal.bind.end() + portal.statement().sql().length();
    return new SharedCalls(List.of(new SharedCall(portal)), size);
  }

  @Override
  public SharedCalls plus(SharedCalls other) {
    if (size + other.size > LARGEST) {
      return null;
    }
    List<SharedCall> both = new ArrayList<>(calls);
    both.addAll(other.calls);
    return new SharedCalls(both, size + other.size);
  }
}
