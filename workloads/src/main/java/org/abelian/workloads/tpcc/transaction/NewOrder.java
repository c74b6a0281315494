package org.abelian.workloads.tpcc.transaction;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.tpcc.input.NewOrderInput;
import org.abelian.workloads.tpcc.input.OrderLineInput;
import org.abelian.workloads.tpcc.journal.OrderKey;
import org.abelian.workloads.tpcc.schema.Scale;

/**
 * NewOrder (clause 2.4.2).
 *
 * <p>Items and stock rows are read as sets, one statement for each supplying warehouse; stock rows
 * are locked in the order of their keys, so that two orders never wait for each other in a circle.
 * The district row, which all orders of the district want, is locked as late as its number is
 * needed.
 */
final class NewOrder {
  private static final String CUSTOMER =
      "SELECT c_discount, c_last, c_credit, w_tax FROM warehouse, customer"
          + " WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?";
  private static final String ITEMS =
      "SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id = ANY (?)";
  private static final String DISTRICT =
      "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?"
          + " RETURNING d_next_o_id - 1, d_tax";
  private static final String INSERT_ORDER =
      "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?)";
  private static final String INSERT_OPEN =
      "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)";
  private static final String STOCK =
      "SELECT s_i_id, s_quantity, s_data, s_dist_%02d FROM stock"
          + " WHERE s_w_id = ? AND s_i_id = ANY (?) ORDER BY s_i_id FOR UPDATE";
  private static final String UPDATE_STOCK =
      "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1,"
          + " s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";
  private static final String INSERT_LINE =
      "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,"
          + " ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String[] STOCK_OF_DISTRICT = stockStatements();

  private final Statements statements;
  private final Clock clock;

  NewOrder(Statements statements, Clock clock) {
    this.statements = statements;
    this.clock = clock;
  }

  private static String[] stockStatements() {
    String[] texts = new String[Scale.DISTRICTS + 1];
    for (int d = 1; d <= Scale.DISTRICTS; d++) {
      texts[d] = STOCK.formatted(d);
    }
    return texts;
  }

  Receipt execute(NewOrderInput in) throws SQLException {
    readCustomer(in);
    Map<Integer, BigDecimal> prices = readPrices(in.lines());
    List<Line> lines = validLines(in, prices);
    int order = takeNumber(in);
    long entered = clock.next();
    insertOrder(in, order, Clock.timestamp(entered));
    Map<StockKey, StockRow> stock = lockStock(in.district(), lines);
    updateStock(in.warehouse(), lines, stock);
    insertLines(in, order, lines, stock);
    OrderKey key = new OrderKey(in.warehouse(), in.district(), order, in.customer(), entered);
    boolean unusedItem = lines.size() < in.lines().size();
    return unusedItem ? Receipt.rolledBack(key) : Receipt.of(key);
  }

  private void readCustomer(NewOrderInput in) throws SQLException {
    try (ResultSet row =
        statements.bind(CUSTOMER, in.warehouse(), in.district(), in.customer()).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(CUSTOMER, 1, 0);
      }
      row.getBigDecimal(1);
      row.getString(2);
      row.getString(3);
      row.getBigDecimal(4);
    }
  }

  private Map<Integer, BigDecimal> readPrices(List<OrderLineInput> lines) throws SQLException {
    Object[] ids = lines.stream().map(OrderLineInput::item).distinct().sorted().toArray();
    Map<Integer, BigDecimal> prices = new HashMap<>();
    PreparedStatement items = statements.bind(ITEMS);
    items.setArray(1, statements.connection().createArrayOf("int4", ids));
    try (ResultSet rows = items.executeQuery()) {
      while (rows.next()) {
        prices.put(rows.getInt(1), rows.getBigDecimal(2));
      }
    }
    return prices;
  }

  /** Lines whose item exists, in the order of their stock keys. */
  private static List<Line> validLines(NewOrderInput in, Map<Integer, BigDecimal> prices) {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < in.lines().size(); i++) {
      OrderLineInput line = in.lines().get(i);
      BigDecimal price = prices.get(line.item());
      if (price != null) {
        BigDecimal amount = price.multiply(BigDecimal.valueOf(line.quantity()));
        StockKey key = new StockKey(line.supplyWarehouse(), line.item());
        lines.add(new Line(i + 1, key, line.quantity(), amount));
      }
    }
    lines.sort(Comparator.comparing(Line::stock));
    return lines;
  }

  private int takeNumber(NewOrderInput in) throws SQLException {
    try (ResultSet row = statements.bind(DISTRICT, in.warehouse(), in.district()).executeQuery()) {
      if (!row.next()) {
        throw new UnexpectedRowsException(DISTRICT, 1, 0);
      }
      return row.getInt(1);
    }
  }

  private void insertOrder(NewOrderInput in, int order, LocalDateTime entered) throws SQLException {
    boolean local = in.lines().stream().allMatch(line -> line.supplyWarehouse() == in.warehouse());
    statements.update(
        1,
        INSERT_ORDER,
        in.warehouse(),
        in.district(),
        order,
        in.customer(),
        entered,
        in.lines().size(),
        local ? 1 : 0);
    statements.update(1, INSERT_OPEN, in.warehouse(), in.district(), order);
  }

  private Map<StockKey, StockRow> lockStock(int district, List<Line> lines) throws SQLException {
    Map<StockKey, StockRow> stock = new HashMap<>();
    int[] warehouses =
        lines.stream().mapToInt(line -> line.stock().warehouse()).distinct().toArray();
    for (int warehouse : warehouses) {
      Object[] items =
          lines.stream()
              .filter(line -> line.stock().warehouse() == warehouse)
              .map(line -> line.stock().item())
              .distinct()
              .toArray();
      String sql = STOCK_OF_DISTRICT[district];
      PreparedStatement select = statements.bind(sql, warehouse);
      select.setArray(2, statements.connection().createArrayOf("int4", items));
      int found = 0;
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          stock.put(
              new StockKey(warehouse, rows.getInt(1)),
              new StockRow(rows.getInt(2), rows.getString(4)));
          found++;
        }
      }
      if (found != items.length) {
        throw new UnexpectedRowsException(sql, items.length, found);
      }
    }
    return stock;
  }

  private void updateStock(int home, List<Line> lines, Map<StockKey, StockRow> stock)
      throws SQLException {
    PreparedStatement update = null;
    for (Line line : lines) {
      StockRow row = stock.get(line.stock());
      row.take(line.quantity());
      int remote = line.stock().warehouse() == home ? 0 : 1;
      update =
          statements.bind(
              UPDATE_STOCK,
              row.quantity(),
              (long) line.quantity(),
              remote,
              line.stock().warehouse(),
              line.stock().item());
      update.addBatch();
    }
    executeBatch(update, UPDATE_STOCK);
  }

  private void insertLines(
      NewOrderInput in, int order, List<Line> lines, Map<StockKey, StockRow> stock)
      throws SQLException {
    PreparedStatement insert = null;
    for (Line line : lines) {
      insert =
          statements.bind(
              INSERT_LINE,
              in.warehouse(),
              in.district(),
              order,
              line.number(),
              line.stock().item(),
              line.stock().warehouse(),
              line.quantity(),
              line.amount(),
              stock.get(line.stock()).districtInfo());
      insert.addBatch();
    }
    executeBatch(insert, INSERT_LINE);
  }

  private static void executeBatch(PreparedStatement batch, String sql) throws SQLException {
    if (batch == null) {
      return;
    }
    for (int changed : batch.executeBatch()) {
      if (changed != 1) {
        throw new UnexpectedRowsException(sql, 1, changed);
      }
    }
  }

  /** A line with its number in the order and its amount. */
  private record Line(int number, StockKey stock, int quantity, BigDecimal amount) {}

  /** Primary key of STOCK. */
  private record StockKey(int warehouse, int item) implements Comparable<StockKey> {
    private static final Comparator<StockKey> ORDER =
        Comparator.comparingInt(StockKey::warehouse).thenComparingInt(StockKey::item);

    @Override
    public int compareTo(StockKey other) {
      return ORDER.compare(this, other);
    }
  }

  /** The part of a locked stock row that an order changes. */
  private static final class StockRow {
    private static final int RESERVE = 10;
    private static final int REFILL = 91;

    private final String districtInfo;
    private int quantity;

    StockRow(int quantity, String districtInfo) {
      this.quantity = quantity;
      this.districtInfo = districtInfo;
    }

    /** Takes from the stock and refills it when less than ten would remain (clause 2.4.2.2). */
    void take(int ordered) {
      quantity -= ordered;
      if (quantity < RESERVE) {
        quantity += REFILL;
      }
    }

    int quantity() {
      return quantity;
    }

    String districtInfo() {
      return districtInfo;
    }
  }
}
