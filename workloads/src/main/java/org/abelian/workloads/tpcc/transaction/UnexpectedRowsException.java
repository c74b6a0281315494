package org.abelian.workloads.tpcc.transaction;

import java.sql.SQLException;

/** A statement found or changed another number of rows than the state of the database implies. */
public final class UnexpectedRowsException extends SQLException {
  /** P0003: too many rows, or P0002: no data found, as PL/pgSQL reports them. */
  UnexpectedRowsException(String sql, int expected, int actual) {
    super(
        "expected %d row(s), got %d: %s".formatted(expected, actual, sql),
        actual > expected ? "P0003" : "P0002");
  }
}
