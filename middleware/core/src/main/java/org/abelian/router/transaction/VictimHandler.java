package org.abelian.router.transaction;

import org.abelian.router.error.AbelianException;

/** The sessions of a router, as the deadlock detector sees them. Called from its thread. */
public interface VictimHandler {
  /**
   * From now on, a node's answer 57014 to that session is given to the client as this error
   * instead.
   *
   * @return false when there is no such session any more
   */
  boolean mark(long session, AbelianException error);

  /**
   * True when the session runs something again because it was a victim before, and takes its locks
   * in the order of its statements now. Others of a circle are to end first: such a session is the
   * youngest of each circle that it meets, and would be the victim for ever.
   */
  boolean keepsOrder(long session);

  /** The session was not cancelled after all. */
  void spare(long session);
}
