package org.abelian.router.session;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.independent.Refusal;

/** Calls that are tried as an independent transaction, again where a lane refuses, a few times. */
final class LaneAttempts {
  /** How often. */
  static final int ATTEMPTS = 4;

  private static final int PAUSE_MILLIS = 5;

  private final Session session;
  private final List<Link> links;
  private final List<LaneCall> calls;
  private IndependentAttempt attempt;

  /**
   * Nothing is sent yet.
   *
   * @param links of the session, to the participants of each call
   */
  LaneAttempts(Session session, List<Link> links, List<LaneCall> calls) {
    this.session = session;
    this.links = links;
    this.calls = calls;
  }

  /**
   * Tries.
   *
   * @return why a node refused; null when the calls have their results
   * @throws RuntimeException as {@link IndependentAttempt#run}
   */
  Refusal run() throws NodeLostException {
    UnreachableParticipant.connect(session, links);
    Refusal refusal = null;
    for (int number = 1; number <= ATTEMPTS; number++) {
      attempt = new IndependentAttempt(session, links, calls);
      refusal = attempt.run();
      if (refusal == null || refusal == Refusal.ISOLATION) {
        break;
      }
      int pause = PAUSE_MILLIS * number;
      Pause.SLEEP.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(pause) + 1));
    }
    return refusal;
  }

  /** True when nothing has taken effect, nor will. */
  boolean isUndone() {
    return attempt == null || attempt.isUndone();
  }
}
