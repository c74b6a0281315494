package org.abelian.router.execution;

import java.io.IOException;

/**
 * Work of the router between messages, such as ending a transaction. It runs when everything before
 * it was answered.
 */
public final class RouterWork extends Reply {
  /** The work. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws IOException;
  }

  private final Work work;
  private final boolean always;

  private RouterWork(Work work, boolean always) {
    this.work = work;
    this.always = always;
  }

  /** Work that is left out when an earlier step of the group failed. */
  public static RouterWork then(Work work) {
    return new RouterWork(work, false);
  }

  /** Work that is done in any case. */
  public static RouterWork always(Work work) {
    return new RouterWork(work, true);
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    work.run();
    return true;
  }

  @Override
  public boolean runsAfterFailure() {
    return always;
  }
}
