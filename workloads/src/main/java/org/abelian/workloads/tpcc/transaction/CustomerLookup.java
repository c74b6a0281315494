package org.abelian.workloads.tpcc.transaction;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.tpcc.input.CustomerKey;

/** Finds the customer a user means (clauses 2.5.2.2 case 2 and 2.6.2.2 case 2). */
final class CustomerLookup {
  private static final String BY_NAME =
      "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";

  private final Statements statements;

  CustomerLookup(Statements statements) {
    this.statements = statements;
  }

  /** The id: the given one, or that of the middle row of those with the name, sorted by C_FIRST. */
  int idOf(CustomerKey key) throws SQLException {
    if (!key.isByName()) {
      return key.id();
    }
    List<Integer> ids = new ArrayList<>();
    try (ResultSet rows =
        statements.bind(BY_NAME, key.warehouse(), key.district(), key.lastName()).executeQuery()) {
      while (rows.next()) {
        ids.add(rows.getInt(1));
      }
    }
    if (ids.isEmpty()) {
      throw new UnexpectedRowsException(BY_NAME, 1, 0);
    }
    return ids.get((ids.size() + 1) / 2 - 1);
  }
}
