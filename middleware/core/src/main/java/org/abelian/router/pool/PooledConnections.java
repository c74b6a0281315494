package org.abelian.router.pool;

import java.util.ArrayList;
import java.util.List;

/**
 * The connections of one pool, lent or free. Guarded by the lock of {@link NodeSlots}, which counts
 * those of all pools of the node.
 */
final class PooledConnections {
  private final boolean routers;
  private final List<NodeConnection> connections = new ArrayList<>();

  /**
   * None yet.
   *
   * @param routers true for the router's own short requests
   */
  PooledConnections(boolean routers) {
    this.routers = routers;
  }

  /** True for the router's own short requests. */
  boolean isRouters() {
    return routers;
  }

  void add(NodeConnection connection) {
    connections.add(connection);
  }

  boolean remove(NodeConnection connection) {
    return connections.remove(connection);
  }

  boolean isEmpty() {
    return connections.isEmpty();
  }

  int count() {
    return connections.size();
  }

  /** How many somebody has. */
  int lent() {
    return (int) connections.stream().filter(NodeConnection::isLent).count();
  }

  /** Lends one that is free, and that nobody else had last; null when there is none. */
  NodeConnection lendOwn(Object session) {
    for (NodeConnection connection : connections) {
      if (connection.lend(session, false)) {
        return connection;
      }
    }
    return null;
  }

  /**
   * Lends the free one that nobody has used for longest: its last session is likely to need it
   * least. Null when none is free.
   */
  NodeConnection lendLongestIdle(Object session) {
    // Its last session may take it at any moment.
    for (int tries = connections.size(); tries > 0; tries--) {
      NodeConnection idle = longestIdle();
      if (idle == null || idle.lend(session, true)) {
        return idle;
      }
    }
    return null;
  }

  /** The free connection that nobody has used for longest; null when none is free. */
  NodeConnection longestIdle() {
    NodeConnection oldest = null;
    for (NodeConnection connection : connections) {
      if (!connection.isLent()
          && !connection.isLost()
          && (oldest == null || connection.usedNanos() - oldest.usedNanos() < 0)) {
        oldest = connection;
      }
    }
    return oldest;
  }

  /** Closes one that is free; false when somebody has got hold of it meanwhile. */
  boolean closeFree(NodeConnection connection) {
    if (!connection.lend(this, true)) {
      return false;
    }
    connections.remove(connection);
    connection.terminate();
    connection.free();
    return true;
  }

  /** Forgets those that are lost and that nobody has; their number. */
  int forgetLost() {
    int before = connections.size();
    for (NodeConnection connection : List.copyOf(connections)) {
      if (connection.isLost() && !connection.isLent()) {
        connections.remove(connection);
        connection.free();
      }
    }
    return before - connections.size();
  }
}
