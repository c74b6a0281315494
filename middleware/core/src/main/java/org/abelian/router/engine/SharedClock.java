package org.abelian.router.engine;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.session.TransactionClock;

/**
 * When the client's transaction and statement have begun, as the first node knows it: the clock of
 * all nodes for a command that computes values for rows.
 *
 * @param moments the two, in microseconds of PostgreSQL's clock
 */
record SharedClock(List<String> moments) {
  /**
   * Asks the first node, which has entered the transaction.
   *
   * @return null when a node has failed, and the client was told
   */
  static SharedClock of(EngineContext context, Backend first) throws IOException {
    List<String> moments = TransactionClock.moments(context.backends(), context.replies(), first);
    return moments == null ? null : new SharedClock(moments);
  }
}
