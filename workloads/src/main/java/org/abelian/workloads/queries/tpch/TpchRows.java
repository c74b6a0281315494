package org.abelian.workloads.queries.tpch;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.abelian.workloads.database.CopyInto;

/** The rows of all tables (clause 4.2.3). They depend on the scale and the seed alone. */
final class TpchRows {
  private final TpchScale scale;
  private final long seed;

  TpchRows(TpchScale scale, long seed) {
    this.scale = scale;
    this.seed = seed;
  }

  /** Writes the rows that have one number. */
  @FunctionalInterface
  private interface Rows {
    void write(int number, RowRandom random, CopyInto copy) throws SQLException;
  }

  /**
   * Fills the tables.
   *
   * @param progress told a line about each table
   */
  void load(Connection connection, Consumer<String> progress) throws SQLException {
    load(connection, "region", Nation.REGIONS.size(), this::region, progress);
    load(connection, "nation", Nation.ALL.size(), this::nation, progress);
    load(connection, "supplier", scale.suppliers(), this::supplier, progress);
    load(connection, "part", scale.parts(), this::part, progress);
    load(connection, "partsupp", scale.parts(), this::offers, progress);
    load(connection, "customer", scale.customers(), this::customer, progress);
    load(connection, "orders", scale.orders(), this::order, progress);
    load(connection, "lineitem", scale.orders(), this::lines, progress);
  }

  private void load(
      Connection connection, String table, int numbers, Rows rows, Consumer<String> progress)
      throws SQLException {
    try (CopyInto copy = new CopyInto(connection, table)) {
      for (int number = 1; number <= numbers; number++) {
        rows.write(number, new RowRandom(seed, table, number), copy);
      }
      progress.accept("  %s: %,d rows".formatted(table, copy.finish()));
    }
  }

  private void region(int number, RowRandom random, CopyInto copy) throws SQLException {
    copy.row(number - 1, Nation.REGIONS.get(number - 1), random.comment(31, 115));
  }

  private void nation(int number, RowRandom random, CopyInto copy) throws SQLException {
    Nation nation = Nation.ALL.get(number - 1);
    copy.row(number - 1, nation.name(), nation.region(), random.comment(31, 114));
  }

  private void supplier(int key, RowRandom random, CopyInto copy) throws SQLException {
    int nation = Planted.nation(key, random.uniform(0, Nation.ALL.size() - 1), scale);
    copy.row(
        key,
        "Supplier#%09d".formatted(key),
        random.address(),
        nation,
        random.phone(nation),
        balance(random),
        supplierComment(key, random));
  }

  /** Of 10,000 suppliers there are complaints about five, and recommendations of five. */
  private static String supplierComment(int key, RowRandom random) {
    String comment = random.comment(25, 100);
    boolean complained = random.chance(0.0005) || Planted.isComplainedOf(key);
    boolean recommended = random.chance(0.0005);
    if (!complained && !recommended) {
      return comment;
    }
    String words = "Customer " + (complained ? "Complaints" : "Recommends");
    return words + comment.substring(Math.min(words.length(), comment.length()));
  }

  private static BigDecimal balance(RowRandom random) {
    return random.money(-99_999, 999_999);
  }

  private void part(int key, RowRandom random, CopyInto copy) throws SQLException {
    Part part = Planted.part(key, Part.draw(random));
    copy.row(
        key,
        part.name(),
        "Manufacturer#" + part.brand() / 10,
        "Brand#" + part.brand(),
        part.type(),
        part.size(),
        part.container(),
        Part.price(key),
        random.comment(5, 22));
  }

  private void offers(int part, RowRandom random, CopyInto copy) throws SQLException {
    for (int place = 0; place < 4; place++) {
      copy.row(
          part,
          scale.supplier(part, place),
          random.uniform(1, 9_999),
          random.money(100, 100_000),
          random.comment(49, 198));
    }
  }

  private void customer(int key, RowRandom random, CopyInto copy) throws SQLException {
    int nation = random.uniform(0, Nation.ALL.size() - 1);
    copy.row(
        key,
        "Customer#%09d".formatted(key),
        random.address(),
        nation,
        random.phone(nation),
        balance(random),
        random.pick(Words.SEGMENTS),
        random.comment(29, 116));
  }

  /** An order is drawn twice: for its own table, and for that of the lines. */
  private Order drawOrder(int number) {
    return Order.draw(number, new RowRandom(seed, "order with lines", number), scale);
  }

  private void order(int number, RowRandom random, CopyInto copy) throws SQLException {
    Order order = drawOrder(number);
    copy.row(
        order.key(),
        order.customer(),
        order.status(),
        BigDecimal.valueOf(order.total(), 2),
        order.date(),
        random.pick(Words.PRIORITIES),
        "Clerk#%09d".formatted(random.uniform(1, scale.clerks())),
        0,
        random.comment(19, 78));
  }

  private void lines(int number, RowRandom random, CopyInto copy) throws SQLException {
    Order order = drawOrder(number);
    List<Line> lines = order.lines();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      copy.row(
          order.key(),
          line.part(),
          scale.supplier(line.part(), line.place()),
          i + 1,
          line.quantity(),
          BigDecimal.valueOf(line.cents(), 2),
          BigDecimal.valueOf(line.discount(), 2),
          BigDecimal.valueOf(line.tax(), 2),
          line.isReceived() ? (random.chance(0.5) ? "R" : "A") : "N",
          line.isOpen() ? "O" : "F",
          line.shipped(),
          line.committed(),
          line.received(),
          line.instruction(),
          line.mode(),
          random.comment(10, 43));
    }
  }
}
