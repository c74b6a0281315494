package org.abelian.router.routing;

import java.util.List;
import java.util.function.Function;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.NodeFunctions;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;

/**
 * Routes SELECT, INSERT, UPDATE, DELETE and MERGE, and what EXPLAIN, DECLARE and COPY say about one
 * of them.
 */
final class QueryRouting {
  private final String sql;
  private final StatementFacts facts;
  private final Catalog catalog;
  private final TableUses uses;
  private final Route firstNode;

  QueryRouting(String sql, StatementFacts facts, Catalog catalog) {
    this.sql = sql;
    this.facts = facts;
    this.catalog = catalog;
    this.uses = new TableUses(facts, catalog);
    this.firstNode = new Route.OneNode(catalog.first().id());
  }

  Plan plan() {
    if (!facts.calls().functions().isEmpty() && !catalog.tables().isEmpty()) {
      throw Refusals.opaqueFunction(facts.calls().functions().get(0));
    }
    NodeFunctions called = facts.calls().nodeFunctions();
    if (called.ofEveryNode() && facts.relations().stream().allMatch(RelationFacts::catalog)) {
      return Plan.always(new Route.AllNodes(Route.Purpose.ALL_TABLES));
    }
    if (!called.ofNoNode().isEmpty()) {
      throw Refusals.functionOfNoNode(called.ofNoNode().get(0));
    }
    if (!uses.isPlaced()) {
      boolean anywhere =
          facts.relations().isEmpty()
              && facts.calls().functions().isEmpty()
              && !facts.calls().volatileFunctions()
              && called.ofOneNode().isEmpty();
      return Plan.always(anywhere ? new Route.AnyNode() : firstNode);
    }
    GatheredWriteRouting gathered = new GatheredWriteRouting(facts, uses, catalog);
    if (uses.distributed().isEmpty()) {
      return gathered.applies() ? gathered.plan() : Plan.always(overReferences());
    }
    checkWrites(gathered);
    if (!called.ofOneNode().isEmpty()) {
      throw Refusals.functionOfOneNode(called.ofOneNode().get(0), uses.distributed().get(0));
    }
    if (gathered.applies()) {
      return gathered.plan();
    }
    if (!uses.local().isEmpty() && !gathersLocalRows()) {
      throw Refusals.mixedWithLocal(uses.distributed().get(0), uses.local().get(0));
    }
    if (facts.change().insert() != null
        && uses.placement(facts.change().insert().relation()) != null) {
      return new InsertRouting(sql, facts, uses).plan();
    }
    return keyed();
  }

  private Route overReferences() {
    List<RelationFacts> written = uses.references().stream().filter(RelationFacts::write).toList();
    if (!written.isEmpty()) {
      checkReferenceWrite(written.get(0));
      return new Route.AllNodes(Route.Purpose.REFERENCE_WRITE);
    }
    // Locks must meet the writers' locks, and those take the first node first.
    boolean anywhere =
        uses.local().isEmpty()
            && uses.catalogues().isEmpty()
            && !facts.locks()
            && !facts.calls().volatileFunctions()
            && facts.calls().nodeFunctions().ofOneNode().isEmpty();
    return anywhere ? new Route.AnyNode() : firstNode;
  }

  /** Each node computes the change by itself, so it must come out alike everywhere. */
  private void checkReferenceWrite(RelationFacts table) {
    if (facts.kind() == StatementKind.MERGE) {
      throw Refusals.merge(table);
    }
    if (facts.kind() == StatementKind.SELECT || table.level() > 0) {
      throw Refusals.nestedWrite(table);
    }
    if (facts.calls().differs()) {
      throw Refusals.referenceMutable(table);
    }
    boolean mayDiffer = facts.merge() != null && facts.merge().mode() == MergeFacts.Mode.REFUSE;
    if (mayDiffer || facts.relations().size() > 1) {
      throw Refusals.referenceFromQuery(table);
    }
  }

  private void checkWrites(GatheredWriteRouting gathered) {
    for (RelationFacts table : uses.references()) {
      if (table.write() && !gathered.applies()) {
        if (facts.kind() == StatementKind.MERGE && facts.calls().differs()) {
          throw Refusals.referenceMutable(table);
        }
        throw table.level() == 0 ? Refusals.referenceFromQuery(table) : Refusals.nestedWrite(table);
      }
    }
    for (RelationFacts table : uses.distributed()) {
      if (!table.write()) {
        continue;
      }
      for (KeyColumn column : uses.placement(table).columns()) {
        if (table.assigned().contains(column.name())) {
          throw Refusals.keyChanged(table, column.name(), facts.change().unmoved());
        }
      }
      if (facts.kind() == StatementKind.MERGE && Refusals.ofSeveral(facts) != null) {
        throw Refusals.merge(table);
      }
    }
  }

  /** The first node gives its own tables' rows as all nodes give those of theirs. */
  private boolean gathersLocalRows() {
    MergeFacts merge = facts.merge();
    return facts.kind() == StatementKind.SELECT && merge != null && merge.firstNode();
  }

  private Plan keyed() {
    List<KeyClass> classes = KeyClasses.of(uses.distributed(), uses, facts);
    for (KeyClass keys : classes) {
      checkNestedWrites(keys);
    }
    NodeSet always = gathersLocalRows() ? NodeSet.of(catalog.first().id()) : NodeSet.NONE;
    return limited(new KeyedPlan(classes, always, several()));
  }

  /** Has the router itself take any rows, where that is what the statement wants. */
  private Plan limited(Plan plan) {
    RowLimits limits = RowLimits.of(facts);
    if (limits == null) {
      return plan;
    }
    return values -> {
      Route route = plan.route(values);
      return route instanceof Route.Scatter scatter
          ? new Route.Scatter(scatter.nodes(), scatter.merge(), limits.window(values))
          : route;
    };
  }

  /** A change inside WITH whose key is not known may be an INSERT, of which nothing is known. */
  private void checkNestedWrites(KeyClass keys) {
    for (RelationFacts table : uses.distributed()) {
      boolean nested = table.write() && (table.level() > 0 || facts.kind() == StatementKind.SELECT);
      if (nested && keys.isUnbound() && keys.relations().contains(table.id())) {
        throw Refusals.nestedWrite(table);
      }
    }
  }

  private Function<NodeSet, Route> several() {
    AbelianException refusal = Refusals.ofSeveral(facts);
    if (refusal != null) {
      return nodes -> {
        throw refusal;
      };
    }
    return facts.kind() == StatementKind.SELECT
        ? nodes -> new Route.Scatter(nodes.asList(), facts.merge())
        : nodes -> new Route.ScatterWrite(nodes.asList());
  }
}
