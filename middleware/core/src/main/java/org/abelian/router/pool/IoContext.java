package org.abelian.router.pool;

import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.tls.NodeTls;

/**
 * What all connections to nodes share.
 *
 * @param watch sees to it that no wait for a node is endless
 * @param memory what their buffers may take
 * @param tls how they are encrypted
 */
public record IoContext(WaitWatch watch, MemoryBudget memory, NodeTls tls) {
  /** With a watch of its own. */
  public static IoContext of(MemoryBudget memory, NodeTls tls) {
    return new IoContext(new WaitWatch(), memory, tls);
  }
}
