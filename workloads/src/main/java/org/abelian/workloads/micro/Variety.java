package org.abelian.workloads.micro;

import java.util.Map;

/** How transactions are kept apart. */
public enum Variety {
  /** Plain columns: an operation locks the row, a read locks it FOR SHARE. */
  ROW_LOCKS("row locks", true, true, Map.of()),
  /** Plain columns at SERIALIZABLE: nobody locks what is read, and clients try again. */
  RETRYING(
      "serializable, retrying",
      true,
      true,
      Map.of("default_transaction_isolation", "serializable")),
  /** Abelian columns: a read holds off operations, operations pass each other. */
  LOCKS(
      "abstract locks", false, true, Map.of("abelian.strict_reads", "on", "abelian.phaser", "off")),
  /** The same, grouped into phases. */
  PHASER(
      "abstract locks + phaser",
      false,
      true,
      Map.of("abelian.strict_reads", "on", "abelian.phaser", "on")),
  /** Each operation and each read alone: nothing is held from one to the next. */
  NONE("no transactions", false, false, Map.of("abelian.strict_reads", "off"));

  private final String label;
  private final boolean plain;
  private final boolean transactions;
  private final Map<String, String> settings;

  Variety(String label, boolean plain, boolean transactions, Map<String, String> settings) {
    this.label = label;
    this.plain = plain;
    this.transactions = transactions;
    this.settings = settings;
  }

  /** As tables and pictures name it. */
  public String label() {
    return label;
  }

  boolean isPlain() {
    return plain;
  }

  boolean hasTransactions() {
    return transactions;
  }

  /** What a read says behind its statement, so that what it has read stays true. */
  String lockingClause() {
    return this == ROW_LOCKS ? " FOR SHARE" : "";
  }

  /** As start-up options of a session. */
  String settings() {
    StringBuilder options = new StringBuilder();
    settings.forEach((name, value) -> options.append("-c %s=%s ".formatted(name, value)));
    return options.toString();
  }
}
