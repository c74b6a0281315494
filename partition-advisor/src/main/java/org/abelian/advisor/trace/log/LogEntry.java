package org.abelian.advisor.trace.log;

/**
 * A line of a server's log, as far as it matters.
 *
 * @param session identifies the session
 * @param transaction the virtual transaction id, or null
 * @param severity LOG, ERROR, ...
 * @param message what it says
 * @param detail the parameters, or null
 * @param name what the client calls its transaction, or null
 */
record LogEntry(
    String session,
    String transaction,
    String severity,
    String message,
    String detail,
    String name) {
  /** One of a transaction without a name. */
  LogEntry(String session, String transaction, String severity, String message, String detail) {
    this(session, transaction, severity, message, detail, null);
  }
}
