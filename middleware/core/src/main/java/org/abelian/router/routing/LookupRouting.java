package org.abelian.router.routing;

import java.util.List;
import java.util.Optional;
import org.abelian.router.analysis.ColumnReference;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.KeyCollector;

/**
 * What lookup indexes do to the route of a statement: they are told of rows that it changes, and
 * may lead it to the one row that it names.
 */
final class LookupRouting {
  private final StatementFacts facts;
  private final Catalog catalog;

  LookupRouting(StatementFacts facts, Catalog catalog) {
    this.facts = facts;
    this.catalog = catalog;
  }

  /**
   * Refuses what a lookup index would not be told of, or not be asked for.
   *
   * @throws AbelianException 0A000 with a hint
   */
  void check() {
    if (facts.change().insert() != null && facts.change().insert().conflict() != null) {
      checkConflict(facts.change().insert());
    }
  }

  /** A node would look for the value among its own rows only. */
  private void checkConflict(InsertFacts insert) {
    RelationFacts target = facts.relations().get(insert.relation());
    for (LookupIndex index : lookups(target)) {
      List<String> columns = insert.conflict();
      if (columns.isEmpty() || columns.equals(List.of(index.column().name()))) {
        throw Refusals.conflictOverLookup(target, index.column().name());
      }
    }
  }

  /** The plan of a query with the part that lookup indexes have in it. */
  Plan plan(Plan query) {
    if (catalog.lookups().isEmpty()) {
      return query;
    }
    boolean keeps = facts.relations().stream().anyMatch(this::changesIndexed);
    Plan kept = keeps ? values -> keeping(query.route(values)) : query;
    return found().map(found -> leading(found, kept)).orElse(kept);
  }

  /** The plan of COPY FROM, which changes rows as an INSERT does. */
  Plan copy(Plan copy) {
    return facts.command().utility() == UtilityKind.COPY_FROM
            && facts.relations().stream().anyMatch(table -> !lookups(table).isEmpty())
        ? values -> new Route.Keeping(copied(copy.route(values)))
        : copy;
  }

  private Route copied(Route route) {
    return route instanceof Route.OneNode one
        ? new Route.CopyIn(facts.relations().get(0).name(), List.of(one.node()), null, null)
        : route;
  }

  private List<LookupIndex> lookups(RelationFacts relation) {
    return relation.temporary()
        ? List.of()
        : catalog.lookups(new TableName(relation.schema(), relation.name()));
  }

  /** Should it look as if no entry changes where one does, the node refuses the COMMIT. */
  private boolean changesIndexed(RelationFacts relation) {
    boolean updates = facts.kind() == StatementKind.UPDATE && relation.level() == 0;
    return relation.write()
        && lookups(relation).stream()
            .anyMatch(
                index ->
                    !updates
                        || relation.assigned().contains(index.column().name())
                        || changesKey(relation));
  }

  /** An entry leads to the node of the row's key. */
  private boolean changesKey(RelationFacts relation) {
    return catalog.placement(new TableName(relation.schema(), relation.name())).stream()
        .filter(Placement.Distributed.class::isInstance)
        .flatMap(placement -> ((Placement.Distributed) placement).columns().stream())
        .anyMatch(column -> relation.assigned().contains(column.name()));
  }

  private static Route keeping(Route route) {
    boolean changes =
        route instanceof Route.OneNode
            || route instanceof Route.ScatterWrite
            || route instanceof Route.Split
            || route instanceof Route.GatheredInsert
            || route instanceof Route.MovedRows
            || route instanceof Route.GatheredWrite;
    return changes ? new Route.Keeping(route) : route;
  }

  /** An index with the source of the value that its column equals. */
  private record Found(LookupIndex index, KeySource value) {}

  /**
   * Only of a statement over one table and nothing else: if it finds a row on a node, that is the
   * row, and what it does with it needs no other node.
   */
  private Optional<Found> found() {
    boolean rows =
        facts.kind() == StatementKind.SELECT
            || facts.kind() == StatementKind.UPDATE
            || facts.kind() == StatementKind.DELETE;
    if (!rows || facts.relations().size() != 1 || facts.relations().get(0).level() > 0) {
      return Optional.empty();
    }
    RelationFacts relation = facts.relations().get(0);
    return lookups(relation).stream()
        .flatMap(index -> value(relation, index).map(value -> new Found(index, value)).stream())
        .findFirst();
  }

  private Optional<KeySource> value(RelationFacts relation, LookupIndex index) {
    ColumnReference column = new ColumnReference(relation.id(), index.column().name());
    KeyReader reader = new KeyReader(index.column());
    return KeyClasses.equalityOf(column, facts)
        .flatMap(
            equality -> KeyClasses.sources(equality.values(), reader, facts).stream().findFirst());
  }

  private static Plan leading(Found found, Plan plan) {
    return values -> {
      Route route = plan.route(values);
      if (!mayStop(route.plain())) {
        return route;
      }
      KeyCollector collector = new KeyCollector();
      try {
        return found.value().read(values, collector) < 0
            ? route
            : new Route.Lookup(found.index(), collector.value(), route);
      } catch (AbelianException unreadable) {
        return route; // The nodes read it, or say what is wrong with it.
      }
    };
  }

  /** True when one node's rows, if there are any, may be all that there is to say. */
  private static boolean mayStop(Route route) {
    return route instanceof Route.ScatterWrite
        || route instanceof Route.Scatter scatter && scatter.merge().isWholeOnNode();
  }
}
