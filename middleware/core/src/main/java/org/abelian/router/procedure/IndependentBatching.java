package org.abelian.router.procedure;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.Result;
import org.abelian.router.execution.ClientError;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.transaction.independent.Refusal;

/**
 * A session's part in batching independent transactions: whether its call may be run together with
 * those of other sessions, and running all of them when it is the session's turn.
 */
public final class IndependentBatching {
  private final CallContext context;

  public IndependentBatching(CallContext context) {
    this.context = context;
  }

  /**
   * Runs the call with others' if it meets any.
   *
   * @return false when it is to go alone
   * @throws RuntimeException the client's error
   */
  public boolean run(PreparedCall prepared) {
    BatchSlot slot = context.slot();
    slot.endGroup();
    String scope = context.scope().of(prepared.participants());
    if (scope == null) {
      return false;
    }
    CallGroup key = CallGroup.of(scope, prepared.participants());
    Batcher<Calls<LaneCall>> batcher = context.services().lanes();
    if (slot.departs(batcher, key)) {
      return false;
    }
    LaneCall call = new LaneCall(context.engine(), context.services().promises(), prepared);
    Result result =
        slot.await(
            batcher,
            key,
            call.calls(),
            () ->
                UnreachableParticipant.connect(
                    context.engine().backends(), prepared.participants()),
            batch -> lead(prepared.participants(), batch));
    if (result instanceof Result.Undone) {
      call.undo();
      return false;
    }
    if (result instanceof Result.Unknown unknown) { // whoever ran it has failed
      call.undo();
      throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
    }
    context.services().statistics().countShared();
    call.answer();
    return true;
  }

  /** Runs all of them over this session's connections. */
  private Result lead(List<Backend> backends, Batch<Calls<LaneCall>> batch) {
    if (!batch.begin(() -> context.engine().backends().cancel())) {
      return new Result.Undone();
    }
    List<LaneCall> calls = batch.sum().calls();
    LaneAttempts attempts = new LaneAttempts(context, backends, calls, batch::isCancelled);
    Exception cause = new IllegalStateException("the router failed");
    boolean known = false;
    try {
      Refusal refusal = attempts.run();
      known = true;
      return refusal == null ? new Result.Done(0) : new Result.Undone();
    } catch (RuntimeException failed) {
      cause = failed;
      // Where nothing is done, each learns by itself what is wrong, if it is.
      return attempts.isUndone() ? new Result.Undone() : new Result.Done(0);
    } finally {
      batch.end();
      if (!known && !attempts.isUndone()) {
        Exception why = cause;
        calls.forEach(call -> call.unknown(why)); // Nobody runs it again.
      }
    }
  }
}
