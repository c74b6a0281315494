package org.abelian.histories.check;

import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Row;

/**
 * What a statement's effect on one row depends on and changes, as {@link ColumnSet}s. From the
 * moment at which the effect is decided until the transaction ends, nobody else may commit anything
 * that interferes with it: this is the promise of PostgreSQL's row lock, less what commutes.
 *
 * @param reads columns that decided whether and how the row was changed or that were returned
 * @param sets columns overwritten with another value; all if the row was inserted or deleted
 * @param adds counter columns added to
 * @param overwrites whether any column was overwritten, perhaps with the value that it had
 * @param inserts whether the row was inserted
 */
record Footprint(
    int id,
    String incarnation,
    int reads,
    int sets,
    int adds,
    boolean overwrites,
    boolean inserts) {
  /** Of something that only relies on columns. */
  static Footprint reading(Row row, int reads) {
    return new Footprint(
        row.id(), row.incarnation(), reads, ColumnSet.NONE, ColumnSet.NONE, false, false);
  }

  boolean writes() {
    return overwrites || (sets | adds) != ColumnSet.NONE;
  }

  /**
   * Whether this effect, which another transaction has committed since the snapshot, forbids the
   * given one. An addition to an element reads nothing: it comes after what was put or removed.
   */
  boolean outdates(Footprint other) {
    return interferesWith(
        new Footprint(
            other.id,
            other.incarnation,
            other.reads,
            other.sets,
            other.adds & ~ColumnSet.ELEMENTS,
            other.overwrites,
            other.inserts));
  }

  /**
   * What it still depends on where additions take place when their transaction commits: they come
   * after whatever was committed before, be it overwritten. What the transaction has read of them
   * has a footprint of its own.
   */
  Footprint withoutAdditions() {
    return new Footprint(id, incarnation, reads, sets, ColumnSet.NONE, overwrites, inserts);
  }

  /** Whether this committed effect of another transaction invalidates the given one. */
  boolean interferesWith(Footprint other) {
    if (inserts && other.inserts && id == other.id) {
      return true;
    }
    if (!incarnation.equals(other.incarnation)) {
      return false;
    }
    boolean bothOverwrite = overwrites && other.overwrites;
    boolean replaces = (sets & (other.reads | other.sets | other.adds)) != ColumnSet.NONE;
    boolean adjusts = (adds & (other.reads | other.sets)) != ColumnSet.NONE;
    return bothOverwrite || replaces || adjusts;
  }
}
