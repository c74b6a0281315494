package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;

/** The relations of a statement by where their rows lie. */
final class TableUses {
  private final List<RelationFacts> distributed = new ArrayList<>();
  private final List<RelationFacts> references = new ArrayList<>();
  private final List<RelationFacts> local = new ArrayList<>();
  private final List<RelationFacts> catalogues = new ArrayList<>();
  private final Map<Integer, Placement.Distributed> placements = new HashMap<>();

  TableUses(StatementFacts facts, Catalog catalog) {
    for (RelationFacts relation : facts.relations()) {
      Optional<Placement> placement =
          relation.temporary()
              ? Optional.empty()
              : catalog.placement(new TableName(relation.schema(), relation.name()));
      if (relation.catalog()) {
        catalogues.add(relation);
      } else if (placement.isEmpty()) {
        local.add(relation);
      } else if (placement.get() instanceof Placement.Distributed placed) {
        distributed.add(relation);
        placements.put(relation.id(), placed);
      } else {
        references.add(relation);
      }
    }
  }

  /** Spread over the nodes. */
  List<RelationFacts> distributed() {
    return distributed;
  }

  /** On every node. */
  List<RelationFacts> references() {
    return references;
  }

  /** On the first node only: without placement, or temporary. */
  List<RelationFacts> local() {
    return local;
  }

  /** PostgreSQL's own. */
  List<RelationFacts> catalogues() {
    return catalogues;
  }

  /** True when some table has a placement. */
  boolean isPlaced() {
    return !distributed.isEmpty() || !references.isEmpty();
  }

  /** The placement of a distributed relation. */
  Placement.Distributed placement(RelationFacts relation) {
    return placements.get(relation.id());
  }

  /** The placement of a distributed relation by its id; null for any other. */
  Placement.Distributed placement(int relation) {
    return placements.get(relation);
  }
}
