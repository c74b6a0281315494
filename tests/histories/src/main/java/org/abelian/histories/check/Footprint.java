package org.abelian.histories.check;

import java.util.List;
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

  Footprint withoutAdditions(int columns) {
    return new Footprint(id, incarnation, reads, sets, adds & ~columns, overwrites, inserts);
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
   * What it still depends on beside a transaction that commits these effects. Whoever has added to
   * a counter itself may overwrite it although others have added, too: they come after it, as if
   * their additions had queued for the row behind its own. What a transaction has read has a
   * footprint of its own.
   */
  Footprint behind(List<Footprint> written) {
    int added =
        written.stream()
            .filter(one -> one.id == id && one.incarnation.equals(incarnation))
            .mapToInt(Footprint::adds)
            .reduce(ColumnSet.NONE, (some, more) -> some | more);
    return new Footprint(id, incarnation, reads, sets, adds & ~added, overwrites, inserts);
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
