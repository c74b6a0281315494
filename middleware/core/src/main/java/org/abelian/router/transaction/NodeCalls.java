package org.abelian.router.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;

/** Short pieces of work on a node, over a control connection. */
public final class NodeCalls {
  private static final String UNDEFINED_FUNCTION = "42883";

  private final ControlPools pools;
  private final Supplier<Catalog> catalog;

  /**
   * @param catalog the current catalogue; may throw as long as no node has ever answered
   */
  public NodeCalls(ControlPools pools, Supplier<Catalog> catalog) {
    this.pools = pools;
    this.catalog = catalog;
  }

  /** The ids of the nodes, ascending. */
  public List<Integer> nodes() {
    return catalog.get().nodes().stream().map(Node::id).toList();
  }

  /** How to name a node to a person. */
  public String describe(int node) {
    try {
      return find(node)
          .map(known -> "node " + node + " (" + known.host() + ":" + known.port() + ")")
          .orElse("node " + node);
    } catch (AbelianException noCatalogue) {
      return "node " + node;
    }
  }

  /** Does the work on a connection in autocommit mode. */
  public <T> T on(int node, Work<T> work) throws NodeUnreachableException {
    Optional<Node> known;
    try {
      known = find(node);
    } catch (AbelianException noCatalogue) {
      throw new NodeUnreachableException(node, noCatalogue.getMessage(), noCatalogue);
    }
    if (known.isEmpty()) {
      throw new NodeUnreachableException(node, "it is not in the catalogue", null);
    }
    try (Connection connection = pools.connection(known.get())) {
      return work.run(connection);
    } catch (SQLException failed) {
      throw new NodeUnreachableException(node, failed.getMessage(), failed);
    }
  }

  /** The one row of a query. */
  public <T> T one(int node, String sql, NodeQueries.Reader<T> reader, Object... parameters)
      throws NodeUnreachableException {
    return on(node, connection -> NodeQueries.one(connection, sql, reader, parameters));
  }

  /** All rows of a query. */
  public <T> List<T> all(int node, String sql, NodeQueries.Reader<T> reader, Object... parameters)
      throws NodeUnreachableException {
    return on(node, connection -> NodeQueries.all(connection, sql, reader, parameters));
  }

  /** Runs a statement. */
  public void run(int node, String sql, Object... parameters) throws NodeUnreachableException {
    on(
        node,
        connection -> {
          NodeQueries.run(connection, sql, parameters);
          return null;
        });
  }

  /**
   * Tells a node's lane what others have met; a node whose extension is older has no use for it.
   */
  public void advance(int node, LaneClock clock) throws NodeUnreachableException {
    on(
        node,
        connection -> {
          try {
            NodeQueries.run(connection, clock.sql());
          } catch (SQLException refused) {
            if (!UNDEFINED_FUNCTION.equals(refused.getSQLState())) {
              throw refused;
            }
          }
          return null;
        });
  }

  private Optional<Node> find(int node) {
    return catalog.get().node(node);
  }

  /** Work on a control connection. */
  @FunctionalInterface
  public interface Work<T> {
    /** Does it. */
    T run(Connection connection) throws SQLException;
  }
}
