package org.abelian.workloads.tpcc.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.abelian.workloads.tpcc.random.NuRandConstants;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;
import org.junit.jupiter.api.Test;

class InputGeneratorTest {
  private static final long SEED = 17;
  private static final int DRAWS = 40_000;
  private static final Scale SCALE = Scale.specified(4);

  private static InputGenerator generator(HomeWarehouse home, Scale scale, int terminal) {
    TpccRandom random = new TpccRandom(SEED);
    return new InputGenerator(
        scale, new InputOptions(home, 1, 15, 1), NuRandConstants.forRun(random), random, terminal);
  }

  @Test
  void aTerminalKeepsItsWarehouseUnlessToldOtherwise() {
    InputGenerator fixed = generator(HomeWarehouse.FIXED, SCALE, 6);
    for (int i = 0; i < 1000; i++) {
      assertEquals(3, fixed.next(TransactionType.PAYMENT).warehouse());
    }
  }

  @Test
  void zipfMakesTheFirstWarehouseTheBusiest() {
    InputGenerator zipf = generator(HomeWarehouse.ZIPF, SCALE, 0);
    int[] counts = new int[5];
    for (int i = 0; i < DRAWS; i++) {
      counts[zipf.next(TransactionType.DELIVERY).warehouse()]++;
    }
    assertTrue(counts[1] > counts[2] && counts[2] > counts[3], "seed " + SEED);
  }

  @Test
  void remoteSharesAndRollbacksAreAsSpecified() {
    InputGenerator generator = generator(HomeWarehouse.FIXED, SCALE, 0);
    int remoteLines = 0;
    int lines = 0;
    int rollbacks = 0;
    int remotePayments = 0;
    for (int i = 0; i < DRAWS; i++) {
      NewOrderInput order = (NewOrderInput) generator.next(TransactionType.NEW_ORDER);
      lines += order.lines().size();
      remoteLines += (int) order.lines().stream().filter(l -> l.supplyWarehouse() != 1).count();
      rollbacks += order.lines().stream().anyMatch(l -> l.item() > SCALE.items()) ? 1 : 0;
      PaymentInput payment = (PaymentInput) generator.next(TransactionType.PAYMENT);
      remotePayments += payment.customer().warehouse() != 1 ? 1 : 0;
    }
    assertEquals(0.01, (double) remoteLines / lines, 0.001, "seed " + SEED);
    assertEquals(0.01, (double) rollbacks / DRAWS, 0.002, "seed " + SEED);
    assertEquals(0.15, (double) remotePayments / DRAWS, 0.006, "seed " + SEED);
  }

  @Test
  void ordersHaveFiveToFifteenLines() {
    InputGenerator generator = generator(HomeWarehouse.UNIFORM, SCALE, 0);
    int sum = 0;
    for (int i = 0; i < DRAWS; i++) {
      int lines = ((NewOrderInput) generator.next(TransactionType.NEW_ORDER)).lines().size();
      assertTrue(lines >= 5 && lines <= 15, "seed " + SEED);
      sum += lines;
    }
    assertEquals(10, (double) sum / DRAWS, 0.1, "seed " + SEED);
  }

  @Test
  void sixtyPercentOfPaymentsNameTheCustomerByLastName() {
    InputGenerator generator = generator(HomeWarehouse.FIXED, SCALE, 0);
    int byName = 0;
    for (int i = 0; i < DRAWS; i++) {
      PaymentInput payment = (PaymentInput) generator.next(TransactionType.PAYMENT);
      byName += payment.customer().isByName() ? 1 : 0;
    }
    assertEquals(0.6, (double) byName / DRAWS, 0.01, "seed " + SEED);
  }

  @Test
  void aSingleWarehouseHasNoRemoteOne() {
    InputGenerator generator = generator(HomeWarehouse.FIXED, Scale.specified(1), 3);
    for (int i = 0; i < 5000; i++) {
      PaymentInput payment = (PaymentInput) generator.next(TransactionType.PAYMENT);
      assertEquals(1, payment.customer().warehouse());
    }
    assertNotEquals(0, generator.next(TransactionType.STOCK_LEVEL).warehouse());
  }
}
