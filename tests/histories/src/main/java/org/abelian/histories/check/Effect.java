package org.abelian.histories.check;

import java.util.List;
import java.util.Set;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Row;

/**
 * What a statement did to one row, with all expressions evaluated.
 *
 * @param inserted the new row, or null
 * @param deleted whether the row is gone
 * @param changes changed columns, empty for a mere lock
 */
record Effect(Footprint footprint, Row inserted, boolean deleted, List<Change> changes) {
  /**
   * The same without additions of elements that the set has: whoever relies on their being there
   * need not know of them.
   *
   * @param row as it was before
   */
  Effect withoutIdleAdditions(Row row) {
    int idle = ColumnSet.NONE;
    for (Change change : changes) {
      Assignment one = change.assignment();
      boolean adds = one.kind() == Assignment.Kind.ADD && one.target() == Column.TAGS;
      if (adds && row.get(Column.TAGS) instanceof Set<?> tags && tags.contains(one.element())) {
        idle |= ColumnSet.of(Column.TAGS, one.element());
      }
    }
    return idle == ColumnSet.NONE
        ? this
        : new Effect(footprint.withoutAdditions(idle), inserted, deleted, changes);
  }

  /**
   * An assignment with the new value, or the operand of its operation; an added NULL makes the
   * value NULL.
   */
  record Change(Assignment assignment, Object evaluated) {
    Row applyTo(Row row) {
      return row.with(
          assignment.target(), assignment.after(row.get(assignment.target()), evaluated));
    }
  }
}
