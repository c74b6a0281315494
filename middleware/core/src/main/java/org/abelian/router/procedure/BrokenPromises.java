package org.abelian.router.procedure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.backend.BackendParticipant;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Node;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.CoordinatedCommit;
import org.abelian.router.transaction.Participant;
import org.abelian.router.transaction.independent.CallFailures;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops procedures that were called as independent and are not: a fragment failed on one node and
 * was executed on another. The node's record of the failure is what tells, so that any router finds
 * it, also when the one that ran the call is gone. Thread-safe.
 */
public final class BrokenPromises {
  private static final Logger LOG = LoggerFactory.getLogger(BrokenPromises.class);

  /**
   * Procedures that failed in the lane; stop_procedure marks the records. The failure of several
   * calls names those that failed, as the intent names all. One that is stopped already is marked
   * as well, so that it does not stop the procedure again when its owner has declared it anew.
   */
  private static final String BROKEN =
      "SELECT p.signature, r.failure FROM abelian.independent_record r JOIN abelian.procedure p"
          + " ON pg_catalog.strpos(CASE WHEN pg_catalog.starts_with(r.failure, E'\\n--abelian ')"
          + " THEN r.failure ELSE r.intent END, E'\\n--abelian procedure '"
          + " OPERATOR(pg_catalog.||) p.signature OPERATOR(pg_catalog.||) E'\\n')"
          + " OPERATOR(pg_catalog.>) 0"
          + " WHERE r.failure IS NOT NULL AND r.failure NOT LIKE '%(the procedure was stopped)'"
          + " AND p.class OPERATOR(pg_catalog.=) 'independent'";

  private final CatalogStore catalogs;
  private final SnapshotGate.ControlConnections control;
  private final CoordinatedCommit commit;
  private final Runnable schemaChanged;

  /**
   * @param schemaChanged to be run when the catalogue was changed
   */
  public BrokenPromises(
      CatalogStore catalogs,
      SnapshotGate.ControlConnections control,
      CoordinatedCommit commit,
      Runnable schemaChanged) {
    this.catalogs = catalogs;
    this.control = control;
    this.commit = commit;
    this.schemaChanged = schemaChanged;
  }

  /**
   * Looks for broken promises on all nodes that can be asked, and stops the procedures on all
   * nodes. What cannot be done now is found again at the next look.
   */
  public synchronized void look() {
    Catalog catalog = catalogs.current();
    Map<String, String> broken = new TreeMap<>();
    for (Node node : catalog.nodes()) {
      find(catalog, node.id(), broken);
    }
    broken.forEach((signature, reason) -> stop(catalog, signature, reason));
  }

  private void find(Catalog catalog, int node, Map<String, String> broken) {
    NodePool pool = control.pool(catalog, node);
    NodeConnection connection = null;
    try {
      connection = pool.borrow(this, null);
      QueryResult found = NodeCall.simple(connection, BROKEN);
      for (byte[][] row : found.rows()) {
        String signature = text(row[0]);
        String errors = CallFailures.of(text(row[1])).errors(signature);
        broken.putIfAbsent(
            signature, "it was executed on some nodes, and failed on node " + node + ": " + errors);
      }
    } catch (IOException | RuntimeException unreachable) {
      LOG.debug("node {} cannot be asked for broken promises", node, unreachable);
    } finally {
      giveBack(pool, connection);
    }
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** One transaction over all nodes, like any other change of the catalogue. */
  private void stop(Catalog catalog, String signature, String reason) {
    String sql =
        "BEGIN;SET LOCAL abelian.placement_version = "
            + catalog.version()
            + ";SELECT abelian.stop_procedure("
            + IndependentTransaction.quote(signature)
            + ", "
            + IndependentTransaction.quote(reason)
            + ")";
    List<NodePool> pools = new ArrayList<>();
    List<NodeConnection> connections = new ArrayList<>();
    List<Participant> participants = new ArrayList<>();
    try {
      for (Node node : catalog.nodes()) {
        NodePool pool = control.pool(catalog, node.id());
        NodeConnection connection = pool.borrow(this, null);
        pools.add(pool);
        connections.add(connection);
        QueryResult result = NodeCall.simple(connection, sql);
        if (!result.succeeded()) {
          throw new ClientError(result.errorFields());
        }
        participants.add(new BackendParticipant(node.id(), connection));
      }
      CommitOutcome outcome = commit.commit(new CommitRequest(0, null, participants, List.of()));
      LOG.warn("stopped procedure {}, since {}: {}", signature, reason, outcome);
    } catch (IOException | RuntimeException failed) {
      LOG.warn("procedure {} is to be stopped, since {}; tried again", signature, reason, failed);
    } finally {
      for (int i = 0; i < connections.size(); i++) {
        rollBack(connections.get(i));
        giveBack(pools.get(i), connections.get(i));
      }
    }
    schemaChanged.run();
  }

  private static void rollBack(NodeConnection connection) {
    try {
      if (!connection.isLost() && connection.transactionStatus() != 'I') {
        NodeCall.simple(connection, "ROLLBACK");
      }
    } catch (IOException lost) {
      connection.close();
    }
  }

  private static void giveBack(NodePool pool, NodeConnection connection) {
    if (connection != null) {
      pool.giveBackToAnyone(connection);
    }
  }
}
