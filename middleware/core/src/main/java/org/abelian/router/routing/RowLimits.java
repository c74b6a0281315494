package org.abelian.router.routing;

import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;

/** LIMIT and OFFSET of a statement that takes any of the rows that nodes give. */
final class RowLimits {
  private static final KeyReader NUMBER = new KeyReader(new KeyColumn("", KeyKind.INTEGER, null));

  private final KeySource limit;
  private final KeySource offset;

  private RowLimits(KeySource limit, KeySource offset) {
    this.limit = limit;
    this.offset = offset;
  }

  /** Null when the statement does not take any rows, or only a node can compute how many. */
  static RowLimits of(StatementFacts facts) {
    MergeFacts merge = facts.merge();
    if (merge == null || merge.window() == null) {
      return null;
    }
    KeySource limit = source(merge.window().limit(), facts);
    KeySource offset = source(merge.window().offset(), facts);
    return limit == null || offset == null ? null : new RowLimits(limit, offset);
  }

  private static KeySource source(Value value, StatementFacts facts) {
    return KeySource.of(value, NUMBER, facts);
  }

  /** What they are with these values; null when they are nothing that PostgreSQL accepts. */
  Route.Window window(BoundValues values) {
    try {
      long rows = read(limit, values, Long.MAX_VALUE);
      long skipped = read(offset, values, 0);
      return rows < 0 || skipped < 0 ? null : new Route.Window(skipped, rows);
    } catch (AbelianException unreadable) {
      return null; // The nodes read it, or say what is wrong with it.
    }
  }

  private static long read(KeySource source, BoundValues values, long ofNull) {
    KeyCollector collector = new KeyCollector();
    int read = source.read(values, collector);
    if (read == KeyReader.NULL) {
      return ofNull;
    }
    return read < 0 ? -1 : ((KeyValue.Number) collector.value()).value();
  }
}
