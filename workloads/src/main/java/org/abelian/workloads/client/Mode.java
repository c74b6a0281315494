package org.abelian.workloads.client;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/** How a client's statements make transactions. */
public enum Mode {
  /** Transactions at PostgreSQL's default isolation. */
  READ_COMMITTED,
  /** Transactions that are tried again when they would not have been serial. */
  SERIALIZABLE,
  /**
   * Each transaction that changes rows is one call of a procedure; two, where what the first one
   * finds decides which rows the second one changes.
   */
  PROCEDURE,
  /** Each statement by itself: what no transaction costs. */
  AUTOCOMMIT;

  /** As tables and options name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  void begin(Connection connection) throws SQLException {
    if (this == SERIALIZABLE) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    }
    connection.setAutoCommit(!hasCommit());
  }

  /** Whether the client ends transactions by COMMIT. */
  boolean hasCommit() {
    return this == READ_COMMITTED || this == SERIALIZABLE;
  }
}
