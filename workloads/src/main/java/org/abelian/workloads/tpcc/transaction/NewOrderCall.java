package org.abelian.workloads.tpcc.transaction;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.ToIntFunction;
import org.abelian.workloads.tpcc.input.NewOrderInput;
import org.abelian.workloads.tpcc.input.OrderLineInput;
import org.abelian.workloads.tpcc.journal.OrderKey;
import org.abelian.workloads.tpcc.schema.TpccProcedures;

/** NewOrder (clause 2.4.2) as one call of a distributed procedure, which commits by itself. */
final class NewOrderCall {
  private static final String CALL = "CALL tpcc_new_order(?, ?, ?, ?, ?, ?, ?, ?, NULL)";

  private final Statements statements;
  private final Clock clock;

  NewOrderCall(Statements statements, Clock clock) {
    this.statements = statements;
    this.clock = clock;
  }

  Receipt execute(NewOrderInput in) throws SQLException {
    boolean local = in.lines().stream().allMatch(line -> line.supplyWarehouse() == in.warehouse());
    long entered = clock.next();
    PreparedStatement call = statements.bind(CALL, in.warehouse(), in.district(), in.customer());
    call.setArray(4, array(in, OrderLineInput::item));
    call.setArray(5, array(in, OrderLineInput::supplyWarehouse));
    call.setArray(6, array(in, OrderLineInput::quantity));
    call.setObject(7, Clock.timestamp(entered));
    call.setInt(8, local ? 1 : 0);
    statements.connection().setAutoCommit(true);
    try (ResultSet row = call.executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(CALL, 1, 0);
      }
      return Receipt.of(
          new OrderKey(in.warehouse(), in.district(), row.getInt(1), in.customer(), entered));
    } catch (SQLException e) {
      if (TpccProcedures.UNUSED_ITEM.equals(e.getSQLState())) {
        return Receipt.rolledBackWithoutKey();
      }
      throw e;
    } finally {
      statements.connection().setAutoCommit(false);
    }
  }

  private Array array(NewOrderInput in, ToIntFunction<OrderLineInput> part) throws SQLException {
    Object[] values = in.lines().stream().mapToInt(part).boxed().toArray();
    return statements.connection().createArrayOf("int4", values);
  }
}
