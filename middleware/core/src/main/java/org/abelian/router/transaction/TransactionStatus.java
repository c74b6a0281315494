package org.abelian.router.transaction;

/** What a node says about one of its transactions, as abelian.transaction_outcome() words it. */
public enum TransactionStatus {
  COMMITTED("committed"),
  ABORTED("aborted"),
  IN_PROGRESS("in progress"),
  /** No node has that token, or it is too old for the node to remember. */
  UNKNOWN("unknown");

  private final String text;

  TransactionStatus(String text) {
    this.text = text;
  }

  /** The word that SQL shows. */
  public String text() {
    return text;
  }

  /** The status for SQL's word; UNKNOWN for any other. */
  public static TransactionStatus of(String text) {
    for (TransactionStatus status : values()) {
      if (status.text.equals(text)) {
        return status;
      }
    }
    return UNKNOWN;
  }
}
