package org.abelian.router.session;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.abelian.router.combining.Batch;
import org.abelian.router.combining.Result;
import org.abelian.router.error.SqlState;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.Pause;

/**
 * A session's part in sharing transactions between calls of blind operations that meet at a
 * contended row (docs/protocols/commuting.md, Shared calls).
 */
final class CallSharing {
  private static final int ATTEMPTS = 4;
  private static final int PAUSE_MILLIS = 5;

  private final Session session;
  private final BiConsumer<Portal.OnNodes, Calls<SharedCall>> transaction;

  /**
   * @param transaction runs calls together over the connections of the first argument, and tells
   *     each its outcome
   */
  CallSharing(Session session, BiConsumer<Portal.OnNodes, Calls<SharedCall>> transaction) {
    this.session = session;
    this.transaction = transaction;
  }

  /** Runs the call, with others' if its rows are contended and it meets any. */
  CommitOutcome run(Portal.OnNodes portal) {
    String scope = session.combining().scope(portal.links);
    if (scope == null) {
      return alone(portal);
    }
    Router router = session.router();
    CallObject hot = router.contended().enter(portal.work.objects());
    try {
      CommitOutcome outcome =
          hot == null ? null : gather(portal, CallGroup.of(hot, scope, portal.links));
      return outcome == null ? alone(portal) : outcome;
    } finally {
      router.contended().leave(portal.work.objects());
    }
  }

  private void connect(Portal.OnNodes portal) {
    portal.links.forEach(link -> session.links().connect(link));
  }

  /** A lane that is busy refuses: nothing is done, and soon it is free. */
  private CommitOutcome alone(Portal.OnNodes portal) {
    connect(portal);
    CommitOutcome outcome = attempt(portal);
    for (int number = 1; number < ATTEMPTS && isRefusedForNow(outcome); number++) {
      int pause = ThreadLocalRandom.current().nextInt(PAUSE_MILLIS * number) + 1;
      Pause.SLEEP.pause(Duration.ofMillis(pause));
      outcome = attempt(portal);
    }
    return outcome;
  }

  private static boolean isRefusedForNow(CommitOutcome outcome) {
    return outcome instanceof CommitOutcome.RolledBackByNode byNode
        && SqlState.SERIALIZATION_FAILURE.code().equals(byNode.failure().sqlState());
  }

  private CommitOutcome attempt(Portal.OnNodes portal) {
    Calls<SharedCall> own = new SharedCall(portal).calls();
    transaction.accept(portal, own);
    return own.calls().get(0).outcome();
  }

  /** Null when it is to go alone. */
  private CommitOutcome gather(Portal.OnNodes portal, CallGroup group) {
    Gathering gathering = session.gathering();
    gathering.endGroup();
    if (gathering.departs(session.router().calls(), group)) {
      return null;
    }
    Calls<SharedCall> own = new SharedCall(portal).calls();
    Result result =
        gathering.gather(
            session.router().calls(),
            group,
            own,
            () -> connect(portal),
            batch -> lead(portal, batch));
    if (result instanceof Result.Unknown unknown) {
      throw new Failure(SessionErrors.effectUnknown(unknown.reason()));
    }
    CommitOutcome outcome = own.calls().get(0).outcome();
    if (result instanceof Result.Undone) {
      return null;
    }
    if (isUndone(outcome)) { // unlike another's: its own intent was barred
      gathering.throwIfCancelled();
      return null;
    }
    session.router().statistics().countShared();
    return outcome;
  }

  /** Runs the transaction for all. Whatever may have taken effect is never undone here. */
  private Result lead(Portal.OnNodes portal, Batch<Calls<SharedCall>> batch) {
    if (!batch.begin(session.links()::cancel)) {
      return new Result.Undone();
    }
    try {
      transaction.accept(portal, batch.sum());
      boolean undone = batch.sum().calls().stream().allMatch(call -> isUndone(call.outcome()));
      return undone ? new Result.Undone() : new Result.Done(1);
    } finally {
      batch.end();
    }
  }

  private static boolean isUndone(CommitOutcome outcome) {
    return !(outcome instanceof CommitOutcome.Committed
        || outcome instanceof CommitOutcome.Unknown);
  }
}
