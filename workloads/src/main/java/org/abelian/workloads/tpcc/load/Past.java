package org.abelian.workloads.tpcc.load;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import org.abelian.workloads.tpcc.random.TpccRandom;

/**
 * What the initial rows tell of the time before the load.
 *
 * <p>As specified they tell little (clause 4.3.3.1): all was entered and delivered in the moment of
 * the load, deliveries earned nothing, and nobody ordered from the stock. That is enough for
 * transactions, while analytical queries would mostly find zeros.
 */
public final class Past {
  private static final int DAYS = 5 * 365;
  private static final int QUANTITY = 5;
  private static final int QUANTITY_MAX = 10;
  private static final int AMOUNT_MAX_CENTS = 999_999;
  private static final int ORDERS_OF_FIRST_ITEM = 100_000;

  private final LocalDateTime now;
  private final boolean told;

  private Past(LocalDateTime now, boolean told) {
    this.now = now;
    this.told = told;
  }

  /** The initial rows of the specification, loaded now. */
  public static Past specified() {
    return new Past(LocalDateTime.now().truncatedTo(ChronoUnit.MICROS), false);
  }

  /** Five years of orders and deliveries until that moment. */
  public static Past until(LocalDateTime now) {
    return new Past(now, true);
  }

  /** When the load happens. */
  LocalDateTime now() {
    return now;
  }

  /**
   * When an order was entered.
   *
   * @param order number from 1
   * @param orders of its district
   */
  LocalDateTime entered(int order, int orders) {
    return told ? now.minusMinutes(DAYS * 24L * 60 * (orders - order) / orders) : now;
  }

  /** When a line of an order that was entered then was delivered. */
  LocalDateTime delivered(LocalDateTime entered, int line) {
    return told ? entered.plusDays(line) : entered;
  }

  BigDecimal deliveredAmount(TpccRandom random) {
    return told ? amount(random) : BigDecimal.valueOf(0, 2);
  }

  BigDecimal amount(TpccRandom random) {
    return BigDecimal.valueOf(random.uniform(1, AMOUNT_MAX_CENTS), 2);
  }

  int quantity(TpccRandom random) {
    return told ? random.uniform(1, QUANTITY_MAX) : QUANTITY;
  }

  /** How often an item was ordered from a stock: the popular ones have the low numbers. */
  int ordersOf(int item) {
    return told ? ORDERS_OF_FIRST_ITEM / item : 0;
  }
}
