package org.abelian.router.analysis;

import java.util.List;

/**
 * What an INSERT inserts.
 *
 * @param relation the id of the target
 * @param columns of each row, in order
 * @param rows the values, aligned with columns; {@link Value.Other} where a node computes it. For
 *     {@link Source#SELECT} one row that stands for all. Distribution columns that get NULL since
 *     they are not given are among them
 * @param rowSpans where each row of VALUES stands in the text, parentheses included
 * @param valuesSpan from the first row's start to the last row's end; null unless there are such
 *     rows
 * @param keyLinks for {@link Source#SELECT}: tables that are read of which all distribution columns
 *     always equal those of the row that is inserted, pair by pair; each by its first one
 * @param conflict the columns of the unique index that ON CONFLICT asks for, empty names for
 *     expressions; none for any index. Null without ON CONFLICT, and where it names a constraint
 */
public record InsertFacts(
    int relation,
    Source source,
    List<String> columns,
    List<List<Value>> rows,
    List<Span> rowSpans,
    Span valuesSpan,
    List<ColumnReference> keyLinks,
    List<String> conflict) {
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
    keyLinks = List.copyOf(keyLinks);
    conflict = conflict == null ? null : List.copyOf(conflict);
  }

  /** What an INSERT without ON CONFLICT inserts. */
  public InsertFacts(
      int relation,
      Source source,
      List<String> columns,
      List<List<Value>> rows,
      List<Span> rowSpans,
      Span valuesSpan,
      List<ColumnReference> keyLinks) {
    this(relation, source, columns, rows, rowSpans, valuesSpan, keyLinks, null);
  }
}
