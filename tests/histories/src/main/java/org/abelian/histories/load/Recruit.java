package org.abelian.histories.load;

/** Makes members of a {@link Crew}. */
@FunctionalInterface
public interface Recruit {
  /**
   * Makes one.
   *
   * @param number which no other member has
   * @param seed of what it does at random
   */
  Member make(long number, long seed);
}
