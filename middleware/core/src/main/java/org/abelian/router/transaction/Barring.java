package org.abelian.router.transaction;

/** What became of an attempt to bar a commuting transaction on a node. */
public enum Barring {
  /** It has committed there. */
  COMMITTED,
  /** It has not committed there, and no session will commit it there any more. */
  BARRED,
  /** The node knows that it is over everywhere, but not how it ended. */
  OVER
}
