package org.abelian.workloads.database;

import java.sql.SQLException;
import java.util.Set;

/** What an SQLSTATE says about the transaction that met it. */
public final class SqlStates {
  private static final Set<String> RETRYABLE = Set.of("40001", "40P01");

  /** The server is going away, starting up, or closed this session: the connection is of no use. */
  private static final Set<String> CONNECTION_LOST = Set.of("57P01", "57P02", "57P03", "57P05");

  private SqlStates() {}

  /** True when the transaction was rolled back and the same input may succeed on another try. */
  public static boolean isRetryable(SQLException error) {
    return RETRYABLE.contains(stateOf(error));
  }

  /** True when the connection cannot be used any more. */
  public static boolean isConnectionLost(SQLException error) {
    String state = stateOf(error);
    return state.startsWith("08") || CONNECTION_LOST.contains(state);
  }

  /**
   * True when an error answered to COMMIT leaves open whether the transaction committed. Errors of
   * the classes listed here prove that it was rolled back; everything else proves nothing, above
   * all a lost connection and 40003.
   */
  public static boolean isCommitAmbiguous(SQLException error) {
    String state = stateOf(error);
    if (state.equals("40003")) {
      return true;
    }
    boolean rolledBack =
        state.startsWith("40")
            || state.startsWith("23")
            || state.startsWith("25")
            || state.startsWith("0A");
    return !rolledBack;
  }

  /** The SQLSTATE, or the empty string where a driver gave none. */
  public static String stateOf(SQLException error) {
    String state = error.getSQLState();
    return state == null ? "" : state;
  }
}
