package org.abelian.router.session;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.LockWaits;
import org.abelian.router.batching.Result;
import org.abelian.router.error.SqlState;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommutingEnding;

/**
 * A session's part in sharing transactions between calls of blind operations
 * (docs/protocols/commuting.md, Shared calls).
 */
final class CallSharing {
  private static final int ATTEMPTS = 4;

  /** Who is done so soon has not waited for a lock for long. */
  private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Runs calls together. */
  @FunctionalInterface
  interface Transaction {
    /**
     * Runs them over the connections of a portal, and tells each its ending.
     *
     * @param waits whether they wait for locks as long as their sessions want to
     */
    void run(Portal.OnNodes portal, List<SharedCall> calls, boolean waits);
  }

  private final Session session;
  private final Transaction transaction;

  CallSharing(Session session, Transaction transaction) {
    this.session = session;
    this.transaction = transaction;
  }

  /** Runs the call, with others' if it meets any. */
  CommitOutcome run(Portal.OnNodes portal) {
    String scope = session.updateBatching().scope(portal.backends);
    if (scope == null) {
      return alone(portal);
    }
    List<CallObject> rows = session.router().awaited().among(portal.work.rows());
    if (!rows.isEmpty()) {
      return inLine(portal, CallGroup.of(rows, scope, portal.backends));
    }
    return share(portal, session.router().calls(), CallGroup.of(scope, portal.backends));
  }

  private CommitOutcome share(
      Portal.OnNodes portal, Batcher<Calls<SharedCall>> calls, CallGroup group) {
    BatchSlot slot = session.batchSlot();
    slot.endGroup();
    return slot.departs(calls, group) ? alone(portal) : await(portal, calls, group);
  }

  /** With those who wait at the same rows, if anybody does. */
  private CommitOutcome inLine(Portal.OnNodes portal, CallGroup group) {
    LockWaits<CallObject> awaited = session.router().awaited();
    long began = System.nanoTime();
    awaited.enter(group.rows());
    try {
      CommitOutcome outcome = share(portal, session.router().callsInLine(), group);
      if (!isUndone(outcome) && System.nanoTime() - began < FREE_NANOS) {
        awaited.free(group.rows()); // Else rows that are never idle would count for ever.
      }
      return outcome;
    } finally {
      awaited.leave(group.rows());
    }
  }

  private void connect(Portal.OnNodes portal) {
    portal.backends.forEach(backend -> session.backends().connect(backend));
  }

  /** A lane that is busy refuses: nothing is done, and soon it is free. */
  private CommitOutcome alone(Portal.OnNodes portal) {
    connect(portal);
    CancelWatch watch = new CancelWatch(session);
    CommitOutcome outcome = attempt(portal);
    for (int number = 1; number < ATTEMPTS && isRefusedForNow(outcome); number++) {
      Backoff.pause(number);
      watch.check();
      outcome = attempt(portal);
    }
    return outcome;
  }

  private static boolean isRefusedForNow(CommitOutcome outcome) {
    return outcome instanceof CommitOutcome.RolledBackByNode byNode
        && SqlState.SERIALIZATION_FAILURE.code().equals(byNode.failure().sqlState());
  }

  private CommitOutcome attempt(Portal.OnNodes portal) {
    SharedCall own = new SharedCall(portal);
    transaction.run(portal, List.of(own), true);
    return own.ending().outcome();
  }

  private CommitOutcome await(
      Portal.OnNodes portal, Batcher<Calls<SharedCall>> calls, CallGroup group) {
    SharedCall own = new SharedCall(portal);
    try {
      Result result =
          session
              .batchSlot()
              .await(
                  calls,
                  group,
                  own.calls(),
                  () -> connect(portal),
                  batch -> lead(portal, batch, waits(group, batch)));
      if (result instanceof Result.Done) {
        session.router().statistics().countShared();
        return own.ending().outcome();
      }
      if (result instanceof Result.Unknown unknown && own.ending() == null) {
        throw new ClientError(SessionErrors.effectUnknown(unknown.reason()));
      }
      return own.ending() == null ? alone(portal) : apart(portal, own.ending());
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
        && batch.sum().calls().stream().map(call -> call.portal().work.rows()).distinct().count()
            == 1;
  }

  /** What kept it from going with others may be a lock at a row of a node that has refused. */
  private CommitOutcome apart(Portal.OnNodes portal, CommutingEnding ending) {
    List<CallObject> rows = portal.work.rows(ending.refusing());
    session.router().awaited().enter(rows);
    try {
      CommitOutcome outcome = ending.outcome();
      if (!isUndone(outcome)) {
        return outcome;
      }
      session.batchSlot().throwIfCancelled();
      return alone(portal);
    } finally {
      session.router().awaited().leave(rows);
    }
  }

  /** Runs the transaction for all. Whatever may have taken effect is never undone here. */
  private Result lead(Portal.OnNodes portal, Batch<Calls<SharedCall>> batch, boolean waits) {
    if (!batch.begin(session.backends()::cancel)) {
      return new Result.Undone();
    }
    try {
      List<SharedCall> calls = batch.sum().calls();
      transaction.run(portal, calls, waits);
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
