package org.abelian.router.session;

/**
 * Notices that a statement is not wanted any more while none of its parts runs on a node, where a
 * cancel request would find it: between attempts, for example.
 */
final class CancelWatch {
  private final Session session;
  private final int before;

  /** From now on. */
  CancelWatch(Session session) {
    this.session = session;
    before = session.cancels();
  }

  /** Whether somebody has asked for the session's statement to end, or for the session to. */
  boolean hasStruck() {
    return session.cancels() != before || session.isClosed();
  }

  /**
   * For a statement of which nothing is done.
   *
   * @throws RuntimeException the client's error, when it is not wanted any more
   */
  void check() {
    if (hasStruck()) {
      throw SessionErrors.cancelled(session);
    }
  }
}
