package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Placement;

/** Says by which keys a statement has come to its nodes, for people. */
public final class RouteText {
  private RouteText() {}

  /**
   * A line for each group of tables about whose keys the same is known, or for the keys of a call.
   */
  public static List<String> keys(StatementFacts facts, Catalog catalog, BoundValues values) {
    if (facts.calls().procedure() != null) {
      return List.of(ofCall(facts.calls().procedure()));
    }
    TableUses uses = new TableUses(facts, catalog);
    List<String> lines = new ArrayList<>();
    List<RelationFacts> read = new ArrayList<>(uses.distributed());
    InsertFacts insert = facts.change().insert();
    if (insert != null && uses.placement(insert.relation()) != null) {
      RelationFacts target =
          read.stream().filter(table -> table.id() == insert.relation()).findFirst().orElseThrow();
      read.remove(target);
      lines.add(key(target, uses) + " of each row that is inserted");
    }
    for (KeyClass keys : KeyClasses.of(read, uses, facts)) {
      String columns =
          read.stream()
              .filter(table -> keys.relations().contains(table.id()))
              .map(table -> key(table, uses))
              .distinct()
              .collect(Collectors.joining(" and "));
      lines.add(columns + known(keys, values));
    }
    uses.references().forEach(table -> lines.add(table.name() + " is on all nodes"));
    uses.local().forEach(table -> lines.add(table.name() + " is on the first node only"));
    return lines.stream().distinct().toList();
  }

  /** {@code table.column}, or {@code table.(one, other)}. */
  private static String key(RelationFacts table, TableUses uses) {
    Placement.Distributed placement = uses.placement(table);
    String columns = placement.columnNames();
    return table.name() + "." + (placement.hasOneColumn() ? columns : "(" + columns + ")");
  }

  private static String known(KeyClass keys, BoundValues values) {
    if (keys.columns().stream().noneMatch(RouteText::isRestricted)) {
      return " is not restricted";
    }
    NodeSet nodes = keys.nodes(values);
    return restriction(keys.columns())
        + (nodes.isEmpty() ? ", which no row has" : ", on " + nodes(nodes.asList()));
  }

  private static boolean isRestricted(ColumnKeys column) {
    return !column.isUnbound() || column.isRange();
  }

  private static String restriction(List<ColumnKeys> columns) {
    if (!columns.stream().allMatch(RouteText::isRestricted)) {
      return " is known in part";
    }
    if (columns.stream().anyMatch(ColumnKeys::isRange)) {
      return " is in a range";
    }
    boolean one = columns.stream().noneMatch(column -> column.values().isEmpty());
    return one ? " equals one value" : " is in a list";
  }

  private static String ofCall(ProcedureFacts procedure) {
    String table = procedure.schema() + "." + procedure.table();
    if (procedure.unbound()) {
      return "no argument that the router can read, so all nodes of " + table;
    }
    return "arguments of " + procedure.signature() + ", as those of " + table;
  }

  /** {@code node 1}, or {@code nodes 1, 2 and 3}. */
  public static String nodes(List<Integer> nodes) {
    if (nodes.size() == 1) {
      return "node " + nodes.get(0);
    }
    int last = nodes.size() - 1;
    return nodes.subList(0, last).stream()
        .map(String::valueOf)
        .collect(Collectors.joining(", ", "nodes ", " and " + nodes.get(last)));
  }
}
