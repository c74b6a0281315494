package org.abelian.router.routing;

import java.util.List;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.KeyCollector;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.PartitionFunction;

/**
 * The key of a row that is stored.
 *
 * @param columns the source of each distribution column, in their order
 */
record RowKey(RelationFacts table, Placement.Distributed placement, List<KeySource> columns) {
  /** Copies the list. */
  RowKey {
    columns = List.copyOf(columns);
  }

  /**
   * The partition, or {@link KeyReader#NO_MATCH} or {@link PartitionFunction#UNCOVERED}; of a table
   * with several distribution columns also {@link KeyReader#NULL}.
   */
  int partition(BoundValues values) {
    if (columns.size() == 1) {
      int read = columns.get(0).read(values, placement.colocation().function());
      return read == KeyReader.NULL ? PartitionFunction.OF_NULL : read;
    }
    KeyCollector collector = new KeyCollector();
    KeyValue[] key = new KeyValue[columns.size()];
    for (int at = 0; at < key.length; at++) {
      int read = columns.get(at).read(values, collector);
      if (read < 0) {
        return read;
      }
      key[at] = collector.value();
    }
    return placement.colocation().function().partition(key);
  }

  /**
   * The node of the row; any for one that a node refuses, as PostgreSQL does.
   *
   * @throws AbelianException when there can be no such row
   */
  int node(BoundValues values) {
    int partition = partition(values);
    if (partition == KeyReader.NULL && table.keyNotNull()) {
      return placement.colocation().nodeOf(0);
    }
    if (partition < 0) {
      throw refusal(values);
    }
    return placement.colocation().nodeOf(partition);
  }

  /** The first column whose value no row can have, from 0; -1 when there is none. */
  int impossible(BoundValues values) {
    KeyCollector collector = new KeyCollector();
    for (int at = 0; at < columns.size(); at++) {
      if (columns.get(at).read(values, collector) < 0) {
        return at;
      }
    }
    return -1;
  }

  private AbelianException refusal(BoundValues values) {
    int column = impossible(values);
    if (column < 0) {
      return Refusals.keyUncovered(table, placement.columnNames());
    }
    String name = placement.columns().get(column).name();
    return columns.get(column).read(values, new KeyCollector()) == KeyReader.NULL
        ? Refusals.keyNull(table, name)
        : Refusals.keyInexact(table, name);
  }
}
