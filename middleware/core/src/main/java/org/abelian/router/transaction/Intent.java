package org.abelian.router.transaction;

import java.util.List;

/**
 * All that a commuting transaction did, so that any node which has it can complete the others.
 *
 * @param nodes the participants, in the order of their first writes
 * @param work an object with the operations of each node under its number, as
 *     abelian.redo_operation() wants them
 */
public record Intent(List<Integer> nodes, String work) {
  /** Copies the list. */
  public Intent {
    nodes = List.copyOf(nodes);
  }
}
