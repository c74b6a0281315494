package org.abelian.router.execution;

import org.abelian.router.protocol.ByteQueue;

/** Which node a row belongs to. */
@FunctionalInterface
public interface CopyKey {
  /**
   * The index of the node of a key.
   *
   * @param columns the values of the distribution columns in the client's form; null for NULL
   * @throws org.abelian.router.error.AbelianException when no row can have that key
   */
  int node(ByteQueue[] columns);
}
