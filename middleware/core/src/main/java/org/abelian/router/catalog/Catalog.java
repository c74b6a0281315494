package org.abelian.router.catalog;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One version of the cluster's catalogue. Immutable.
 *
 * @param version grows with every change; statements carry it, and a node with a newer one answers
 *     AB001
 * @param nodes ascending by id; at least one
 * @param tables the tables that have a placement
 * @param lookups the lookup indexes of these tables
 */
public record Catalog(
    long version, List<Node> nodes, Map<TableName, Placement> tables, List<LookupIndex> lookups) {
  /** Copies the collections. */
  public Catalog {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("a cluster has at least one node");
    }
    nodes = nodes.stream().sorted((left, right) -> Integer.compare(left.id(), right.id())).toList();
    tables = Map.copyOf(tables);
    lookups = List.copyOf(lookups);
  }

  /** A catalogue without lookup indexes. */
  public Catalog(long version, List<Node> nodes, Map<TableName, Placement> tables) {
    this(version, nodes, tables, List.of());
  }

  /** The node that holds tables without a placement and answers catalogue queries. */
  public Node first() {
    return nodes.get(0);
  }

  /** The node with that id, if the cluster has it. */
  public Optional<Node> node(int id) {
    return nodes.stream().filter(node -> node.id() == id).findFirst();
  }

  /** Where the rows of a table lie; empty for a table that lies on the first node only. */
  public Optional<Placement> placement(TableName table) {
    return Optional.ofNullable(tables.get(table));
  }

  /** The lookup indexes of a table. */
  public List<LookupIndex> lookups(TableName table) {
    return lookups.isEmpty()
        ? lookups
        : lookups.stream().filter(index -> index.table().equals(table)).toList();
  }

  /** The lookup index with that number, if there is one. */
  public Optional<LookupIndex> lookup(int id) {
    return lookups.stream().filter(index -> index.id() == id).findFirst();
  }
}
