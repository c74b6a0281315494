package org.abelian.router.session;

import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.FragmentReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.BackendType;

/**
 * A session's call on its way through the lanes, alone or with others'. The session waits while
 * another one runs it, and answers its client itself.
 */
final class LaneCall {
  /** A longer intent would make the record's row more expensive than another transaction. */
  private static final int INTENT_MAX = 1 << 15;

  private final Session session;
  private final Portal.OnNodes portal;
  private final long start;
  private ResultMerge merge;
  private Map<Integer, String> failures = Map.of();
  private boolean lacksRows;
  private Exception unknown;

  /**
   * Nothing is sent yet.
   *
   * @throws RuntimeException when its results could not be merged
   */
  LaneCall(Session session, Portal.OnNodes portal) {
    this.session = session;
    this.portal = portal;
    merge = newMerge();
    start = session.output().position();
  }

  private ResultMerge newMerge() {
    return ResultMerge.of(portal.call.procedure(), portal.resultFormats);
  }

  /** What its nodes record of it: the procedure and the call. */
  String intent() {
    return portal.intent;
  }

  /** This one, for others to join. */
  Calls<LaneCall> calls() {
    return new Calls<>(List.of(this), intent().length(), INTENT_MAX);
  }

  // ---- for who runs it
  // -----------------------------------------------------------------------------------------------

  /** Appends it to what a participant gets. */
  void send(int node, NodeConnection connection) {
    NodeCall.sendBound(
        connection, portal.statement().statement(), portal.bind, isDescribedBy(node));
  }

  private boolean isDescribedBy(int node) {
    return portal.describes && node == portal.backends.get(0).nodeId;
  }

  /** Reads the answers of its participants, in its own order; each has answered those before. */
  void read(Map<Integer, FragmentReply> replies) {
    merge = newMerge();
    for (Backend backend : portal.backends) {
      replies.get(backend.nodeId).read(session.output(), merge, isDescribedBy(backend.nodeId));
    }
  }

  /** Reads what stands behind all calls. */
  void readEnd(FragmentReply reply) {
    reply.end(session.output());
  }

  /**
   * All participants have executed it, but the answers of some were not read.
   *
   * @param errors of those that could not, by their ids
   */
  void settled(Map<Integer, String> errors) {
    lacksRows = true;
    failures = errors;
  }

  /** Nobody knows what has become of it. */
  void unknown(Exception cause) {
    unknown = cause;
  }

  private static RuntimeException error(Exception cause) {
    if (cause instanceof AbelianException settled) {
      return settled;
    }
    return new AbelianException(
        SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
        "whether the transaction is committed is not known: " + cause.getMessage(),
        "It will be committed on all nodes or on none. Look at the data to find out.");
  }

  // ---- for its session
  // -----------------------------------------------------------------------------------------------

  /** Nothing of it took effect, and nothing of its answers reaches the client. */
  void undo() {
    session.output().rewind(start);
    if (unknown != null) {
      throw error(unknown);
    }
  }

  /** Ends the client's result, or throws the client's error. */
  void answer() {
    if (unknown != null || lacksRows) {
      session.output().rewind(start);
    }
    if (unknown != null) {
      throw error(unknown);
    }
    if (!failures.isEmpty()) {
      session.router().promises().look();
      throw broken();
    }
    session.notRetryable();
    session.control().ending().announce(ClassChoice.independent());
    if (lacksRows) {
      answerWithoutRows();
    } else {
      answerWithRows();
    }
  }

  private void answerWithRows() {
    try {
      merge.finish(session.output());
    } catch (RuntimeException unmergeable) {
      session.output().rewind(start);
      throw new AbelianException(
          SqlState.RESULT_LOST,
          "the transaction is committed, but its results cannot be made one",
          String.valueOf(unmergeable.getMessage()),
          "Do not run it again: it has taken effect on all nodes. Declare another merge rule"
              + " with create_distributed_procedure().",
          unmergeable);
    }
  }

  private AbelianException broken() {
    return new AbelianException(
        SqlState.BROKEN_PROMISE,
        "the procedure is not independent: it was executed on some nodes of "
            + Backend.nodes(portal.backends)
            + ", while others could not run it",
        failures.toString(),
        "It is called no more. Repair the data of these nodes, correct it, and call"
            + " create_distributed_procedure() again.",
        null);
  }

  private void answerWithoutRows() {
    ProcedureFacts procedure = portal.call.procedure();
    if (!procedure.columns().isEmpty()) {
      throw new AbelianException(
          SqlState.RESULT_LOST,
          "the transaction is committed, but rows of its result were lost with a connection",
          "Do not run it again: it has taken effect on all nodes. Read the result from the"
              + " tables.");
    }
    if (portal.describes) {
      session.output().writer().empty(BackendType.NO_DATA);
    }
    session.output().commandComplete(portal.routed.facts().tag());
  }
}
