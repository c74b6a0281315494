package org.abelian.router.backend;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;

/** The first settings of a session, as a node makes them of what the client asks for. */
public final class Greeting {
  /** With so many connections lost, it is the node. */
  private static final int LOST_MOST = 3;

  private final SessionSettings settings;
  private final SealKeys keys;

  /** For a session that has set nothing yet. */
  public Greeting(SessionSettings settings, SealKeys keys) {
    this.settings = settings;
    this.keys = keys;
  }

  /**
   * Makes the settings on one node, and adopts them.
   *
   * @param session who borrows the connection
   * @param pool connections to that node
   * @return what the node reports then
   */
  public Map<String, String> of(Object session, NodePool pool) throws IOException {
    int lost = 0;
    // Ends, since each connection whose role or database has got other defaults leaves the pool.
    while (true) {
      NodeConnection connection = pool.borrow(session, null);
      boolean fit = false;
      try {
        fit = makeSettings(connection);
        if (fit) {
          return new LinkedHashMap<>(connection.parameters());
        }
      } catch (NodeLostException e) {
        // A node that was restarted leaves old connections behind. Nothing was done on this one.
        if (++lost == LOST_MOST) {
          throw e;
        }
      } finally {
        if (fit) {
          pool.giveBackToAnyone(connection);
        } else {
          pool.drop(connection);
        }
      }
    }
  }

  /** Adopts them; false when the connection is not fit for another session, or not any more. */
  private boolean makeSettings(NodeConnection connection) throws IOException {
    ReportedSettings defaults = ReportedSettings.of(connection.defaults());
    if (ReportedSettings.of(connection.settings()).hasMoreNames(defaults, defaults)) {
      return false; // Names that another session has made up stay as long as the connection.
    }
    connection.settingsMark(SettingsSnapshot.UNKNOWN);
    keys.provide(connection);
    String taken = settings.snapshot().takeOver(0, label -> SealKeys.sealed(connection, label));
    String asked = String.join("\n;", settings.asked().statements());
    QueryResult result = NodeCall.simple(connection, taken + asked);
    boolean fit = !"f".equals(result.value());
    if (!result.succeeded()) {
      throw new ClientError(result.errorFields());
    }
    if (fit) {
      settings.adopt(ReportedSettings.of(connection.settings()));
    }
    return fit;
  }
}
