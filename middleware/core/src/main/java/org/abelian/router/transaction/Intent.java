package org.abelian.router.transaction;

import java.util.List;
import java.util.stream.Collectors;

/**
 * All that a commuting transaction did, so that any node which has it can complete the others.
 *
 * @param nodes the participants, in the order of their first writes
 * @param work an object with the operations of each node under its number, as
 *     abelian.apply_intent() wants them
 */
public record Intent(List<Integer> nodes, String work) {
  /** Copies the list. */
  public Intent {
    nodes = List.copyOf(nodes);
  }

  /** The nodes as PostgreSQL writes an array. */
  public String nodesText() {
    return nodes.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
  }
}
