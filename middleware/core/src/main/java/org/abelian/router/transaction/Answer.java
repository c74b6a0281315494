package org.abelian.router.transaction;

/** What became of a query that was sent to a node. */
public sealed interface Answer {
  /**
   * Every statement of the query succeeded.
   *
   * @param tag the command tag of the last one. COMMIT and PREPARE TRANSACTION of a failed
   *     transaction succeed with the tag ROLLBACK
   * @param value what is in the first column of the first row; null for nothing
   */
  record Done(String tag, String value) implements Answer {
    /** Without a row. */
    public Done(String tag) {
      this(tag, null);
    }
  }

  /**
   * The node answered with an error of severity ERROR. (FATAL and PANIC are {@link Lost}:
   * PostgreSQL may end a connection in this way after the commit is durable.)
   *
   * @param constraint the error's constraint name, or null
   * @param error the session's form of the node's ErrorResponse, given back to it as it is; opaque
   *     here
   */
  record Failed(String sqlState, String message, String constraint, Object error)
      implements Answer {}

  /** The connection was lost: the node may or may not have done it. */
  record Lost(String reason) implements Answer {}
}
