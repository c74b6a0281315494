package org.abelian.cluster;

import java.sql.SQLException;

/**
 * What a client knows after the end of its transaction.
 *
 * @param sqlState of the error; null after a success
 */
record Told(boolean success, String sqlState, String text) {
  static final Told SUCCESS = new Told(true, null, "");

  static Told of(SQLException error) {
    return new Told(false, error.getSQLState(), error.toString());
  }

  /** The error says that nothing was done: it is none of a lost connection or server. */
  boolean rolledBack() {
    return sqlState != null && !sqlState.startsWith("08") && !sqlState.startsWith("57P");
  }
}
