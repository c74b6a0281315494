package org.abelian.router.transaction;

/** What became of a query that was sent to a node. */
public sealed interface Answer {
  /**
   * Every statement of the query succeeded.
   *
   * @param tag the command tag of the last one. COMMIT and PREPARE TRANSACTION of a failed transaction succeed with the
   *     tag ROLLBACK
   */
  record Done(String tag) implements Answer {}

  /**
   * The node answered with an error.
   *
   * @param error the session's form of the node's ErrorResponse, to be given to the client as it is; opaque here
   */
  record Failed(String sqlState, String message, Object error) implements Answer {}

  /** The connection was lost: the node may or may not have done it. */
  record Lost(String reason) implements Answer {}
}
