package org.abelian.workloads.tpcc.check;

import org.abelian.workloads.tpcc.schema.Scale;

/**
 * The conditions. C1 to C12 are those of clause 3.3.2; C11, which the specification states for the
 * initial population, counts deliveries here. A1 to A3 are our own.
 */
public enum Condition {
  C1("W_YTD = sum(D_YTD)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      long sum = w.districts.values().stream().mapToLong(d -> d.ytdCents).sum();
      v.expectEqualMoney(w.ytdCents, sum, "warehouse " + w.warehouse);
    }
  },
  C2("D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      w.districts.forEach(
          (id, d) -> {
            v.expectEqual(d.nextOrder - 1, highestOrder(w, id), place(w, id) + " orders");
            if (d.openOrders > 0) {
              v.expectEqual(d.nextOrder - 1, d.highestOpen, place(w, id) + " new orders");
            }
          });
    }
  },
  C3("max(NO_O_ID) - min(NO_O_ID) + 1 = count(NEW_ORDER)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      w.districts.forEach(
          (id, d) -> {
            if (d.openOrders > 0) {
              v.expectEqual(d.highestOpen - d.lowestOpen + 1, d.openOrders, place(w, id));
            }
          });
    }
  },
  C4("sum(O_OL_CNT) = count(ORDER_LINE)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (int id = 1; id <= Scale.DISTRICTS; id++) {
        int district = id;
        long declared =
            w.orders.values().stream()
                .filter(o -> o.district == district && o.exists)
                .mapToLong(o -> o.declaredLines)
                .sum();
        long lines =
            w.orders.values().stream()
                .filter(o -> o.district == district)
                .mapToLong(o -> o.lines)
                .sum();
        v.expectEqual(declared, lines, place(w, id));
      }
    }
  },
  C5("O_CARRIER_ID is null if and only if the order is in NEW_ORDER") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (OrderFacts o : w.orders.values()) {
        v.expect(
            o.exists ? o.hasCarrier != o.open : !o.open,
            () -> order(w, o) + (o.open ? " is open" : " is not open"));
      }
    }
  },
  C6("O_OL_CNT = count(ORDER_LINE) of the order") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (OrderFacts o : w.orders.values()) {
        v.expectEqual(o.declaredLines, o.lines, order(w, o));
      }
    }
  },
  C7("OL_DELIVERY_D is null if and only if O_CARRIER_ID is null") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (OrderFacts o : w.orders.values()) {
        v.expectEqual(o.hasCarrier ? o.lines : 0, o.deliveredLines, order(w, o));
      }
    }
  },
  C8("W_YTD = sum(H_AMOUNT)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      long paid = w.districts.values().stream().mapToLong(d -> d.paidCents).sum();
      v.expectEqualMoney(w.ytdCents, paid, "warehouse " + w.warehouse);
    }
  },
  C9("D_YTD = sum(H_AMOUNT)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      w.districts.forEach((id, d) -> v.expectEqualMoney(d.ytdCents, d.paidCents, place(w, id)));
    }
  },
  C10("C_BALANCE = sum(delivered OL_AMOUNT) - sum(H_AMOUNT)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (CustomerFacts c : w.customers.values()) {
        long expected = c.deliveredCents - cross.payments(w.warehouse, c).cents;
        v.expectEqualMoney(c.balanceCents, expected, customer(w, c));
      }
    }
  },
  C11("count(ORDERS) - count(NEW_ORDER) = initially delivered + sum(C_DELIVERY_CNT)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      w.districts.forEach(
          (id, d) -> {
            long orders =
                w.orders.values().stream().filter(o -> o.district == id && o.exists).count();
            long delivered = Populated.delivered(d) + d.deliveriesOfCustomers;
            v.expectEqual(orders - d.openOrders, delivered, place(w, id));
          });
    }
  },
  C12("C_BALANCE + C_YTD_PAYMENT = sum(delivered OL_AMOUNT)") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (CustomerFacts c : w.customers.values()) {
        v.expectEqualMoney(c.balanceCents + c.ytdPaymentCents, c.deliveredCents, customer(w, c));
      }
    }
  },
  A1("C_PAYMENT_CNT = count(HISTORY) of the customer") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (CustomerFacts c : w.customers.values()) {
        v.expectEqual(c.payments, cross.payments(w.warehouse, c).count, customer(w, c));
      }
    }
  },
  A2("C_DELIVERY_CNT = orders of the customer delivered since the load") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      for (CustomerFacts c : w.customers.values()) {
        v.expectEqual(c.deliveries, c.deliveredOrders, customer(w, c));
      }
    }
  },
  A3("S_YTD, S_ORDER_CNT and S_REMOTE_CNT = order lines supplied since the load") {
    @Override
    void check(WarehouseFacts w, CrossFacts cross, Violations v) {
      StockTotals supplied = cross.supplied(w.warehouse);
      v.expect(
          w.stock.sameAs(supplied),
          () -> "warehouse %d: %s and %s".formatted(w.warehouse, w.stock, supplied));
    }
  };

  private final String text;

  Condition(String text) {
    this.text = text;
  }

  /** The condition in words of the tables. */
  public String text() {
    return text;
  }

  /**
   * Judges one warehouse.
   *
   * @param cross facts of all warehouses
   */
  abstract void check(WarehouseFacts w, CrossFacts cross, Violations v);

  private static int highestOrder(WarehouseFacts w, int district) {
    return w.orders.values().stream()
        .filter(o -> o.district == district && o.exists)
        .mapToInt(o -> o.id)
        .max()
        .orElse(0);
  }

  private static String place(WarehouseFacts w, int district) {
    return "district %d/%d".formatted(w.warehouse, district);
  }

  private static String order(WarehouseFacts w, OrderFacts o) {
    return "order %d/%d/%d".formatted(w.warehouse, o.district, o.id);
  }

  private static String customer(WarehouseFacts w, CustomerFacts c) {
    return "customer %d/%d/%d".formatted(w.warehouse, c.district, c.id);
  }
}
