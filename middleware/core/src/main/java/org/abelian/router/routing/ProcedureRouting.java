package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.abelian.router.analysis.BlindCallFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.PartitionFunction;

/** Routes the call of a distributed procedure to the nodes that its arguments name. */
final class ProcedureRouting {
  private final ProcedureFacts procedure;
  private final StatementFacts facts;
  private final Catalog catalog;

  ProcedureRouting(StatementFacts facts, Catalog catalog) {
    this.procedure = facts.calls().procedure();
    this.facts = facts;
    this.catalog = catalog;
  }

  Plan plan() {
    if (!procedure.stopped().isEmpty()) {
      throw Refusals.stopped(procedure);
    }
    if (procedure.computed()) {
      throw Refusals.computedArgument(procedure.signature());
    }
    TableName table = new TableName(procedure.schema(), procedure.table());
    if (!(catalog.placement(table).orElse(null) instanceof Placement.Distributed placed)) {
      throw AbelianException.internal(
          "procedure " + procedure.signature() + " has no placement", null);
    }
    Colocation colocation = placed.colocation();
    List<Integer> all = catalog.nodes().stream().map(node -> node.id()).toList();
    NodeSet everywhere = NodeSet.of(colocation.distinctNodes());
    if (!procedure.unbound() && !placed.hasOneColumn()) {
      throw Refusals.callByPartOfKey(procedure, placed.columnNames());
    }
    Optional<List<KeyList>> keys = keys(new KeyReader(placed.columns().get(0)));
    if (procedure.unbound() || keys.isEmpty()) {
      return Plan.always(new Route.Procedure(procedure, everywhere.asList(), all, List.of()));
    }
    List<Home> homes = homes();
    return values -> {
      List<Integer> nodes = new ArrayList<>();
      for (KeyList key : keys.get()) {
        for (int partition : key.read(values, colocation.function())) {
          int node = colocation.nodeOf(partition);
          if (!nodes.contains(node)) {
            nodes.add(node);
          }
        }
      }
      if (nodes.isEmpty()) {
        // No row can match, but one with NULL may be inserted.
        nodes.add(colocation.nodeOf(PartitionFunction.OF_NULL));
      }
      return new Route.Procedure(procedure, nodes, all, homes(homes, values));
    };
  }

  /** Where the row of a blind operation lies. */
  private record Home(KeySource key, Colocation colocation) {}

  /** One for each blind operation; empty when the node of one cannot be known. */
  private List<Home> homes() {
    List<Home> homes = new ArrayList<>();
    for (BlindCallFacts.Statement statement : procedure.blind().statements()) {
      TableName table = new TableName(statement.schema(), statement.table());
      if (!(catalog.placement(table).orElse(null) instanceof Placement.Distributed placed)
          || !placed.hasOneColumn()) {
        return List.of();
      }
      KeyReader reader = new KeyReader(placed.columns().get(0));
      KeySource key = KeySource.of(statement.key(), reader, facts);
      if (key == null) {
        return List.of();
      }
      homes.add(new Home(key, placed.colocation()));
    }
    return homes;
  }

  private static List<Integer> homes(List<Home> homes, BoundValues values) {
    List<Integer> nodes = new ArrayList<>(homes.size());
    for (Home home : homes) {
      int partition = home.key().read(values, home.colocation().function());
      if (partition < 0) {
        return List.of();
      }
      nodes.add(home.colocation().nodeOf(partition));
    }
    return nodes;
  }

  /** One list for each value, so that their order stays; empty when one is not known. */
  private Optional<List<KeyList>> keys(KeyReader reader) {
    List<KeyList> keys = new ArrayList<>();
    for (var value : procedure.keys()) {
      Optional<KeyList> key = KeyList.of(List.of(value), reader, facts);
      if (key.isEmpty()) {
        return Optional.empty();
      }
      keys.add(key.get());
    }
    return Optional.of(keys);
  }
}
