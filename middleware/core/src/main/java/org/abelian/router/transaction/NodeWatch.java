package org.abelian.router.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;

/** Asks nodes for figures that no statement tells the router. */
public final class NodeWatch {
  /**
   * What a node has told.
   *
   * @param address of the node
   * @param splitObjects of how many objects a part lies in slices
   * @param lagMillis how old the oldest transaction is that is prepared there and waits for its
   *     outcome; 0 for none
   */
  public record NodeState(String address, int splitObjects, long lagMillis) {}

  private static final String QUESTION =
      "SELECT abelian.split_object_count(), (SELECT coalesce(max(extract(epoch FROM"
          + " clock_timestamp() - prepared)) * 1000, 0)::bigint FROM pg_prepared_xacts WHERE"
          + " database = current_database() AND gid LIKE 'abelian:%')";

  private final NodeCalls calls;
  private final Supplier<Catalog> catalog;

  /**
   * @param catalog the current catalogue
   */
  public NodeWatch(NodeCalls calls, Supplier<Catalog> catalog) {
    this.calls = calls;
    this.catalog = catalog;
  }

  /** All nodes that answer. */
  public List<NodeState> look() {
    List<NodeState> found = new ArrayList<>();
    for (Node node : catalog.get().nodes()) {
      try {
        found.add(
            calls.on(
                node.id(),
                connection ->
                    NodeQueries.one(
                        connection,
                        QUESTION,
                        row ->
                            new NodeState(
                                node.host() + ":" + node.port(), row.getInt(1), row.getLong(2)))));
      } catch (NodeUnreachableException away) {
        // Its figures are missing, as it is.
      }
    }
    return found;
  }
}
