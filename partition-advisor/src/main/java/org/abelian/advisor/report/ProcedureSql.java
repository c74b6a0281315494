package org.abelian.advisor.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.SqlNames;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TracedProcedure;

/**
 * The procedures of a trace as calls of create_distributed_procedure(): those whose arguments name
 * the keys of all rows that they touch, as they lie by a placement. Of the others, why not.
 */
final class ProcedureSql {
  private final Candidate candidate;
  private final Groups groups;
  private final Map<String, TraceTable> tables;

  ProcedureSql(Candidate candidate, Groups groups, Map<String, TraceTable> tables) {
    this.candidate = candidate;
    this.groups = groups;
    this.tables = tables;
  }

  /** Which arguments are keys, and of which table; or why none is. */
  private record Keys(Set<Integer> arguments, String table, Map<String, String> why, String not) {
    static Keys none(String reason) {
      return new Keys(Set.of(), null, Map.of(), reason);
    }
  }

  /** Lines of a script. */
  List<String> lines(List<TracedProcedure> procedures) {
    List<String> lines = new ArrayList<>();
    for (TracedProcedure procedure : procedures) {
      Keys keys = keys(procedure);
      String name = PlacementSql.oneLine(procedure.signature());
      String called = " (" + procedure.calls() + " calls)";
      if (keys.not() != null) {
        lines.add(
            "-- " + name + called + " is not distributed: " + PlacementSql.oneLine(keys.not()));
        continue;
      }
      lines.add(
          "-- "
              + name
              + called
              + ": all rows that it touches are named by "
              + keys.why().entrySet().stream()
                  .map(entry -> entry.getKey() + " = " + entry.getValue())
                  .collect(Collectors.joining(", ")));
      lines.add(
          "SELECT create_distributed_procedure("
              + SqlNames.literal(procedure.signature())
              + ", "
              + SqlNames.literal(
                  keys.arguments().stream()
                      .map(argument -> "$" + argument)
                      .collect(Collectors.joining(", ")))
              + ", colocate_with => "
              + SqlNames.literal(PlacementSql.name(keys.table()))
              + ");");
    }
    return lines;
  }

  private Keys keys(TracedProcedure procedure) {
    if (!procedure.unseen().isEmpty()) {
      return Keys.none(procedure.unseen().get(0));
    }
    Set<Integer> arguments = new TreeSet<>();
    Map<String, Set<String>> why = new TreeMap<>();
    String table = null;
    for (TracedProcedure.Touch touch : procedure.touches()) {
      String obstacle = obstacle(touch, table);
      if (obstacle != null) {
        return Keys.none(obstacle);
      }
      if (candidate.tables().get(touch.table()) instanceof TablePlacement.Reference) {
        continue;
      }
      table = table == null ? touch.table() : table;
      String column = column(touch);
      arguments.add(touch.columns().get(column));
      why.computeIfAbsent(PlacementSql.name(touch.table()) + "." + column, any -> new TreeSet<>())
          .add("$" + touch.columns().get(column));
    }
    if (table == null) {
      return Keys.none("it touches nothing but tables that every node has");
    }
    if (arguments.size() > 1 && !procedure.flat()) {
      return Keys.none(
          "by several keys it may need rows of one node on another; abelian.explain_procedure tells"
              + " when it is distributed");
    }
    if (arguments.size() > 1 && procedure.returns()) {
      return Keys.none("how the results of several nodes become one, only its owner knows");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    why.forEach((key, names) -> texts.put(key, String.join(" and ", names)));
    return new Keys(arguments, table, texts, null);
  }

  /** Why a mention of a table does not say by an argument where its rows lie; null when it does. */
  private String obstacle(TracedProcedure.Touch touch, String first) {
    TraceTable table = tables.get(touch.table());
    TablePlacement placement = candidate.tables().get(touch.table());
    String name = PlacementSql.name(touch.table());
    if (table == null || placement == null) {
      return name + " is not placed";
    }
    if (placement instanceof TablePlacement.Reference) {
      return touch.write() ? "it changes " + name + ", which every node has" : null;
    }
    List<String> columns = Distribution.columns(table, placement);
    if (columns.size() != 1) {
      return "rows of " + name + " lie by several columns";
    }
    if (!touch.columns().containsKey(columns.get(0))) {
      return "a statement on " + name + " does not name " + columns.get(0) + " by an argument";
    }
    if (first != null && !groups.of(table).equals(groups.of(tables.get(first)))) {
      return name + " and " + PlacementSql.name(first) + " are not colocated";
    }
    return null;
  }

  private String column(TracedProcedure.Touch touch) {
    return Distribution.columns(tables.get(touch.table()), candidate.tables().get(touch.table()))
        .get(0);
  }
}
