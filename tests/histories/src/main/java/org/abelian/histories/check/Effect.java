package org.abelian.histories.check;

import java.util.List;
import org.abelian.histories.program.Assignment;
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
