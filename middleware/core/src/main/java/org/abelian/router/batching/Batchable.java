package org.abelian.router.batching;

/**
 * An operation that can be run together with others of its kind. Immutable.
 *
 * @param <L> its own type
 */
public interface Batchable<L extends Batchable<L>> {
  /** Both together, the other's after this one's; null when they must not go together. */
  L plus(L other);
}
