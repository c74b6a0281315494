package org.abelian.workloads.tpcw;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.abelian.workloads.database.CopyInto;

/** The rows at the start. */
final class TpcwLoad {
  private static final int MOST_LINES = 5;
  private static final int DAYS = 10_000;

  private final Connection connection;
  private final TpcwOptions options;
  private final Shop shop;
  private final SplittableRandom random;

  TpcwLoad(Connection connection, Shop shop, long seed) {
    this.connection = connection;
    this.options = shop.options();
    this.shop = shop;
    this.random = new SplittableRandom(seed);
  }

  void load() throws SQLException {
    copy("country", TpcwOptions.COUNTRIES, id -> new Object[] {id, "country " + id});
    copy("author", options.authors(), id -> new Object[] {id, "first " + id, "last" + id});
    copy("item", options.items(), this::item);
    copy("customer", options.customers(), id -> new Object[] {id, "user" + id, "first", "last", 0});
    copy("address", options.customers(), id -> new Object[] {id, "a street", country()});
    orders();
  }

  private void copy(String table, int rows, IntFunction<Object[]> row) throws SQLException {
    CopyInto.numbered(connection, table, rows, row);
  }

  private Object[] item(int id) {
    List<Object> values = new ArrayList<>();
    values.add(id);
    values.add("title" + id);
    values.add(1 + random.nextInt(options.authors()));
    values.add(1 + random.nextInt(TpcwOptions.SUBJECTS));
    values.add(random.nextInt(DAYS));
    values.add(Shop.cost(id));
    values.add(Shop.stock(id));
    for (int related = 0; related < TpcwReads.RELATED; related++) {
      values.add(1 + random.nextInt(options.items()));
    }
    return values.toArray();
  }

  private int country() {
    return 1 + random.nextInt(TpcwOptions.COUNTRIES);
  }

  /** One order of each customer who has ordered. */
  private void orders() throws SQLException {
    long[] totals = new long[options.orders() + 1];
    try (CopyInto copy = new CopyInto(connection, "order_line")) {
      for (int order = 1; order <= options.orders(); order++) {
        int lines = 1 + random.nextInt(MOST_LINES);
        long[] items =
            random.ints(1, options.items() + 1).distinct().limit(lines).asLongStream().toArray();
        for (long item : items) {
          int quantity = 1 + random.nextInt(10);
          totals[order] += quantity * Shop.cost(item);
          copy.row(order, order, item, quantity, Shop.cost(item));
        }
      }
      copy.finish();
    }
    copy("orders", options.orders(), o -> new Object[] {o, o, totals[o], "shipped"});
    copy("cc_xacts", options.orders(), o -> new Object[] {o, o, totals[o], country()});
  }
}
