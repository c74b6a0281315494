package org.abelian.histories.order;

import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.lists.ListHistory;

/** Says what is wrong with a history. */
public final class ListChecker {
  private static final int COMPLAINTS_MAX = 20;

  private ListChecker() {}

  /** Each promise that the history breaks, in words; empty when it keeps all. */
  public static List<String> complaints(ListHistory history) {
    List<String> complaints = new ArrayList<>();
    Effects effects = new Effects(history, complaints);
    new Reads(history, effects, complaints).check();
    if (complaints.isEmpty()) {
      // The order of transactions can be told only when the lists make sense.
      new SerialOrder(history, effects, complaints).check();
    }
    return complaints.size() > COMPLAINTS_MAX ? complaints.subList(0, COMPLAINTS_MAX) : complaints;
  }
}
