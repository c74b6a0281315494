package org.abelian.workloads.tpcc.check;

/**
 * A journal compared with the database.
 *
 * @param acknowledged acknowledged commits, each of which must be there once
 * @param rolledBack reported rollbacks, none of which may be there
 * @param undecided attempts without a verdict, which may be there once
 */
public record JournalFindings(
    Violations acknowledged, Violations rolledBack, Violations undecided) {
  /** True when nothing acknowledged is missing, nothing is there twice, no rollback is there. */
  public boolean holds() {
    return acknowledged.count() + rolledBack.count() + undecided.count() == 0;
  }
}
