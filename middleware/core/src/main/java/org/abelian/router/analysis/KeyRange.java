package org.abelian.router.analysis;

import java.util.List;
import org.abelian.router.placement.Condition.Comparison;

/**
 * Between which values a distribution column must lie for a row to matter. Comparisons are in an
 * order that placement functions share.
 *
 * @param bounds each of them holds
 */
public record KeyRange(ColumnReference column, List<Bound> bounds) {
  /** How the column stands to a value. */
  public record Bound(Comparison comparison, Value value) {}

  /** Copies the list. */
  public KeyRange {
    bounds = List.copyOf(bounds);
  }
}
