package org.abelian.router.error;

/**
 * The SQLSTATEs that the router raises itself, with PostgreSQL's meaning unless stated otherwise.
 */
public enum SqlState {
  /**
   * The statement is right but the router cannot do it correctly over several nodes; the hint says
   * what to change.
   */
  FEATURE_NOT_SUPPORTED("0A000"),
  /** No connection to a node could be made; nothing has been done. */
  UNABLE_TO_CONNECT("08001"),
  /** The connection to a node was lost; the transaction is rolled back. */
  CONNECTION_FAILURE("08006"),
  /**
   * A commit was asked for and its outcome is not known; the detail holds the token to ask with.
   */
  TRANSACTION_RESOLUTION_UNKNOWN("08007"),
  /** A message of the client could not be understood. */
  PROTOCOL_VIOLATION("08P01"),
  /** A distribution key was NULL. */
  NOT_NULL_VIOLATION("23502"),
  CHECK_VIOLATION("23514"),
  /** A value is not of the form that its type asks for. */
  INVALID_TEXT_REPRESENTATION("22P02"),
  /** A parameter's binary form is broken. */
  INVALID_BINARY_REPRESENTATION("22P03"),
  /** The data of a COPY is broken. */
  BAD_COPY_FILE_FORMAT("22P04"),
  /** A number lies outside its type. */
  NUMERIC_VALUE_OUT_OF_RANGE("22003"),
  /** Statements outside a transaction block only. */
  ACTIVE_SQL_TRANSACTION("25001"),
  /** The client may not connect in this way, or has not shown that it is who it says it is. */
  INVALID_AUTHORIZATION_SPECIFICATION("28000"),
  /** There is no such database, or the router serves another one. */
  INVALID_CATALOG_NAME("3D000"),
  /** The transaction lost a race and may be tried again. */
  SERIALIZATION_FAILURE("40001"),
  /** The transaction was the victim of a deadlock over several nodes and may be tried again. */
  DEADLOCK_DETECTED("40P01"),
  /** The user may not do that. */
  INSUFFICIENT_PRIVILEGE("42501"),
  /** A name that cannot be. */
  INVALID_NAME("42602"),
  /** The statement names something that is not there. */
  UNDEFINED_OBJECT("42704"),
  /** More of something than one session may have. */
  CONFIGURATION_LIMIT_EXCEEDED("53400"),
  /** The router's buffers hold as much as they may. */
  OUT_OF_MEMORY("53200"),
  /** A bound of the router was reached (connections, parameters, rows to merge). */
  TOO_MANY_CONNECTIONS("53300"),
  /** Something is too large or too long for the router. */
  PROGRAM_LIMIT_EXCEEDED("54000"),
  /** An object is not in the state that the request needs. */
  OBJECT_NOT_IN_PREREQUISITE_STATE("55000"),
  /** The client or an operator cancelled the statement. */
  QUERY_CANCELED("57014"),
  /** The router or a node is shutting down. */
  ADMIN_SHUTDOWN("57P01"),
  /** Something that cannot happen did: a fault of the router. */
  INTERNAL_ERROR("XX000"),
  /**
   * Abelian's own: the placement that a statement was routed by is older than the node's. The
   * router refreshes its catalogue and routes again; a client gets 40001 when that is no longer
   * possible.
   */
  STALE_PLACEMENT("AB001"),
  /**
   * Abelian's own: a distributed procedure met a key of a node that does not take part. The router
   * runs it again with that node; a client gets 40001 when that is no longer possible.
   */
  MISROUTED_PROCEDURE("AB002"),
  /**
   * Abelian's own: an independent transaction was executed on some participants, while others could
   * not run it: the procedure is not independent.
   */
  BROKEN_PROMISE("AB003"),
  /**
   * A call that was to commit in one round is more than blind operations by now; nothing is done.
   */
  NOT_BLIND("AB004"),
  /**
   * Abelian's own: the transaction is committed on all its nodes, but rows of its result are lost.
   * It must not be tried again.
   */
  RESULT_LOST("AB005");

  private final String code;

  SqlState(String code) {
    this.code = code;
  }

  /** The five characters that go over the wire. */
  public String code() {
    return code;
  }
}
