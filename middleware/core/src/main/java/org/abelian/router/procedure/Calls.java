package org.abelian.router.procedure;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.batching.Batchable;

/**
 * Calls of several sessions that run in one transaction, in this order.
 *
 * @param <C> one session's call
 * @param calls at least one
 * @param size of what the nodes keep of them together, roughly
 * @param largest so much of that at most
 */
public record Calls<C>(List<C> calls, int size, int largest) implements Batchable<Calls<C>> {
  @Override
  public Calls<C> plus(Calls<C> other) {
    if (size + other.size > largest) {
      return null;
    }
    List<C> all = new ArrayList<>(calls.size() + other.calls.size());
    all.addAll(calls);
    all.addAll(other.calls);
    return new Calls<>(all, size + other.size, largest);
  }
}
