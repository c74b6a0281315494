package org.abelian.workloads.tpcc.transaction;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.abelian.workloads.tpcc.input.StockLevelInput;

/** StockLevel (clause 2.8.2). */
final class StockLevel {
  private static final int ORDERS = 20;
  private static final String NEXT_ORDER =
      "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?";
  private static final String LOW_STOCK =
      "SELECT count(DISTINCT s_i_id) FROM order_line, stock"
          + " WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ?"
          + " AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?";

  private final Statements statements;

  StockLevel(Statements statements) {
    this.statements = statements;
  }

  Receipt execute(StockLevelInput in) throws SQLException {
    int next = single(NEXT_ORDER, in.warehouse(), in.district());
    single(
        LOW_STOCK,
        in.warehouse(),
        in.district(),
        next - ORDERS,
        next,
        in.warehouse(),
        in.threshold());
    return Receipt.withoutKey();
  }

  private int single(String sql, Object... parameters) throws SQLException {
    try (ResultSet row = statements.bind(sql, parameters).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(sql, 1, 0);
      }
      return row.getInt(1);
    }
  }
}
