package org.abelian.advisor.trace.log;

/**
 * A line of a server's log, as far as it matters.
 *
 * @param session identifies the session
 * @param transaction the virtual transaction id, or null
 * @param severity LOG, ERROR, ...
 * @param message what it says
 * @param detail the parameters, or null
 */
record LogEntry(
    String session, String transaction, String severity, String message, String detail) {}
