package org.abelian.router.routing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.PartitionFunction;

/**
 * Finds the node that a gathered row goes to, by the value of one of its columns: the node where a
 * table keeps the rows with that key, or one chosen by the value's hash. A row that can match
 * nothing, such as one with NULL there, goes to the first node, since an outer join may still need
 * it.
 */
public final class SplitTargets {
  private SplitTargets() {}

  /**
   * For each part that is divided, what finds the target of a row: an index into the nodes.
   *
   * @param nodes ids
   */
  public static Map<Integer, ToIntFunction<byte[][]>> of(
      List<MergeFacts.Split> splits, Catalog catalog, List<Integer> nodes) {
    Map<Integer, ToIntFunction<byte[][]>> targets = new HashMap<>();
    for (MergeFacts.Split split : splits) {
      targets.put(
          split.part(),
          split.isByHash() ? byHash(split, nodes.size()) : like(split, catalog, nodes));
    }
    return targets;
  }

  private static ToIntFunction<byte[][]> byHash(MergeFacts.Split split, int nodes) {
    KeyReader reader = new KeyReader(new KeyColumn("", kind(split.type()), null));
    HashFunction function = new HashFunction(nodes);
    return row -> Math.max(partition(reader, split, row, function), 0);
  }

  private static KeyKind kind(int type) {
    return switch (type) {
      case PgType.INT2, PgType.INT4, PgType.INT8 -> KeyKind.INTEGER;
      case PgType.TEXT, PgType.VARCHAR -> KeyKind.TEXT;
      case PgType.UUID -> KeyKind.UUID;
      default -> throw new IllegalArgumentException("rows are not divided by type " + type);
    };
  }

  private static ToIntFunction<byte[][]> like(
      MergeFacts.Split split, Catalog catalog, List<Integer> nodes) {
    TableName table = new TableName(split.schema(), split.table());
    Placement.Distributed placement =
        catalog
            .placement(table)
            .filter(Placement.Distributed.class::isInstance)
            .map(Placement.Distributed.class::cast)
            .filter(Placement.Distributed::hasOneColumn)
            .orElseThrow(() -> new IllegalStateException(table + " is not distributed"));
    Colocation colocation = placement.colocation();
    KeyReader reader = new KeyReader(placement.columns().get(0));
    return row -> {
      int partition = partition(reader, split, row, colocation.function());
      return partition < 0 ? 0 : Math.max(nodes.indexOf(colocation.nodeOf(partition)), 0);
    };
  }

  private static int partition(
      KeyReader reader, MergeFacts.Split split, byte[][] row, PartitionFunction function) {
    return reader.read(TextValues.ofBytes(row), split.column() + 1, split.type(), function);
  }
}
