package org.abelian.histories.lists;

import java.util.List;

/**
 * A transaction that a client is to run.
 *
 * @param name its number, which no other transaction of the history has
 * @param keys what it appends to or reads, in this order
 * @param twice whether it appends a second number to its first key
 * @param rollsBack whether it ends with ROLLBACK
 * @param alsoRead keys of one node that a block reads in between; may be empty
 */
public record Intention(
    int name,
    Kind kind,
    List<Integer> keys,
    boolean twice,
    boolean rollsBack,
    List<Integer> alsoRead) {
  /** Copies the lists. */
  public Intention {
    keys = List.copyOf(keys);
    alsoRead = List.copyOf(alsoRead);
  }

  /** The number that it appends. */
  public long number() {
    return 2L * name;
  }

  /** The other number that it appends to its first key when it does so {@link #twice}. */
  public long secondNumber() {
    return 2L * name + 1;
  }

  /** The transaction that appends the number. */
  public static int nameOf(long number) {
    return (int) (number / 2);
  }
}
