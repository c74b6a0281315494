package org.abelian.workloads.tpcc.run;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.input.Input;
import org.abelian.workloads.tpcc.input.NewOrderInput;
import org.abelian.workloads.tpcc.input.OrderLineInput;
import org.abelian.workloads.tpcc.input.PaymentInput;

/**
 * On which node each warehouse is, found by asking the nodes themselves. It tells which
 * transactions write on several nodes and therefore need the coordinated commit.
 */
public final class WarehouseLocations {
  private final Map<Integer, String> nodes;

  private WarehouseLocations(Map<Integer, String> nodes) {
    this.nodes = Map.copyOf(nodes);
  }

  /** Everything in one place. */
  public static WarehouseLocations single() {
    return new WarehouseLocations(Map.of());
  }

  /**
   * Asks each node for its rows of WAREHOUSE.
   *
   * @param nodes the nodes themselves, past any router
   */
  public static WarehouseLocations ask(List<Database> nodes) throws SQLException {
    Map<Integer, String> locations = new HashMap<>();
    for (Database node : nodes) {
      try (JdbcPool pool = node.pool(1);
          Connection connection = pool.connection();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT w_id FROM warehouse")) {
        while (rows.next()) {
          locations.put(rows.getInt(1), node.url());
        }
      }
    }
    return new WarehouseLocations(locations);
  }

  /** Number of nodes on which a transaction with this input writes, at least 1. */
  int nodesOf(Input input) {
    Set<String> touched = new HashSet<>();
    touched.add(node(input.warehouse()));
    if (input instanceof NewOrderInput order) {
      for (OrderLineInput line : order.lines()) {
        touched.add(node(line.supplyWarehouse()));
      }
    } else if (input instanceof PaymentInput payment) {
      touched.add(node(payment.customer().warehouse()));
    }
    return touched.size();
  }

  private String node(int warehouse) {
    return nodes.getOrDefault(warehouse, "");
  }

  /** Warehouses per node, for people. */
  @Override
  public String toString() {
    return nodes.toString();
  }
}
