package org.abelian.advisor.sample;

import static org.abelian.advisor.sample.SampleTables.table;
import static org.abelian.advisor.sample.Statements.row;
import static org.abelian.advisor.sample.Statements.texts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/**
 * TPC-C's five transactions by their access rules (revision 5.11, clauses 2.4 to 2.8): what they
 * touch, not what they compute.
 */
public final class TpccSample implements Sample {
  private static final int DISTRICTS = 10;
  private static final int CUSTOMERS = 3000;
  private static final int ITEMS = 100_000;
  private static final int ORDERS = 3000;

  private final int warehouses;
  private final Random random;
  private final int[][] nextOrder;
  private final int[][] nextDelivery;
  private final Map<String, Integer> lines = new LinkedHashMap<>();

  /**
   * A generator.
   *
   * @param warehouses at least 1
   * @param seed the same seed gives the same trace
   */
  public TpccSample(int warehouses, long seed) {
    this.warehouses = warehouses;
    this.random = new Random(seed);
    nextOrder = new int[warehouses + 1][DISTRICTS + 1];
    nextDelivery = new int[warehouses + 1][DISTRICTS + 1];
    for (int[] row : nextOrder) {
      Arrays.fill(row, ORDERS + 1);
    }
    for (int[] row : nextDelivery) {
      Arrays.fill(row, ORDERS * 7 / 10 + 1);
    }
  }

  @Override
  public List<TraceTable> tables() {
    return List.of(
        table("warehouse", 89, 1, "w_id"),
        table("district", 95, 2, "d_w_id", "d_id"),
        table("customer", 655, 3, "c_w_id", "c_d_id", "c_id", "c_last:character varying(16)"),
        table("history", 46, 0, "h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id"),
        table("oorder", 24, 3, "o_w_id", "o_d_id", "o_id", "o_c_id"),
        table("new_order", 8, 3, "no_w_id", "no_d_id", "no_o_id"),
        table("order_line", 54, 4, "ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id"),
        table("stock", 306, 2, "s_w_id", "s_i_id"),
        table("item", 82, 1, "i_id"));
  }

  @Override
  public void transaction(TraceWriter writer) {
    int dice = random.nextInt(100);
    int w = 1 + random.nextInt(warehouses);
    if (dice < 45) {
      newOrder(writer, w);
    } else if (dice < 88) {
      payment(writer, w);
    } else if (dice < 92) {
      orderStatus(writer, w);
    } else if (dice < 96) {
      delivery(writer, w);
    } else {
      stockLevel(writer, w);
    }
  }

  private void newOrder(TraceWriter writer, int w) {
    int d = 1 + random.nextInt(DISTRICTS);
    int c = skewed(1023, CUSTOMERS);
    List<Access> touched = new ArrayList<>();
    touched.add(Access.read(0, "public.customer", row("c_w_id", w, "c_d_id", d, "c_id", c)));
    touched.add(Access.read(1, "public.warehouse", row("w_id", w)));
    touched.add(Access.write(2, "public.district", row("d_w_id", w, "d_id", d)));
    int o = nextOrder[w][d]++;
    // The order's number comes from the district: these rows must be where it is.
    touched.add(
        Access.write(3, "public.oorder", row("o_w_id", w, "o_d_id", d, "o_id", o, "o_c_id", c))
            .after(List.of(2)));
    touched.add(
        Access.write(4, "public.new_order", row("no_w_id", w, "no_d_id", d, "no_o_id", o))
            .after(List.of(2)));
    int count = 5 + random.nextInt(11);
    lines.put(w + "," + d + "," + o, count);
    int step = 5;
    for (int line = 1; line <= count; line++) {
      int item = skewed(8191, ITEMS);
      int supplier = warehouses > 1 && random.nextInt(100) == 0 ? otherThan(w) : w;
      // An item that does not exist rolls the order back.
      touched.add(Access.read(step++, "public.item", row("i_id", item)).deciding());
      touched.add(Access.write(step++, "public.stock", row("s_w_id", supplier, "s_i_id", item)));
      touched.add(
          Access.write(
                  step++,
                  "public.order_line",
                  row("ol_w_id", w, "ol_d_id", d, "ol_o_id", o, "ol_number", line, "ol_i_id", item))
              .after(List.of(2)));
    }
    writer.add("NewOrder", texts(w, d, c, count), true, touched);
  }

  private void payment(TraceWriter writer, int w) {
    int d = 1 + random.nextInt(DISTRICTS);
    boolean remote = warehouses > 1 && random.nextInt(100) < 15;
    int cw = remote ? otherThan(w) : w;
    int cd = remote ? 1 + random.nextInt(DISTRICTS) : d;
    int c = skewed(1023, CUSTOMERS);
    List<Access> touched = new ArrayList<>();
    touched.add(
        Access.write(0, "public.warehouse", row("w_id", w))
            .retyped("warehouse.w_ytd abelian.decimal_counter"));
    touched.add(
        Access.write(1, "public.district", row("d_w_id", w, "d_id", d))
            .retyped("district.d_ytd abelian.decimal_counter"));
    if (random.nextInt(100) < 60) {
      touched.add(
          Access.read(
              2, "public.customer", row("c_w_id", cw, "c_d_id", cd, "c_last", lastName(c))));
    }
    touched.add(Access.write(3, "public.customer", row("c_w_id", cw, "c_d_id", cd, "c_id", c)));
    touched.add(
        Access.write(
            4,
            "public.history",
            row("h_c_id", c, "h_c_d_id", cd, "h_c_w_id", cw, "h_d_id", d, "h_w_id", w)));
    writer.add("Payment", texts(w, d, cw, cd, c), true, touched);
  }

  private void orderStatus(TraceWriter writer, int w) {
    int d = 1 + random.nextInt(DISTRICTS);
    int c = skewed(1023, CUSTOMERS);
    int o = Math.max(1, nextOrder[w][d] - 1 - random.nextInt(20));
    List<Access> touched = new ArrayList<>();
    touched.add(Access.read(0, "public.customer", row("c_w_id", w, "c_d_id", d, "c_id", c)));
    touched.add(Access.read(1, "public.oorder", row("o_w_id", w, "o_d_id", d, "o_c_id", c)));
    touched.add(Access.read(2, "public.order_line", row("ol_w_id", w, "ol_d_id", d, "ol_o_id", o)));
    writer.add("OrderStatus", texts(w, d, c), true, touched);
  }

  private void delivery(TraceWriter writer, int w) {
    List<Access> touched = new ArrayList<>();
    int step = 0;
    for (int d = 1; d <= DISTRICTS; d++) {
      if (nextDelivery[w][d] >= nextOrder[w][d]) {
        continue;
      }
      int o = nextDelivery[w][d]++;
      int found = step;
      touched.add(
          Access.write(step++, "public.new_order", row("no_w_id", w, "no_d_id", d, "no_o_id", o)));
      touched.add(
          Access.write(step++, "public.oorder", row("o_w_id", w, "o_d_id", d, "o_id", o))
              .after(List.of(found)));
      for (int line = 1; line <= lines.getOrDefault(w + "," + d + "," + o, 10); line++) {
        touched.add(
            Access.write(
                    step++,
                    "public.order_line",
                    row("ol_w_id", w, "ol_d_id", d, "ol_o_id", o, "ol_number", line))
                .after(List.of(found)));
      }
      int c = skewed(1023, CUSTOMERS);
      touched.add(
          Access.write(step++, "public.customer", row("c_w_id", w, "c_d_id", d, "c_id", c))
              .after(List.of(found)));
    }
    writer.add("Delivery", texts(w), true, touched);
  }

  private void stockLevel(TraceWriter writer, int w) {
    int d = 1 + random.nextInt(DISTRICTS);
    List<Access> touched = new ArrayList<>();
    touched.add(Access.read(0, "public.district", row("d_w_id", w, "d_id", d)));
    int step = 1;
    for (int back = 1; back <= 20; back++) {
      int o = nextOrder[w][d] - back;
      touched.add(
          Access.read(step++, "public.order_line", row("ol_w_id", w, "ol_d_id", d, "ol_o_id", o)));
    }
    for (int i = 0; i < 20; i++) {
      touched.add(
          Access.read(step++, "public.stock", row("s_w_id", w, "s_i_id", skewed(8191, ITEMS))));
    }
    writer.add("StockLevel", texts(w, d), true, touched);
  }

  private int otherThan(int w) {
    int other = 1 + random.nextInt(warehouses - 1);
    return other < w ? other : other + 1;
  }

  /** TPC-C's NURand, whose constant C is 0. */
  private int skewed(int a, int n) {
    return ((random.nextInt(a + 1) | (1 + random.nextInt(n))) % n) + 1;
  }

  private static String lastName(int customer) {
    return "NAME" + customer % 1000;
  }

  /** Each warehouse with all its rows on one node, items everywhere. */
  @Override
  public Manual manual(int nodes) {
    Manual manual = Manual.empty().replicate("item");
    for (int w = 1; w <= warehouses; w++) {
      manual.lookups().map("warehouse").put("" + w, (int) ((w - 1L) * nodes / warehouses));
    }
    return manual
        .lookup("warehouse", "w_id", "warehouse")
        .lookup("district", "d_w_id", "warehouse")
        .lookup("customer", "c_w_id", "warehouse")
        .lookup("history", "h_w_id", "warehouse")
        .lookup("oorder", "o_w_id", "warehouse")
        .lookup("new_order", "no_w_id", "warehouse")
        .lookup("order_line", "ol_w_id", "warehouse")
        .lookup("stock", "s_w_id", "warehouse");
  }
}
