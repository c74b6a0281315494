package org.abelian.histories.check;

import java.util.List;
import org.abelian.histories.program.Queueing;
import org.abelian.histories.run.Execution;
import org.abelian.histories.run.History;

/** Finds errors that plain columns do not have. */
public final class Needless {
  private Needless() {}

  /** Whether a statement failed where transactions over plain columns would have queued. */
  public static boolean errorIn(History history) {
    return Queueing.isAllOf(history.program())
        && history.sessions().stream().flatMap(List::stream).anyMatch(Needless::failed);
  }

  private static boolean failed(Execution execution) {
    return execution.end().failed()
        || execution.statements().stream().anyMatch(outcome -> outcome.failed());
  }
}
