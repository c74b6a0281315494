package org.abelian.router.session;

import org.abelian.router.backend.BackendSession;
import org.abelian.router.protocol.ErrorFields;

/**
 * How long a client may be silent, as the session's settings say, and what it is told then. Nodes
 * know the settings, too, but not whether the client is silent: it may be busy with another node.
 *
 * @param millis in milliseconds; 0 for ever
 */
public record IdleTimeout(int millis, boolean inTransaction) {
  /** The one that holds now. */
  public static IdleTimeout of(BackendSession backends, boolean inTransaction) {
    String name = inTransaction ? "idle_in_transaction_session_timeout" : "idle_session_timeout";
    String value = backends.setting(name);
    try {
      return new IdleTimeout(value == null ? 0 : Integer.parseInt(value), inTransaction);
    } catch (NumberFormatException unknown) {
      return new IdleTimeout(0, inTransaction);
    }
  }

  /** As PostgreSQL says it. */
  public ErrorFields error() {
    return inTransaction
        ? ErrorFields.of(
            "FATAL", "25P03", "terminating connection due to idle-in-transaction timeout")
        : ErrorFields.of("FATAL", "57P05", "terminating connection due to idle-session timeout");
  }
}
