package org.abelian.router.procedure;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.LockWaits;
import org.abelian.router.batching.Result;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommutingEnding;

/**
 * A session's part in sharing transactions between calls of blind operations
 * (docs/protocols/commuting-calls.md, Shared calls).
 */
public final class CallSharing {
  private static final int ATTEMPTS = 4;

  /** Who is done so soon has not waited for a lock for long. */
  private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Runs calls together. */
  @FunctionalInterface
  public interface Transaction {
    /**
     * Runs them over the connections of this session, and tells each its ending.
     *
     * @param waits whether they wait for locks as long as their sessions want to
     */
    void run(PreparedCall call, List<SharedCall> calls, boolean waits);
  }

  private final CallContext context;
  private final Transaction transaction;

  public CallSharing(CallContext context, Transaction transaction) {
    this.context = context;
    this.transaction = transaction;
  }

  /** Runs the call, with others' if it meets any. */
  public CommitOutcome run(PreparedCall call) {
    String scope = context.scope().of(call.participants());
    if (scope == null) {
      return alone(call);
    }
    List<CallObject> rows = context.services().awaited().among(call.work().rows());
    if (!rows.isEmpty()) {
      return inLine(call, CallGroup.of(rows, scope, call.participants()));
    }
    return share(call, context.services().calls(), CallGroup.of(scope, call.participants()));
  }

  private CommitOutcome share(
      PreparedCall call, Batcher<Calls<SharedCall>> calls, CallGroup group) {
    BatchSlot slot = context.slot();
    slot.endGroup();
    return slot.departs(calls, group) ? alone(call) : await(call, calls, group);
  }

  /** With those who wait at the same rows, if anybody does. */
  private CommitOutcome inLine(PreparedCall call, CallGroup group) {
    LockWaits<CallObject> awaited = context.services().awaited();
    long began = System.nanoTime();
    awaited.enter(group.rows());
    try {
      CommitOutcome outcome = share(call, context.services().callsInLine(), group);
      if (!isUndone(outcome) && System.nanoTime() - began < FREE_NANOS) {
        awaited.free(group.rows()); // Else rows that are never idle would count for ever.
      }
      return outcome;
    } finally {
      awaited.leave(group.rows());
    }
  }

  private void connect(PreparedCall call) {
    call.participants().forEach(backend -> context.engine().backends().connect(backend));
  }

  /** A lane that is busy refuses: nothing is done, and soon it is free. */
  private CommitOutcome alone(PreparedCall call) {
    connect(call);
    Cancellation.Watch watch = context.cancellation().watch();
    CommitOutcome outcome = attempt(call);
    for (int number = 1; number < ATTEMPTS && isRefusedForNow(outcome); number++) {
      Backoff.pause(number);
      watch.check();
      outcome = attempt(call);
    }
    return outcome;
  }

  private static boolean isRefusedForNow(CommitOutcome outcome) {
    return outcome instanceof CommitOutcome.RolledBackByNode byNode
        && SqlState.SERIALIZATION_FAILURE.code().equals(byNode.failure().sqlState());
  }

  private CommitOutcome attempt(PreparedCall call) {
    SharedCall own = new SharedCall(call);
    transaction.run(call, List.of(own), true);
    return own.ending().outcome();
  }

  private CommitOutcome await(
      PreparedCall call, Batcher<Calls<SharedCall>> calls, CallGroup group) {
    SharedCall own = new SharedCall(call);
    try {
      Result result =
          context
              .slot()
              .await(
                  calls,
                  group,
                  own.calls(),
                  () -> connect(call),
                  batch -> lead(call, batch, waits(group, batch)));
      if (result instanceof Result.Done) {
        context.services().statistics().countShared();
        return own.ending().outcome();
      }
      if (result instanceof Result.Unknown unknown && own.ending() == null) {
        throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
      }
      return own.ending() == null ? alone(call) : apart(call, own.ending());
    } finally {
      if (own.ending() != null) {
        own.ending().leave();
      }
    }
  }

  /**
   * Where one waits, all would. Of rows that count as awaited some are free: who names no other
   * must not wait for who does.
   */
  private static boolean waits(CallGroup group, Batch<Calls<SharedCall>> batch) {
    return !group.rows().isEmpty()
        && batch.sum().calls().stream()
                .map(shared -> shared.prepared().work().rows())
                .distinct()
                .count()
            == 1;
  }

  /** What kept it from going with others may be a lock at a row of a node that has refused. */
  private CommitOutcome apart(PreparedCall call, CommutingEnding ending) {
    List<CallObject> rows = call.work().rows(ending.refusing());
    context.services().awaited().enter(rows);
    try {
      CommitOutcome outcome = ending.outcome();
      if (!isUndone(outcome)) {
        return outcome;
      }
      context.slot().throwIfCancelled();
      return alone(call);
    } finally {
      context.services().awaited().leave(rows);
    }
  }

  /** Runs the transaction for all. Whatever may have taken effect is never undone here. */
  private Result lead(PreparedCall call, Batch<Calls<SharedCall>> batch, boolean waits) {
    if (!batch.begin(context.engine().backends()::cancel)) {
      return new Result.Undone();
    }
    try {
      List<SharedCall> calls = batch.sum().calls();
      transaction.run(call, calls, waits);
      if (!calls.stream().map(SharedCall::ending).allMatch(CommutingEnding::isKnown)) {
        return new Result.Separate();
      }
      // All alike: the answers that tell them at once are the same for each.
      return isUndone(calls.get(0).ending().outcome()) ? new Result.Undone() : new Result.Done(1);
    } finally {
      batch.end();
    }
  }

  private static boolean isUndone(CommitOutcome outcome) {
    return !(outcome instanceof CommitOutcome.Committed
        || outcome instanceof CommitOutcome.Unknown);
  }
}
