package org.abelian.router.routing;

import java.util.List;
import java.util.stream.Stream;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;

/**
 * Routes an UPDATE, DELETE or MERGE by rows of other nodes than those that change: all rows that it
 * reads come to the router, and from there to the nodes of the table that it changes.
 */
final class GatheredWriteRouting {
  private final StatementFacts facts;
  private final TableUses uses;
  private final Catalog catalog;
  private final RelationFacts target;

  GatheredWriteRouting(StatementFacts facts, TableUses uses, Catalog catalog) {
    this.facts = facts;
    this.uses = uses;
    this.catalog = catalog;
    this.target =
        facts.relations().stream()
            .filter(table -> table.write() && table.level() == 0)
            .findFirst()
            .orElse(null);
  }

  /** True when there is such a way. */
  boolean applies() {
    MergeFacts merge = facts.merge();
    boolean divided =
        target != null
            && facts.kind() != StatementKind.SELECT
            && facts.kind() != StatementKind.INSERT
            && merge != null
            && merge.mode() == MergeFacts.Mode.COMBINE;
    return divided && !(isCopied() && mayDiffer());
  }

  private boolean isCopied() {
    return uses.references().contains(target);
  }

  /** Each node computes the change of its copy by itself. */
  private boolean mayDiffer() {
    return facts.calls().differs();
  }

  Plan plan() {
    List<RelationFacts> read =
        uses.distributed().stream().filter(table -> table != target).toList();
    List<KeyClass> sources = KeyClasses.of(read, uses, facts);
    List<KeyClass> targets =
        uses.placement(target) == null ? List.of() : KeyClasses.of(List.of(target), uses, facts);
    return values -> route(KeyClasses.nodes(sources, values), targets(targets, values), targets);
  }

  private NodeSet targets(List<KeyClass> keys, BoundValues values) {
    if (!keys.isEmpty()) {
      return KeyClasses.nodes(keys, values);
    }
    Stream<Node> nodes = isCopied() ? catalog.nodes().stream() : Stream.of(catalog.first());
    return NodeSet.of(nodes.mapToInt(Node::id).toArray());
  }

  private Route route(NodeSet read, NodeSet changed, List<KeyClass> keys) {
    if (changed.isEmpty()) {
      return new Route.OneNode(keys.get(0).all().first()); // No row matters: any node says so.
    }
    int first = catalog.first().id();
    NodeSet sources = facts.merge().firstNode() ? read.union(NodeSet.of(first)) : read;
    if (sources.isEmpty()) {
      sources = NodeSet.of(changed.first()); // It reads only what every node has.
    }
    NodeSet all = sources.union(changed);
    return all.isSingle()
        ? new Route.OneNode(all.first())
        : new Route.GatheredWrite(
            new Route.Scatter(sources.asList(), facts.merge()), changed.asList(), isCopied());
  }
}
