package org.abelian.router.transaction;

/** What COMMIT PREPARED or ROLLBACK PREPARED found. */
public enum Finish {
  /** It was prepared and is finished now. */
  FINISHED,
  /** No such prepared transaction: it was finished before, or never prepared. */
  ABSENT,
  /** Somebody else is finishing it at this moment. */
  BUSY
}
