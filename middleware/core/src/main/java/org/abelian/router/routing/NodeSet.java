package org.abelian.router.routing;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A set of node ids. Immutable; few elements. */
final class NodeSet {
  static final NodeSet NONE = new NodeSet(new int[0]);

  private final int[] ids;

  private NodeSet(int[] ids) {
    this.ids = ids;
  }

  /** The set of these ids, in any order and with repetitions. */
  static NodeSet of(int... ids) {
    if (ids.length < 2) {
      return new NodeSet(ids);
    }
    return new NodeSet(Arrays.stream(ids).sorted().distinct().toArray());
  }

  boolean isEmpty() {
    return ids.length == 0;
  }

  boolean isSingle() {
    return ids.length == 1;
  }

  /** The smallest id. */
  int first() {
    return ids[0];
  }

  boolean contains(int id) {
    return Arrays.binarySearch(ids, id) >= 0;
  }

  NodeSet union(NodeSet that) {
    if (isEmpty() || that == this) {
      return that;
    }
    if (that.isEmpty() || Arrays.equals(ids, that.ids)) {
      return this;
    }
    return of(IntStream.concat(Arrays.stream(ids), Arrays.stream(that.ids)).toArray());
  }

  NodeSet intersect(NodeSet that) {
    return new NodeSet(Arrays.stream(ids).filter(that::contains).toArray());
  }

  /** Ascending. */
  List<Integer> asList() {
    return Arrays.stream(ids).boxed().toList();
  }
}
