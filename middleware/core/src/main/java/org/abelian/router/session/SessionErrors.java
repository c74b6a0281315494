package org.abelian.router.session;

import java.io.IOException;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ErrorPolicy;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.transaction.CommitOutcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a client is told when a node answers with an error, or its connection breaks. */
final class SessionErrors implements ErrorPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(SessionErrors.class);
  private static final String DECISION_KEY = "decision_pkey";
  private static final String CACHED_PLAN_ROUTINE = "RevalidateCachedQuery";

  private final Session session;

  SessionErrors(Session session) {
    this.session = session;
  }

  @Override
  public void nodeError(NodeConnection connection, byte[] array, int frame, int length) {
    if (ErrorFields.hasSqlState(array, frame, SqlState.STALE_PLACEMENT.code())) {
      stalePlacement(ErrorFields.read(array, frame));
      return;
    }
    if (ErrorFields.hasSqlState(array, frame, SqlState.MISROUTED_PROCEDURE.code())) {
      session.procedures().misrouted(ErrorFields.read(array, frame));
      return;
    }
    ErrorFields error = ErrorFields.read(array, frame);
    if (error.isFatal()) {
      // PostgreSQL may say so after a commit has become durable.
      connection.close();
      nodeLost(
          connection,
          new NodeLostException(connection.address(), new IOException(error.message())));
      return;
    }
    if (DECISION_KEY.equals(error.get(ErrorFields.CONSTRAINT))) {
      recoveredFirst();
      return;
    }
    if (CACHED_PLAN_ROUTINE.equals(error.get(ErrorFields.ROUTINE))
        && error.sqlState().equals(SqlState.FEATURE_NOT_SUPPORTED.code())) {
      // Nodes must really parse what they are given from now on. A client that parsed the text in
      // this very group never
      // saw the old result type, so that the group can be run again.
      connection.prepared().clear();
      if (session.retry().hasParsed() && session.retry().request(true)) {
        return;
      }
    }
    if (error.sqlState().equals(SqlState.QUERY_CANCELED.code())) {
      AbelianException deadlock = session.takeDeadlock();
      if (deadlock != null) {
        session.output().error(ClientError.fields(deadlock));
        return;
      }
    }
    session.output().queue().append(array, frame, length);
  }

  /**
   * Work behind an early vote took so long that a recovery has aborted it: nothing has taken
   * effect.
   */
  private void recoveredFirst() {
    if (!session.retry().request(false)) {
      session
          .output()
          .error(
              ErrorFields.of(
                      "ERROR",
                      SqlState.SERIALIZATION_FAILURE.code(),
                      "the commit took so long that recovery rolled the transaction back")
                  .with(ErrorFields.HINT, "Try the transaction again."));
    }
  }

  /** The router's own request to a node failed, for instance the analysis of a statement. */
  void requestFailed(ErrorFields error) {
    if (error.sqlState().equals(SqlState.STALE_PLACEMENT.code())) {
      stalePlacement(error);
    } else if (error.sqlState().equals(SqlState.MISROUTED_PROCEDURE.code())) {
      session.procedures().misrouted(error);
    } else {
      session.output().error(error);
    }
  }

  private void stalePlacement(ErrorFields node) {
    if (session.retry().request(true)) {
      return;
    }
    session
        .output()
        .error(
            ErrorFields.of(
                    "ERROR",
                    SqlState.SERIALIZATION_FAILURE.code(),
                    "the placement of tables changed while the transaction ran")
                .with(ErrorFields.DETAIL, node.message())
                .with(ErrorFields.HINT, "Try the transaction again."));
    session.schemaMayHaveChanged(true);
  }

  @Override
  public void stepFailed(RuntimeException cause) {
    if (cause instanceof ClientError failure) {
      requestFailed(failure.fields());
    } else if (cause instanceof AbelianException error) {
      session.output().error(ClientError.fields(error));
    } else {
      LOG.error("a step of session {} failed", session.id(), cause);
      session
          .output()
          .error(ClientError.fields(AbelianException.internal("fault of the router: " + cause, cause)));
    }
  }

  @Override
  public void nodeLost(NodeConnection connection, NodeLostException cause) {
    Backend backend = find(connection);
    TransactionState state = session.transaction();
    if (backend != null && state.isEnding() && backend.begun) {
      commitLost(backend, connection, cause);
      return;
    }
    boolean unknown = backend != null && !state.isOpen() && backend.wrote;
    session.output().error(unknown ? effectUnknown(cause.getMessage()) : connectionLost(cause));
  }

  /** The error for a statement that may have taken effect before its node went away. */
  static ErrorFields effectUnknown(String cause) {
    return ErrorFields.of(
            "ERROR", SqlState.TRANSACTION_RESOLUTION_UNKNOWN.code(), String.valueOf(cause))
        .with(ErrorFields.DETAIL, "The statement was sent; whether it took effect is not known.")
        .with(
            ErrorFields.HINT,
            "Look at the data before running it again. In a transaction block the router can tell"
                + " what became of a lost COMMIT.");
  }

  /** The error for a statement that is not wanted any more, of which nothing is done. */
  static RuntimeException cancelled(Session session) {
    AbelianException deadlock = session.takeDeadlock();
    return deadlock != null
        ? deadlock
        : ClientError.of("57014", "canceling statement due to user request");
  }

  /** The error for a statement whose node went away before it could have an effect that stays. */
  static ErrorFields connectionLost(NodeLostException cause) {
    return ErrorFields.of(
            "ERROR", SqlState.CONNECTION_FAILURE.code(), String.valueOf(cause.getMessage()))
        .with(ErrorFields.DETAIL, "Nothing of this transaction took effect.")
        .with(ErrorFields.HINT, "Try the transaction again.");
  }

  private void commitLost(Backend backend, NodeConnection connection, NodeLostException cause) {
    if (!backend.wrote && connection.transactionToken() == null) {
      session.output().commandComplete("COMMIT");
      return;
    }
    CommitOutcome outcome =
        session
            .router()
            .commit()
            .outcomeOfLostCommit(connection.transactionToken(), backend.nodeId, cause.getMessage());
    if (outcome instanceof CommitOutcome.Committed) {
      session.output().commandComplete("COMMIT");
    } else if (outcome instanceof CommitOutcome.RolledBack rolledBack) {
      session.output().error(ClientError.fields(rolledBack.error()));
    } else if (outcome instanceof CommitOutcome.Unknown unknown) {
      session.output().error(ClientError.fields(unknown.error()));
    }
  }

  private Backend find(NodeConnection connection) {
    for (Backend backend : session.backends().held()) {
      if (backend.connection == connection) {
        return backend;
      }
    }
    return null;
  }
}
