package org.abelian.advisor.census;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.catalog.Node;

/**
 * What a census says besides its counts.
 *
 * @param nodes in the order of their numbers, which is that of partitions
 * @param columns by table, those whose values were counted; tables that the cluster lacks are not
 *     in it
 * @param everywhere tables of which each node has a copy; the first node's is counted
 * @param notes what was left out
 */
public record Census(
    List<Node> nodes,
    Map<String, List<String>> columns,
    List<String> everywhere,
    List<String> notes) {
  /** Copies the collections. */
  public Census {
    nodes = List.copyOf(nodes);
    columns = new TreeMap<>(columns);
    everywhere = List.copyOf(everywhere);
    notes = List.copyOf(notes);
  }
}
