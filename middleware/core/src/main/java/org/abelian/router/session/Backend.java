package org.abelian.router.session;

import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;

/** What a session has to do with one node. */
final class Backend {
  final int nodeId;
  final NodePool pool;

  /** The connection that the session has now; null when it has none. */
  NodeConnection connection;

  /** The connection that it had last, and takes again if nobody else has. */
  NodeConnection last;

  /** True when the session's transaction is open there. */
  boolean begun;

  /** True when the session's transaction may have changed something there. */
  boolean wrote;

  /** True when messages of the client's current group went there and no Sync yet. */
  boolean touched;

  /** True when the node has answered with an error and skips what comes until Sync. */
  boolean skips;

  /**
   * True when the connection holds state that no other session may see or lose (temporary tables,
   * advisory locks).
   */
  boolean pinned;

  Backend(int nodeId, NodePool pool) {
    this.nodeId = nodeId;
    this.pool = pool;
  }

  /** The ids of their nodes, in the same order. */
  static List<Integer> nodes(List<Backend> backends) {
    return backends.stream().map(backend -> backend.nodeId).toList();
  }

  /** True when there is a connection and it works. */
  boolean isUsable() {
    return connection != null && !connection.isLost();
  }

  @Override
  public String toString() {
    return "node " + nodeId + " at " + pool.address();
  }
}
