package org.abelian.router.session;

import java.io.IOException;
import java.util.function.Consumer;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.ErrorPolicy;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MalformedMessageException;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CoordinatedCommit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a client is told when a node answers with an error, or its connection breaks. */
public final class SessionErrors implements ErrorPolicy {
  private static final Logger LOG = LoggerFactory.getLogger(SessionErrors.class);
  private static final String DECISION_KEY = "decision_pkey";

  private final ClientOutput output;
  private final TransactionState state;
  private final BackendSession backends;
  private final CoordinatedCommit commit;
  private final Cancellation cancellation;
  private final GroupRetry retry;
  private final Consumer<ErrorFields> misrouted;
  private final TransactionEnding.Listener listener;

  /** How many characters stand before the statement that runs. */
  private int before;

  /** For what is sent behind a COMMIT whose node was lost, but which has taken effect; or null. */
  private ErrorFields behindCommit;

  /**
   * @param misrouted hears of procedures that need other nodes than those that were asked
   * @param listener hears that the placement has changed
   */
  public SessionErrors(
      ClientOutput output,
      TransactionState state,
      BackendSession backends,
      CoordinatedCommit commit,
      Cancellation cancellation,
      GroupRetry retry,
      Consumer<ErrorFields> misrouted,
      TransactionEnding.Listener listener) {
    this.output = output;
    this.state = state;
    this.backends = backends;
    this.commit = commit;
    this.cancellation = cancellation;
    this.retry = retry;
    this.misrouted = misrouted;
    this.listener = listener;
  }

  @Override
  public void nodeError(NodeConnection connection, byte[] array, int frame, int length) {
    if (ErrorFields.hasSqlState(array, frame, SqlState.STALE_PLACEMENT.code())) {
      stalePlacement(ErrorFields.read(array, frame));
      return;
    }
    if (ErrorFields.hasSqlState(array, frame, SqlState.MISROUTED_PROCEDURE.code())) {
      misrouted.accept(ErrorFields.read(array, frame));
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
    if (ErrorFields.CACHED_PLAN_ROUTINE.equals(error.get(ErrorFields.ROUTINE))
        && error.sqlState().equals(SqlState.FEATURE_NOT_SUPPORTED.code())) {
      // Nodes must really parse what they are given from now on. A client that parsed the text in
      // this very group never
      // saw the old result type, so that the group can be run again.
      connection.prepared().clear();
      if (retry.hasParsed() && retry.request(true)) {
        return;
      }
    }
    if (isDeadlock(error)) {
      return;
    }
    if (before == 0) {
      output.queue().append(array, frame, length);
    } else {
      output.error(inWhole(error));
    }
  }

  /** True for the cancellation of a deadlock's victim; the client is told, or it runs again. */
  private boolean isDeadlock(ErrorFields error) {
    AbelianException deadlock =
        error.sqlState().equals(SqlState.QUERY_CANCELED.code())
            ? cancellation.takeDeadlock()
            : null;
    if (deadlock != null && !retry.requestAfterDeadlock()) {
      output.error(ClientError.fields(deadlock));
    }
    return deadlock != null;
  }

  /** Errors from now on are about what stands behind so many characters of the client's text. */
  public void standBehind(int characters) {
    before = characters;
  }

  /** The error with its position in the client's text. */
  private ErrorFields inWhole(ErrorFields error) {
    String position = before == 0 ? null : error.get(ErrorFields.POSITION);
    return position == null
        ? error
        : error.with(ErrorFields.POSITION, Integer.toString(before + Integer.parseInt(position)));
  }

  /**
   * Work behind an early vote took so long that a recovery has aborted it: nothing has taken
   * effect.
   */
  private void recoveredFirst() {
    if (!retry.request(false)) {
      output.error(
          ErrorFields.of(
                  "ERROR",
                  SqlState.SERIALIZATION_FAILURE.code(),
                  "the commit took so long that recovery rolled the transaction back")
              .with(ErrorFields.HINT, "Try the transaction again."));
    }
  }

  /** The router's own request to a node failed, for instance the analysis of a statement. */
  public void requestFailed(ErrorFields error) {
    if (error.sqlState().equals(SqlState.STALE_PLACEMENT.code())) {
      stalePlacement(error);
    } else if (error.sqlState().equals(SqlState.MISROUTED_PROCEDURE.code())) {
      misrouted.accept(error);
    } else if (!isDeadlock(error)) {
      output.error(inWhole(error));
    }
  }

  private void stalePlacement(ErrorFields node) {
    if (retry.requestBesideChange()) {
      return;
    }
    output.error(
        ErrorFields.of(
                "ERROR",
                SqlState.SERIALIZATION_FAILURE.code(),
                "the placement of tables changed while the transaction ran")
            .with(ErrorFields.DETAIL, node.message())
            .with(ErrorFields.HINT, "Try the transaction again."));
    listener.schemaChanged(true);
  }

  @Override
  public void stepFailed(RuntimeException cause) {
    if (cause instanceof ClientError failure) {
      requestFailed(failure.fields());
    } else if (cause instanceof AbelianException error) {
      output.error(ClientError.fields(error));
    } else {
      LOG.error("a reply could not be given", cause);
      output.error(
          ClientError.fields(AbelianException.internal("fault of the router: " + cause, cause)));
    }
  }

  @Override
  public void nodeLost(NodeConnection connection, NodeLostException cause) {
    Backend backend = backends.of(connection);
    if (backend != null && state.isEnding() && backend.begun) {
      commitLost(backend, connection, cause);
      return;
    }
    boolean unknown = backend != null && !state.isOpen() && backend.wrote;
    output.error(unknown ? effectUnknown(cause.getMessage()) : connectionLost(cause));
  }

  /** The error for a statement that may have taken effect before its node went away. */
  public static ErrorFields effectUnknown(String cause) {
    return ErrorFields.of(
            "ERROR", SqlState.TRANSACTION_RESOLUTION_UNKNOWN.code(), String.valueOf(cause))
        .with(ErrorFields.DETAIL, "The statement was sent; whether it took effect is not known.")
        .with(
            ErrorFields.HINT,
            "Look at the data before running it again. In a transaction block the router can tell"
                + " what became of a lost COMMIT.");
  }

  /** The error for a message that has not the parts that it should have. */
  public static ErrorFields malformed(MalformedMessageException cause) {
    return ErrorFields.of("ERROR", SqlState.PROTOCOL_VIOLATION.code(), cause.getMessage());
  }

  /** The error for a statement whose node went away before it could have an effect that stays. */
  public static ErrorFields connectionLost(NodeLostException cause) {
    return ErrorFields.of(
            "ERROR", SqlState.CONNECTION_FAILURE.code(), String.valueOf(cause.getMessage()))
        .with(ErrorFields.DETAIL, "Nothing of this transaction took effect.")
        .with(ErrorFields.HINT, "Try the transaction again.");
  }

  /** A message of the group is not looked at, since something before it has failed. */
  public void skipped() {
    if (behindCommit != null) {
      output.error(behindCommit);
      behindCommit = null;
    }
  }

  /** All of the group is told. */
  public void groupEnded() {
    behindCommit = null;
  }

  private void committed(NodeLostException cause) {
    output.commandComplete("COMMIT");
    state.hasCommitted();
    behindCommit =
        ErrorFields.of(
                "ERROR", SqlState.CONNECTION_FAILURE.code(), String.valueOf(cause.getMessage()))
            .with(
                ErrorFields.DETAIL,
                "The transaction was committed; nothing of what was sent behind it has run.");
  }

  private void commitLost(Backend backend, NodeConnection connection, NodeLostException cause) {
    if (!backend.wrote && connection.transactionToken() == null) {
      committed(cause);
      return;
    }
    CommitOutcome outcome =
        commit.outcomeOfLostCommit(
            connection.transactionToken(), backend.nodeId, cause.getMessage());
    if (outcome instanceof CommitOutcome.Committed) {
      committed(cause);
    } else if (outcome instanceof CommitOutcome.RolledBack rolledBack) {
      output.error(ClientError.fields(rolledBack.error()));
    } else if (outcome instanceof CommitOutcome.Unknown unknown) {
      output.error(ClientError.fields(unknown.error()));
    }
  }
}
