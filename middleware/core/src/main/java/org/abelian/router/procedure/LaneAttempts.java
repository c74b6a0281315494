package org.abelian.router.procedure;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.transaction.independent.Refusal;

/**
 * Calls that are tried as an independent transaction, again where a lane refuses: a few times, or
 * as long as its gate may be expected to open.
 */
public final class LaneAttempts {
  /** How often, where it is not a gate that is closed. */
  public static final int ATTEMPTS = 4;

  /** How long, where it is: as long as whoever holds a gate waits for another lane. */
  public static final int GATE_SECONDS = 2;

  private final CallContext context;
  private final List<Backend> backends;
  private final List<LaneCall> calls;
  private final BooleanSupplier cancelled;
  private IndependentAttempt attempt;

  /**
   * Nothing is sent yet.
   *
   * @param backends of the session, to the participants of each call
   * @param cancelled whether there is to be no further attempt
   */
  public LaneAttempts(
      CallContext context,
      List<Backend> backends,
      List<LaneCall> calls,
      BooleanSupplier cancelled) {
    this.context = context;
    this.backends = backends;
    this.calls = calls;
    this.cancelled = cancelled;
  }

  /**
   * Tries.
   *
   * @return why a node refused; null when the calls have their results
   * @throws RuntimeException as {@link IndependentAttempt#run}
   */
  public Refusal run() {
    UnreachableParticipant.connect(context.engine().backends(), backends);
    long end = System.nanoTime() + GATE_SECONDS * 1_000_000_000L;
    Refusal refusal;
    int number = 0;
    int atGates = 0;
    do {
      attempt = new IndependentAttempt(context, backends, calls);
      refusal = attempt.run();
      if (refusal == null) {
        return null;
      }
      context.services().statistics().countRefused(refusal);
      if (refusal == Refusal.ISOLATION) {
        return refusal;
      }
      number++;
      atGates += refusal == Refusal.GATE ? 1 : 0;
      Backoff.pause(number);
    } while (number - atGates < ATTEMPTS && System.nanoTime() < end && !cancelled.getAsBoolean());
    return refusal;
  }

  /** True when nothing has taken effect, nor will. */
  public boolean isUndone() {
    return attempt == null || attempt.isUndone();
  }
}
