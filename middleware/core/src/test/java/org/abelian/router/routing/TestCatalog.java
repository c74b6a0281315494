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
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.PartitionHash;

/**
 * Three nodes; orders(o_w) and lines(l_w) by one number, people(name) and pets(owner) by one text,
 * items everywhere; notes lies on the first node only.
 */
final class TestCatalog {
  static final int PARTITIONS = 32;
  static final Colocation BY_NUMBER = colocation(1);
  static final Colocation BY_TEXT = colocation(2);

  private TestCatalog() {}

  private static Colocation colocation(int id) {
    return new Colocation(
        id,
        IntStream.range(0, PARTITIONS).map(at -> 1 + at * 3 / PARTITIONS).toArray(),
        new HashFunction(PARTITIONS));
  }

  static Catalog threeNodes() {
    return catalog(List.of(new Node(1, "a", 1), new Node(2, "b", 1), new Node(3, "c", 1)));
  }

  static Catalog oneNode() {
    return catalog(List.of(new Node(1, "a", 1)));
  }

  private static Catalog catalog(List<Node> nodes) {
    KeyKind number = KeyKind.INTEGER;
    KeyKind text = KeyKind.TEXT;
    return new Catalog(
        5,
        nodes,
        Map.of(
            name("orders"), placed("o_w", number, BY_NUMBER),
            name("lines"), placed("l_w", number, BY_NUMBER),
            name("people"), placed("name", text, BY_TEXT),
            name("pets"), placed("owner", text, BY_TEXT),
            name("items"), new Placement.Reference(),
            name("regions"), new Placement.Reference()));
  }

  private static Placement placed(String column, KeyKind kind, Colocation colocation) {
    return new Placement.Distributed(List.of(new KeyColumn(column, kind, null)), colocation);
  }

  private static TableName name(String table) {
    return new TableName("public", table);
  }

  /** The node of a number as a key. */
  static int nodeOf(long key) {
    return BY_NUMBER.nodeOf(PartitionHash.partition(key, PARTITIONS));
  }

  /** Where the rows lie that have NULL in the distribution column. */
  static final int NODE_OF_NULL = 1;

  /** A number whose rows lie on that node. */
  static int keyOn(int node) {
    return IntStream.range(0, 1_000).filter(key -> nodeOf(key) == node).findFirst().orElseThrow();
  }
}
