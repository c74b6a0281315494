package org.abelian.router.transaction;

import org.abelian.router.error.AbelianException;

/** The sessions of a router, as the deadlock detector sees them. Called from its thread. */
public interface VictimHandler {
  /**
   * From now on, a node's answer 57014 to that session is given to the client as this error
   * instead. Nothing happens when there is no such session any more.
   */
  void mark(long session, AbelianException error);

  /**
   * True when the session takes its locks in the order of its statements. Others of a circle are to
   * end first: they have caused it, and run again without their clients' notice. One that runs
   * again is the youngest of each circle, and would be the victim for ever. True, too, when there
   * is no such session any more.
   */
  boolean keepsOrder(long session);

  /** The session was not cancelled after all, unless another error has been given to it. */
  void spare(long session, AbelianException error);
}
