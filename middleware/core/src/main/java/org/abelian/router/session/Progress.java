package org.abelian.router.session;

/** What became of a message that a session looked at. */
enum Progress {
  /** It is planned; the next one may follow at once. */
  NEXT,
  /** Answers to earlier messages must come first; the same message is looked at again then. */
  WAIT,
  /** It is planned, and its answers are to be given before anything else is looked at. */
  TURN
}
