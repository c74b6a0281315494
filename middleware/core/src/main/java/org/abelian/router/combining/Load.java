package org.abelian.router.combining;

/**
 * What a member brings to those who gather. Immutable.
 *
 * @param <L> its own type
 */
public interface Load<L extends Load<L>> {
  /** Both together, the other's after this one's; null when they must not go together. */
  L plus(L other);
}
