package org.abelian.router.batching;

/** What became of a statement for several sessions, as far as it is the same for each of them. */
public sealed interface Result {
  /**
   * It is committed. Reads have their own answers, or none; then they are to be run alone.
   *
   * @param rows how many rows each operation has met; 0 of reads
   */
  record Done(long rows) implements Result {}

  /** Nothing of it took effect: each operation is to be run alone. */
  record Undone() implements Result {}

  /** They came to different ends, or nobody knows yet: each member finds out about its own. */
  record Separate() implements Result {}

  /**
   * Nobody knows: its node went away.
   *
   * @param reason what happened
   */
  record Unknown(String reason) implements Result {}
}
