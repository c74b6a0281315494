package org.abelian.router.transaction;

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

  /**
   * Waits for the answer, boundedly; a connection that does not answer in time is closed and counts
   * as lost. After a loss every await answers {@link Answer.Lost}.
   */
  Answer await();

  /**
   * True while a transaction block is open there, failed or not, as the last ReadyForQuery said.
   */
  boolean inTransaction();
}
