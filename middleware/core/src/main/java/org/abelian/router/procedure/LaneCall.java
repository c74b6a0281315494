package org.abelian.router.procedure;

import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.execution.FragmentReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.session.ClassChoice;

/**
 * A session's call on its way through the lanes, alone or with others'. The session waits while
 * another one runs it, and answers its client itself.
 */
public final class LaneCall {
  /** A longer intent would make the record's row more expensive than another transaction. */
  private static final int INTENT_MAX = 1 << 15;

  private final EngineContext engine;
  private final BrokenPromises promises;
  private final PreparedCall prepared;
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
  public LaneCall(EngineContext engine, BrokenPromises promises, PreparedCall prepared) {
    this.engine = engine;
    this.promises = promises;
    this.prepared = prepared;
    merge = newMerge();
    start = output().position();
  }

  private ClientOutput output() {
    return engine.replies().output();
  }

  private ResultMerge newMerge() {
    return prepared.call().newMerge(prepared.resultFormats());
  }

  /** What its nodes record of it: the procedure and the call. */
  public String intent() {
    return prepared.intent();
  }

  /** This one, for others to join. */
  public Calls<LaneCall> calls() {
    return new Calls<>(List.of(this), intent().length(), INTENT_MAX);
  }

  // ---- for who runs it
  // -----------------------------------------------------------------------------------------------

  /** Appends it to what a participant gets. */
  public void send(int node, NodeConnection connection) {
    NodeCall.sendBound(
        connection, prepared.call().statement().statement(), prepared.bind(), isDescribedBy(node));
  }

  private boolean isDescribedBy(int node) {
    return prepared.describes() && node == prepared.participants().get(0).nodeId;
  }

  /** Reads the answers of its participants, in its own order; each has answered those before. */
  public void read(Map<Integer, FragmentReply> replies) {
    merge = newMerge();
    for (Backend backend : prepared.participants()) {
      replies.get(backend.nodeId).read(output(), merge, isDescribedBy(backend.nodeId));
    }
  }

  /** Reads what stands behind all calls. */
  public void readEnd(FragmentReply reply) {
    reply.end(output());
  }

  /**
   * All participants have executed it, but the answers of some were not read.
   *
   * @param errors of those that could not, by their ids
   */
  public void settled(Map<Integer, String> errors) {
    lacksRows = true;
    failures = errors;
  }

  /** Nobody knows what has become of it. */
  public void unknown(Exception cause) {
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
  public void undo() {
    output().rewind(start);
    if (unknown != null) {
      throw error(unknown);
    }
  }

  /** Ends the client's result, or throws the client's error. */
  public void answer() {
    if (unknown != null || lacksRows) {
      output().rewind(start);
    }
    if (unknown != null) {
      throw error(unknown);
    }
    if (!failures.isEmpty()) {
      promises.look();
      throw broken();
    }
    engine.retry().forbid();
    engine.transactions().ending().announce(ClassChoice.independent());
    if (lacksRows) {
      answerWithoutRows();
    } else {
      answerWithRows();
    }
  }

  private void answerWithRows() {
    try {
      merge.finish(output());
    } catch (RuntimeException unmergeable) {
      output().rewind(start);
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
            + Backend.nodes(prepared.participants())
            + ", while others could not run it",
        failures.toString(),
        "It is called no more. Repair the data of these nodes, correct it, and call"
            + " create_distributed_procedure() again.",
        null);
  }

  private void answerWithoutRows() {
    ProcedureFacts procedure = prepared.call().procedure();
    if (!procedure.columns().isEmpty()) {
      throw new AbelianException(
          SqlState.RESULT_LOST,
          "the transaction is committed, but rows of its result were lost with a connection",
          "Do not run it again: it has taken effect on all nodes. Read the result from the"
              + " tables.");
    }
    if (prepared.describes()) {
      output().writer().empty(BackendType.NO_DATA);
    }
    output().commandComplete(prepared.call().routed().facts().tag());
  }
}
