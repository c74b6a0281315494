package org.abelian.histories.check;

import java.math.BigDecimal;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Row;

/**
 * What a statement did to one row, with all expressions evaluated.
 *
 * @param inserted the new row, or null
 * @param deleted whether the row is gone
 * @param changes changed columns, empty for a mere lock
 */
record Effect(Footprint footprint, Row inserted, boolean deleted, List<Change> changes) {
  /** A column's new value, or the amount added to it; an added NULL makes the value NULL. */
  record Change(Column column, boolean add, Object operand) {
    Row applyTo(Row row) {
      return row.with(
          column, add ? Assignment.sum(row.number(column), (BigDecimal) operand) : operand);
    }
  }
}
