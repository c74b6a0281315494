package org.abelian.router.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/** Which errors end a connection, where a pool would judge otherwise. */
final class LostConnections implements SQLExceptionOverride {
  private static final String NOT_SUPPORTED = "0A000";

  /** The server has ended a session that was idle for too long. */
  private static final Set<String> IDLE_TOO_LONG = Set.of("25P03", "57P05");

  @java.lang.Override
  public Override adjudicate(SQLException error) {
    String state = error.getSQLState();
    if (NOT_SUPPORTED.equals(state)) {
      // A pool takes this for a driver that cannot work; here a server refuses one statement.
      return Override.DO_NOT_EVICT;
    }
    return state != null && IDLE_TOO_LONG.contains(state)
        ? Override.MUST_EVICT
        : Override.CONTINUE_EVICT;
  }
}
