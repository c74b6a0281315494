package org.abelian.router.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.SealKey;

/**
 * This router's keys at the nodes. A node gives it one for each of its runs, over a control
 * connection. Safe for several threads.
 */
public final class SealKeys {
  private static final String ASK =
      "SELECT abelian.router_key(?), pg_catalog.current_setting('abelian.connection')";

  /** Nodes that have not been updated to 0.6.0 know no keys; who is no router gets none. */
  private static final List<String> WITHOUT = List.of("42883", "42501");

  /** How long nodes are left alone that give none. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A node that has just been restarted may have closed the control connection. */
  private static final int TRIES = 2;

  private final NodeCalls calls;
  private final UUID router;
  private final Map<Integer, SealKey> known = new ConcurrentHashMap<>();
  private final Map<Integer, Long> without = new ConcurrentHashMap<>();

  /** None is known yet. */
  public SealKeys(NodeCalls calls, UUID router) {
    this.calls = calls;
    this.router = router;
  }

  /** The router that seals. */
  public UUID router() {
    return router;
  }

  /**
   * Gives a connection to that node the key, unless it has it or the node asks for no seals.
   *
   * @throws NodeUnreachableException when the node cannot be asked
   */
  public void provide(int node, NodeConnection connection) throws NodeUnreachableException {
    if (connection.lacksSealKey()) {
      SealKey key = known.get(node);
      connection.sealKey(
          key != null && key.fits(connection.name()) ? key : ask(node, connection.name()));
    }
  }

  private SealKey ask(int node, String connection) throws NodeUnreachableException {
    Long since = without.get(node);
    if (since != null && System.nanoTime() - since < PAUSE_NANOS) {
      return null;
    }
    NodeUnreachableException failure = null;
    for (int attempt = 0; attempt < TRIES; attempt++) {
      try {
        SealKey key = calls.on(node, this::ask);
        if (key == null) {
          without.put(node, System.nanoTime());
          return null;
        }
        known.put(node, key);
        without.remove(node);
        return key.fits(connection) ? key : null;
      } catch (NodeUnreachableException unreachable) {
        failure = unreachable;
      }
    }
    throw failure;
  }

  private SealKey ask(Connection control) throws SQLException {
    try (PreparedStatement statement = control.prepareStatement(ASK)) {
      statement.setObject(1, router);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return new SealKey(rows.getString(2), rows.getBytes(1));
      }
    } catch (SQLException refused) {
      if (WITHOUT.contains(refused.getSQLState())) {
        return null;
      }
      throw refused;
    }
  }
}
