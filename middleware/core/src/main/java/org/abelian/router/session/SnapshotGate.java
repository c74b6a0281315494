package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;

/**
 * Keeps coordinated commits from coming between the snapshots that a read takes on several nodes:
 * the commit gate is held shared on all of them, in the order of their ids, by connections beside
 * the session's own, until every node has its snapshot. Waits are bounded; a reader that waited too
 * long lets go of all gates and tries again.
 */
final class SnapshotGate {
  private static final int WAIT_MILLIS = 15;
  private static final int ATTEMPTS = 300;
  private static final String LET_GO = "COMMIT";

  private final Session session;
  private Hold current;

  SnapshotGate(Session session) {
    this.session = session;
  }

  /** The gates of several nodes. */
  final class Hold {
    private final List<NodePool> pools = new ArrayList<>();
    private final List<NodeConnection> connections = new ArrayList<>();

    private boolean add(NodePool pool) throws IOException {
      NodeConnection connection = pool.borrow(this, null);
      pools.add(pool);
      connections.add(connection);
      QueryResult result =
          NodeCall.simple(connection, "BEGIN;SELECT abelian.snapshot_gate(" + WAIT_MILLIS + ")");
      if (!result.succeeded()) {
        throw new Failure(result.errorFields());
      }
      return "t".equals(result.value());
    }

    /** Lets go of them. */
    void release() {
      current = null;
      for (NodeConnection connection : connections) {
        try {
          NodeCall.sendSimple(connection, LET_GO);
        } catch (IOException e) {
          connection.close();
        }
      }
      for (int i = 0; i < connections.size(); i++) {
        NodeConnection connection = connections.get(i);
        try {
          if (!connection.isLost()) {
            NodeCall.await(connection, true);
          }
        } catch (IOException e) {
          connection.close();
        }
        pools.get(i).giveBackToAnyone(connection);
      }
      connections.clear();
      pools.clear();
    }
  }

  /** The session ends while it may hold gates. */
  void abandon() {
    if (current != null) {
      current.release();
    }
  }

  /** Takes the gates of these nodes. */
  Hold take(Catalog catalog, List<Integer> nodes) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Hold hold = new Hold();
      boolean all = false;
      try {
        all = takeAll(hold, catalog, nodes);
        if (all) {
          current = hold;
          return hold;
        }
      } finally {
        if (!all) {
          hold.release();
        }
      }
    }
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "commits over several nodes kept this statement from reading them at one moment",
        "Try again.");
  }

  private boolean takeAll(Hold hold, Catalog catalog, List<Integer> nodes) throws IOException {
    for (int node : nodes) {
      if (!hold.add(session.router().controlPool(catalog, node))) {
        return false;
      }
    }
    return true;
  }
}
