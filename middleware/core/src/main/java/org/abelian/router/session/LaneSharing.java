package org.abelian.router.session;

import java.util.List;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.Result;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.independent.Refusal;

/**
 * A session's part in sharing independent transactions: whether its call may be run together with
 * those of other sessions, and running all of them when it is the session's turn.
 */
final class LaneSharing {
  private final Session session;

  LaneSharing(Session session) {
    this.session = session;
  }

  /**
   * Runs the call with others' if it meets any.
   *
   * @return false when it is to go alone
   * @throws RuntimeException the client's error
   */
  boolean run(Portal.OnNodes portal) {
    BatchSlot slot = session.batchSlot();
    slot.endGroup();
    String scope = session.updateBatching().scope(portal.backends);
    if (scope == null || !areKnownToShare(portal.backends)) {
      return false;
    }
    CallGroup key = CallGroup.of(scope, portal.backends);
    Batcher<Calls<LaneCall>> batcher = session.router().lanes();
    if (slot.departs(batcher, key)) {
      return false;
    }
    LaneCall call = new LaneCall(session, portal);
    Result result =
        slot.await(
            batcher,
            key,
            call.calls(),
            () -> UnreachableParticipant.connect(session, portal.backends),
            batch -> lead(portal.backends, batch));
    if (result instanceof Result.Undone) {
      call.undo();
      return false;
    }
    if (result instanceof Result.Unknown unknown) { // whoever ran it has failed
      call.undo();
      throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
    }
    session.router().statistics().countShared();
    call.answer();
    return true;
  }

  private boolean areKnownToShare(List<Backend> backends) {
    try {
      return session.router().independents().shareCalls(Backend.nodes(backends));
    } catch (NodeUnreachableException unreachable) {
      return false; // It learns by itself what is wrong.
    }
  }

  /** Runs all of them over this session's connections. */
  private Result lead(List<Backend> backends, Batch<Calls<LaneCall>> batch) {
    if (!batch.begin(() -> session.backends().cancel())) {
      return new Result.Undone();
    }
    List<LaneCall> calls = batch.sum().calls();
    LaneAttempts attempts = new LaneAttempts(session, backends, calls, batch::isCancelled);
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
