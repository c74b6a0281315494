package org.abelian.router.engine;

import java.io.IOException;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.Progress;

/**
 * A bound statement on its way through the nodes: what a portal of the client stands for. Each way
 * to run statements is a subclass. Used by the session's thread only.
 */
public abstract class Execution {
  private boolean hasRun;

  /** What is asked of the description of a result. */
  public enum Description {
    /** The answer to a Describe: the columns, or that there are none. */
    FULL,
    /** Of a simple query: the columns; nothing when there are none. */
    COLUMNS
  }

  /**
   * True when everything sent before must have been answered before it runs.
   *
   * @param limit as of {@link #execute}
   */
  public boolean runsQuiet(int limit) {
    return false;
  }

  /** True when it has run, if only to give some of its rows. */
  public final boolean hasRun() {
    return hasRun;
  }

  /** It has run. */
  public final void ran() {
    hasRun = true;
  }

  /** Tells the client that there are no rows. */
  protected static void describeNothing(ReplyQueue replies, Description wanted) {
    if (wanted == Description.FULL) {
      replies.add(FixedMessage.NO_DATA);
    }
  }

  /** Tells the client what the result looks like. */
  public abstract void describe(Description wanted) throws IOException;

  /**
   * Runs it, or goes on with it.
   *
   * @param limit how many rows of a read to give; 0 for all. Clients give one to writes too, which
   *     run to their end
   */
  public abstract Progress execute(int limit) throws IOException;

  /** The client has no more use for it. */
  public void close() {
    // Most hold nothing.
  }

  /** Its portal is gone, for whatever reason: it keeps nothing in memory any more. */
  public void free() {
    // As above.
  }

  /** The client cannot name it any more. Nodes forget most by themselves then. */
  public void forget() {
    // As above.
  }
}
