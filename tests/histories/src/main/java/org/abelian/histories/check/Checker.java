package org.abelian.histories.check;

import org.abelian.histories.program.Level;
import org.abelian.histories.run.History;

/** Decides whether a history is legal over plain columns at the level it ran at. */
public final class Checker {
  private Checker() {}

  public static Verdict check(History history, Reads reads) {
    Verdict snapshots = new CommitOrder(history, reads).search();
    if (snapshots != Verdict.LEGAL || history.program().level() != Level.SERIALIZABLE) {
      return snapshots;
    }
    return new SerialOrder(history).exists() ? Verdict.LEGAL : Verdict.NO_SERIAL_ORDER;
  }
}
