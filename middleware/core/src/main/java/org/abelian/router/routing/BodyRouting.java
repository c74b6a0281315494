package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.BodyFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.PartitionFunction;

/**
 * Routes the call of an ordinary function or procedure, and DO, when a node has seen what the body
 * reads and writes: to the one node that has all of it. That node watches the body while it runs.
 */
final class BodyRouting {
  private final StatementFacts facts;
  private final Catalog catalog;
  private final BodyFacts body;

  BodyRouting(StatementFacts facts, Catalog catalog) {
    this.facts = facts;
    this.catalog = catalog;
    this.body = facts.calls().body();
  }

  /**
   * True when all that the statement does is known, or what is not is for the first node, which
   * watches it.
   */
  boolean applies() {
    return body != null
        && (body.unseen().isEmpty() || body.stays())
        && facts.calls().nodeFunctions().ofNoNode().isEmpty()
        && facts.calls().functions().stream().allMatch(body.function()::equals);
  }

  /** What tells the node of some of the rows: their key, and how keys are placed. */
  private record Need(KeySource key, Colocation colocation, boolean write) {
    NodeSet nodes(BoundValues values) {
      int read = key.read(values, colocation.function());
      // A row with NULL may be inserted; none is found by it.
      int partition = read == KeyReader.NULL && write ? PartitionFunction.OF_NULL : read;
      return partition < 0 ? NodeSet.NONE : NodeSet.of(colocation.nodeOf(partition));
    }
  }

  /** Of a block that one node may run alone, or which runs otherwise. */
  Plan plan(Plan several) {
    if (body.ends()) {
      return plan(); // Several nodes can run it in one transaction only.
    }
    if (changesReferences()) {
      return several;
    }
    Plan alone = Plan.of(this::plan);
    return values -> {
      try {
        return alone.route(values);
      } catch (AbelianException ofSeveralNodes) {
        return several.route(values);
      }
    };
  }

  private boolean changesReferences() {
    return body.touches().stream()
        .filter(BodyFacts.Touch::write)
        .map(touch -> catalog.placement(new TableName(touch.schema(), touch.table())))
        .anyMatch(placement -> placement.orElse(null) instanceof Placement.Reference);
  }

  Plan plan() {
    NodeSet first = NodeSet.of(catalog.first().id());
    boolean onFirst = body.stays() || !facts.calls().nodeFunctions().ofOneNode().isEmpty();
    NodeSet always = onFirst ? first : NodeSet.NONE;
    List<Need> needs = new ArrayList<>();
    for (BodyFacts.Touch touch : body.touches()) {
      Placement placement =
          catalog.placement(new TableName(touch.schema(), touch.table())).orElse(null);
      if (placement == null) {
        always = always.union(first);
      } else if (placement instanceof Placement.Distributed placed) {
        Need need = need(touch, placed);
        if (need == null) {
          throw Refusals.bodyOfSeveralNodes(body.signature(), touch.table());
        }
        needs.add(need);
      }
    }
    return plan(always, needs, first);
  }

  private Plan plan(NodeSet always, List<Need> needs, NodeSet otherwise) {
    return values -> {
      NodeSet nodes = always;
      for (Need need : needs) {
        nodes = nodes.union(need.nodes(values));
      }
      if (nodes.isEmpty()) {
        nodes = otherwise;
      }
      if (!nodes.isSingle()) {
        throw Refusals.bodyOfSeveralNodes(body.signature(), null);
      }
      return new Route.OneNode(nodes.first());
    };
  }

  /** Null when the call does not say which rows it touches. */
  private Need need(BodyFacts.Touch touch, Placement.Distributed placed) {
    if (!placed.hasOneColumn()) {
      return null;
    }
    KeyColumn column = placed.columns().get(0);
    Value value = value(touch, column.name());
    KeySource key = value == null ? null : KeySource.of(value, new KeyReader(column), facts);
    return key == null ? null : new Need(key, placed.colocation(), touch.write());
  }

  private Value value(BodyFacts.Touch touch, String column) {
    Integer argument = touch.columns().get(column);
    if (argument == null) {
      return touch.constants().get(column);
    }
    List<List<Value>> arguments = body.arguments();
    List<Value> values = argument <= arguments.size() ? arguments.get(argument - 1) : List.of();
    return values.size() == 1 ? values.get(0) : null;
  }
}
