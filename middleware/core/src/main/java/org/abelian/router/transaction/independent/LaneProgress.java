package org.abelian.router.transaction.independent;

/**
 * How far a node's lane is on disk.
 *
 * @param run the last run that was given out; 0 when the lane has never been used
 * @param at the timestamp of the last fragment
 * @param id the last fragment's transaction
 */
public record LaneProgress(long run, long at, String id) {
  /** True when the lane has executed the fragment. */
  boolean hasReached(Fragment fragment) {
    return at > fragment.at() || at == fragment.at() && id.compareTo(fragment.id()) >= 0;
  }
}
