package org.abelian.router.session;

/** How far a message of the client has come when its handler returns. */
public enum Progress {
  /** It is planned: the next message can be looked at. */
  NEXT,
  /**
   * Nothing was done: whatever was sent before is to be answered first, then it is looked at again.
   */
  QUIET,
  /** It is planned. What comes after it waits for its answer; a Sync goes along with it. */
  SETTLE,
  /** It is planned. Everything that comes after it, a Sync too, waits for its answer. */
  BARRIER,
  /** It is planned, and ends what can be planned for now. */
  TURN
}
