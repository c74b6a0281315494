package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.error.AbelianException;

/**
 * What might explain which nodes a call needs: an argument, read as the key of a table that has one
 * distribution column.
 *
 * @param argument its position, from 1
 * @param colocation the table's group
 * @param table one of that group
 * @param nodes where the keys that the argument names lie in this call; at least one
 */
public record KeyCandidate(int argument, int colocation, String table, List<Integer> nodes) {
  private static final int COLOCATIONS_MAX = 8;
  private static final int ARGUMENTS_MAX = 32;

  /** Copies the list. */
  public KeyCandidate {
    nodes = List.copyOf(nodes);
  }

  /** A table of a group, and how its keys are read. */
  private record Group(String table, Placement.Distributed placement) {}

  /**
   * Every argument whose value is known, read as the key of the procedure's own table, then as
   * those of others.
   */
  public static List<KeyCandidate> of(StatementFacts facts, Catalog catalog, BoundValues values) {
    ProcedureFacts procedure = facts.calls().procedure();
    List<KeyCandidate> candidates = new ArrayList<>();
    for (Group group : groups(procedure, catalog)) {
      int count = Math.min(procedure.arguments().size(), ARGUMENTS_MAX);
      for (int argument = 0; argument < count; argument++) {
        List<Integer> nodes = nodes(procedure.arguments().get(argument), group, facts, values);
        if (!nodes.isEmpty()) {
          int id = group.placement().colocation().id();
          candidates.add(new KeyCandidate(argument + 1, id, group.table(), nodes));
        }
      }
    }
    return candidates;
  }

  private static List<Group> groups(ProcedureFacts procedure, Catalog catalog) {
    TableName own = new TableName(procedure.schema(), procedure.table());
    Map<Integer, Group> groups = new LinkedHashMap<>();
    add(own, catalog, groups);
    catalog.tables().keySet().stream()
        .sorted(Comparator.comparing(TableName::schema).thenComparing(TableName::name))
        .forEach(table -> add(table, catalog, groups));
    return List.copyOf(groups.values());
  }

  private static void add(TableName table, Catalog catalog, Map<Integer, Group> groups) {
    Optional<Placement> placement = catalog.placement(table);
    if (placement.orElse(null) instanceof Placement.Distributed placed
        && placed.hasOneColumn()
        && groups.size() < COLOCATIONS_MAX) {
      Group group = new Group(table.schema() + "." + table.name(), placed);
      groups.putIfAbsent(placed.colocation().id(), group);
    }
  }

  /** None where the argument cannot be such a key. */
  private static List<Integer> nodes(
      List<Value> argument, Group group, StatementFacts facts, BoundValues values) {
    Colocation colocation = group.placement().colocation();
    KeyReader reader = new KeyReader(group.placement().columns().get(0));
    TreeSet<Integer> nodes = new TreeSet<>();
    try {
      Optional<KeyList> keys = KeyList.of(argument, reader, facts);
      if (keys.isPresent()) {
        for (int partition : keys.get().read(values, colocation.function())) {
          nodes.add(colocation.nodeOf(partition));
        }
      }
    } catch (AbelianException | IllegalArgumentException unreadable) {
      return List.of();
    }
    return List.copyOf(nodes);
  }
}
