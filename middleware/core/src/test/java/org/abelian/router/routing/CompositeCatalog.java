package org.abelian.router.routing;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.PartitionFunction;

/** Three nodes; grid(a, b) and cells(x, y) by two numbers and one function; items everywhere. */
record CompositeCatalog(PartitionFunction function) {
  Colocation colocation() {
    int count = function.count();
    return new Colocation(
        7, IntStream.range(0, count).map(at -> 1 + at * 3 / count).toArray(), function);
  }

  Catalog catalog() {
    return new Catalog(
        5,
        List.of(new Node(1, "a", 1), new Node(2, "b", 1), new Node(3, "c", 1)),
        Map.of(
            new TableName("public", "grid"), placed("a", "b"),
            new TableName("public", "cells"), placed("x", "y"),
            new TableName("public", "items"), new Placement.Reference()));
  }

  private Placement placed(String one, String other) {
    return new Placement.Distributed(
        List.of(
            new KeyColumn(one, KeyKind.INTEGER, null), new KeyColumn(other, KeyKind.INTEGER, null)),
        colocation());
  }

  /** The node of a row; negative when there can be none. */
  int nodeOf(long one, long other) {
    int partition = function.partition(new KeyValue.Number(one), new KeyValue.Number(other));
    return partition < 0 ? partition : colocation().nodeOf(partition);
  }
}
