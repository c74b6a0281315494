package org.abelian.workloads.tpcc.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A warehouse of one district with ten customers, consistent until a test breaks it. */
class ConditionTest {
  private final WarehouseFacts warehouse = new WarehouseFacts(1);
  private final CrossFacts cross = new CrossFacts();

  ConditionTest() {
    DistrictFacts district = warehouse.district(1);
    district.customers = 10;
    district.nextOrder = 11;
    district.lowestOpen = 8;
    district.highestOpen = 10;
    district.openOrders = 3;
    for (int id = 1; id <= 10; id++) {
      OrderFacts order = warehouse.order(1, id);
      order.exists = true;
      order.customer = id;
      order.declaredLines = 5;
      order.lines = 5;
      order.open = id >= 8;
      order.hasCarrier = id < 8;
      order.deliveredLines = order.hasCarrier ? 5 : 0;
      CustomerFacts customer = warehouse.customer(1, id);
      customer.balanceCents = -1000;
      customer.ytdPaymentCents = 1000;
      customer.payments = 1;
      cross.addPayments(1, 1, id, 1000, 1);
      district.paidCents += 1000;
    }
    district.ytdCents = district.paidCents;
    warehouse.ytdCents = district.paidCents;
  }

  private Set<Condition> violated() {
    Set<Condition> violated = EnumSet.noneOf(Condition.class);
    for (Condition condition : Condition.values()) {
      Violations violations = new Violations();
      condition.check(warehouse, cross, violations);
      assertTrue(violations.checked() > 0, condition + " looked at nothing");
      if (violations.count() > 0) {
        violated.add(condition);
      }
    }
    return violated;
  }

  private void assertBreaks(
      BiConsumer<WarehouseFacts, CrossFacts> damage, Condition... conditions) {
    damage.accept(warehouse, cross);
    assertEquals(EnumSet.copyOf(List.of(conditions)), violated());
  }

  @Test
  void aConsistentWarehouseViolatesNothing() {
    assertEquals(Set.of(), violated());
  }

  @Test
  void anAdditionLostOnTheWarehouseBreaksC1AndC8() {
    assertBreaks((w, c) -> w.ytdCents -= 100, Condition.C1, Condition.C8);
  }

  @Test
  void aGapInOrderNumbersBreaksC2() {
    assertBreaks((w, c) -> w.district(1).nextOrder++, Condition.C2);
  }

  @Test
  void aGapInNewOrdersBreaksC3() {
    assertBreaks((w, c) -> w.district(1).lowestOpen = 7, Condition.C3);
  }

  @Test
  void aMissingOrderLineBreaksC4AndC6() {
    assertBreaks((w, c) -> w.order(1, 9).lines--, Condition.C4, Condition.C6);
  }

  @Test
  void anUndeliveredOrderOutsideNewOrderBreaksC5() {
    assertBreaks((w, c) -> w.order(1, 9).open = false, Condition.C5);
  }

  @Test
  void aDeliveryDateOnAnOpenOrderBreaksC7() {
    assertBreaks((w, c) -> w.order(1, 9).deliveredLines = 1, Condition.C7);
  }

  @Test
  void anAdditionLostOnTheDistrictBreaksC1AndC9() {
    assertBreaks((w, c) -> w.district(1).ytdCents--, Condition.C1, Condition.C9);
  }

  @Test
  void aLostPaymentOnABalanceBreaksC10AndC12() {
    assertBreaks((w, c) -> w.customer(1, 4).balanceCents++, Condition.C10, Condition.C12);
  }

  @Test
  void aDeliveryNotCountedBreaksC11() {
    assertBreaks((w, c) -> w.district(1).deliveriesOfCustomers++, Condition.C11);
  }

  @Test
  void aLostYtdPaymentBreaksC12Alone() {
    assertBreaks((w, c) -> w.customer(1, 4).ytdPaymentCents++, Condition.C12);
  }

  @Test
  void aLostPaymentCountBreaksA1() {
    assertBreaks((w, c) -> w.customer(1, 4).payments++, Condition.A1);
  }

  @Test
  void aLostDeliveryCountBreaksA2() {
    assertBreaks((w, c) -> w.customer(1, 4).deliveries++, Condition.A2);
  }

  @Test
  void stockThatNoOrderLineTookBreaksA3() {
    assertBreaks((w, c) -> w.stock.quantity++, Condition.A3);
  }

  @Test
  void everyConditionIsBrokenByATest() {
    List<BiConsumer<WarehouseFacts, CrossFacts>> damages = new ArrayList<>();
    damages.add((w, c) -> w.ytdCents -= 100);
    damages.add((w, c) -> w.district(1).nextOrder++);
    damages.add((w, c) -> w.district(1).lowestOpen = 7);
    damages.add((w, c) -> w.order(1, 9).lines--);
    damages.add((w, c) -> w.order(1, 9).open = false);
    damages.add((w, c) -> w.order(1, 9).deliveredLines = 1);
    damages.add((w, c) -> w.district(1).ytdCents--);
    damages.add((w, c) -> w.customer(1, 4).balanceCents++);
    damages.add((w, c) -> w.district(1).deliveriesOfCustomers++);
    damages.add((w, c) -> w.customer(1, 4).payments++);
    damages.add((w, c) -> w.customer(1, 4).deliveries++);
    damages.add((w, c) -> w.stock.quantity++);
    damages.forEach(damage -> damage.accept(warehouse, cross));
    assertEquals(EnumSet.allOf(Condition.class), violated());
  }
}
