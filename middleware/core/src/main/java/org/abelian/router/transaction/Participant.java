package org.abelian.router.transaction;

import java.time.Duration;

/**
 * A node's part in a running transaction, as the commit sees it: the session's own connection to
 * that node, on which the transaction is open. Used by one thread.
 *
 * <p>Sends may be pipelined: each {@link #await} answers the oldest {@link #send} that has none
 * yet.
 */
public interface Participant {
  /** The node's id in the catalogue. */
  int nodeId();

  /**
   * Sends a simple query of one or more statements without waiting. A connection that is lost is
   * reported by await, never here.
   */
  void send(String sql);

  /** How long a node may take to vote or to commit, which waits for its disk and for gates only. */
  Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * Waits for the answer. A connection that does not answer within the limit is closed and counts
   * as lost; what has arrived counts even when nothing is left of the limit. After a loss every
   * await answers {@link Answer.Lost}.
   */
  Answer await(Duration limit);

  /** Waits for the answer with {@link #PATIENCE}. */
  default Answer await() {
    return await(PATIENCE);
  }

  /**
   * True while a transaction block is open there, failed or not, as the last ReadyForQuery said.
   */
  boolean inTransaction();

  /**
   * The seal for a call of one of the node's functions over this connection: docs/security.md.
   *
   * @param arguments their texts
   * @return null when the node asks for none
   */
  default String seal(String function, String... arguments) {
    return null;
  }

  /**
   * How far the lane of its independent transactions had come when this transaction passed the
   * node's gate, as the node has reported it; 0 when nothing is known of a lane.
   */
  default long laneClock() {
    return 0;
  }
}
