package org.abelian.workloads.tpcc.input;

/** The five transactions with their share of the mix and their waits (clauses 5.2.3, 5.2.5). */
public enum TransactionType {
  NEW_ORDER("new_order", 45, 10, 18, 12),
  PAYMENT("payment", 43, 10, 3, 12),
  ORDER_STATUS("order_status", 4, 1, 2, 10),
  DELIVERY("delivery", 4, 1, 2, 5),
  STOCK_LEVEL("stock_level", 4, 1, 2, 5);

  private final String label;
  private final int percent;
  private final int cards;
  private final int keyingSeconds;
  private final int meanThinkSeconds;

  TransactionType(String label, int percent, int cards, int keyingSeconds, int meanThinkSeconds) {
    this.label = label;
    this.percent = percent;
    this.cards = cards;
    this.keyingSeconds = keyingSeconds;
    this.meanThinkSeconds = meanThinkSeconds;
  }

  /** Name in tables, JSON and journals. */
  public String label() {
    return label;
  }

  /** Share in a weighted mix, in percent. */
  public int percent() {
    return percent;
  }

  /** Cards in a deck of 23 (clause 5.2.4.2). */
  public int cards() {
    return cards;
  }

  /** Minimal keying time in seconds. */
  public int keyingSeconds() {
    return keyingSeconds;
  }

  /** Mean of the think time in seconds. */
  public int meanThinkSeconds() {
    return meanThinkSeconds;
  }
}
