package org.abelian.router.pool;

import org.abelian.router.protocol.MemoryBudget;

/**
 * What all connections to nodes share.
 *
 * @param watch sees to it that no wait for a node is endless
 * @param memory what their buffers may take
 */
public record IoContext(WaitWatch watch, MemoryBudget memory) {
  /** With a watch of its own. */
  public static IoContext of(MemoryBudget memory) {
    return new IoContext(new WaitWatch(), memory);
  }
}
