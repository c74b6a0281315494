package org.abelian.router.statement;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How likely one node alone has as many rows as a read with LIMIT wants, by what came of the last
 * times that its text was run. Safe for several threads; what two learn at once may count once.
 */
public final class OneNodeOdds {
  private static final int CERTAIN = 1024;

  /** One miss after many hits is borne, a second soon after it is not. */
  private static final int LIKELY = CERTAIN * 7 / 8;

  /** The share of the last time. */
  private static final int WEIGHT = 8;

  private static final int UNKNOWN = -1;
  private static final int NEVER = -2;

  private final AtomicInteger turns = new AtomicInteger();
  private volatile int odds = UNKNOWN;

  /** So many of those who were asked had enough rows. */
  public void learn(int had, int asked) {
    int known = odds;
    int seen = CERTAIN * had / asked;
    if (known != NEVER) {
      odds = known == UNKNOWN ? seen : known + (seen - known) / WEIGHT;
    }
  }

  /** One node is not to be asked alone any more. */
  public void giveUp() {
    odds = NEVER;
  }

  /** True when it is worth while to ask one node. */
  public boolean isLikely() {
    return odds >= LIKELY;
  }

  /** Which of so many is asked next, from 0: each in its turn. */
  public int turn(int nodes) {
    return Math.floorMod(turns.getAndIncrement(), nodes);
  }
}
