package org.abelian.router.execution;

import java.io.IOException;
import org.abelian.router.pool.NodeConnection;

/** Something that the client is to be told next, or that is to be done before it is told more. */
public abstract class Reply {
  /**
   * Does it, or goes on with it.
   *
   * @return false when the client shall first take what is there
   */
  public abstract boolean run(ReplyContext context) throws IOException;

  /** True when it reads what comes next on the connection, as far as is known now. */
  boolean awaits(NodeConnection connection) {
    return false;
  }

  /** True when the client has got whole messages so far, and may be told of an error. */
  boolean isBetweenMessages() {
    return true;
  }

  /** True when it must be done although an earlier step of the group failed. */
  public boolean runsAfterFailure() {
    return false;
  }
}
