package org.abelian.router.analysis;

import java.util.List;

/**
 * What an INSERT inserts.
 *
 * @param relation the id of the target
 * @param columns of each row, in order
 * @param rows the values, aligned with columns, for {@link Source#VALUES}; {@link Value.Other}
 *     where a node computes it
 * @param rowSpans where each row stands in the text, parentheses included
 * @param valuesSpan from the first row's start to the last row's end; null unless there are rows
 * @param selected what the columns are given, aligned with columns, for {@link Source#SELECT}; may
 *     be empty
 */
public record InsertFacts(
    int relation,
    Source source,
    List<String> columns,
    List<List<Value>> rows,
    List<Span> rowSpans,
    Span valuesSpan,
    List<Value> selected) {
  /** Where the rows come from. */
  public enum Source {
    VALUES,
    SELECT,
    DEFAULT
  }

  /** Copies the lists. */
  public InsertFacts {
    columns = List.copyOf(columns);
    rows = rows.stream().map(List::copyOf).toList();
    rowSpans = List.copyOf(rowSpans);
    selected = List.copyOf(selected);
  }
}
