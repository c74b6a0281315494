package org.abelian.histories.lists;

import java.util.List;

/**
 * What happened.
 *
 * @param end what was read of everything after all had ended and recovery was done
 */
public record ListHistory(List<Recorded> transactions, Observation end) {
  /** Copies the list. */
  public ListHistory {
    transactions = List.copyOf(transactions);
  }
}
