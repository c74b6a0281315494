package org.abelian.advisor.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Distribution;
import org.abelian.advisor.placement.KeyHash;
import org.abelian.advisor.placement.RuleText;
import org.abelian.advisor.placement.SqlNames;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.validation.Judgement;

/** A placement as calls of the functions that place tables; what they cannot say as comments. */
final class PlacementSql {
  private final Advice advice;
  private final StringBuilder sql = new StringBuilder();

  PlacementSql(Advice advice) {
    this.advice = advice;
  }

  /** The script. */
  String text() {
    Candidate chosen = advice.chosen();
    Candidate loadable = advice.loadable();
    line("-- Placement advised for: " + oneLine(advice.trace().source()));
    line("-- Run it through the router on an empty cluster that has the tables.");
    if (loadable == null) {
      line("-- No placement that can be loaded was found. Advised is:");
      comment(chosen);
    } else {
      if (!loadable.name().equals(chosen.name())) {
        line("--");
        line(
            "-- Better, but cannot be loaded ("
                + share(chosen)
                + " distributed): "
                + chosen.title());
        comment(chosen);
        line("--");
        line("-- The best that can be loaded (" + share(loadable) + " distributed):");
      }
      line("");
      place(loadable);
    }
    suggestKeys();
    return sql.toString();
  }

  private void place(Candidate candidate) {
    if (candidate.kind() == Candidate.Kind.PRESENT) {
      line("-- The tables lie as they should.");
      return;
    }
    Groups groups =
        new Groups(
            candidate, advice.explanation().groups().getOrDefault(candidate.name(), Map.of()));
    List<TraceTable> tables = referencedFirst();
    Map<String, TraceTable> byId = advice.trace().tablesById();
    for (TraceTable table : tables) {
      for (TraceTable.ForeignKey key : table.foreignKeys()) {
        if (groups.crosses(table, key, byId)) {
          line(
              "-- Refers to rows of other nodes, which create_... refuses: ALTER TABLE "
                  + name(table.id())
                  + " DROP CONSTRAINT "
                  + SqlNames.identifier(key.name())
                  + ";");
        }
      }
    }
    for (TraceTable table : tables) {
      if (candidate.tables().get(table.id()) instanceof TablePlacement.Reference) {
        line("SELECT create_reference_table(" + SqlNames.literal(name(table.id())) + ");");
      }
    }
    Map<String, String> first = new LinkedHashMap<>();
    List<TraceTable> looked = new ArrayList<>();
    for (TraceTable table : tables) {
      TablePlacement placement = candidate.tables().get(table.id());
      if (!(placement instanceof TablePlacement.Reference)) {
        String leader = first.putIfAbsent(groups.of(table), table.id());
        distribute(table, Distribution.of(table, placement), leader);
        if (leader == null && placement instanceof TablePlacement.Lookup) {
          looked.add(table);
        }
      }
    }
    for (TraceTable table : looked) {
      placeKeys(table, (TablePlacement.Lookup) candidate.tables().get(table.id()));
    }
    new ProcedureSql(candidate, groups, byId)
        .lines(advice.trace().procedures())
        .forEach(this::line);
  }

  /** The first of a group says how its rows are placed, the others follow it. */
  private void distribute(TraceTable table, Distribution distribution, String leader) {
    boolean takesNull = distribution.columns().size() == 1;
    for (String column : distribution.columns()) {
      if (table.attributes().get(table.place(column)).nullable()) {
        String fate = takesNull ? " will lie in partition 0." : " will be refused.";
        line("-- Rows of " + name(table.id()) + " with NULL in " + column + fate);
      }
    }
    StringBuilder call = new StringBuilder("SELECT create_distributed_table(");
    call.append(SqlNames.literal(name(table.id()))).append(", ");
    call.append(literals(distribution.columns().stream().map(SqlNames::identifier).toList()));
    if (leader != null) {
      call.append(", colocate_with => ").append(SqlNames.literal(name(leader)));
    } else if (distribution.rule() == null) {
      call.append(", colocate_with => 'none'");
    } else {
      call.append(", ").append(SqlNames.literal(distribution.type()));
      if (!distribution.type().equals("lookup")) {
        // Partition n is the node n of the advice.
        call.append(", partition_count => ").append(advice.explanation().nodes());
      }
      call.append(", rule => ").append(SqlNames.literal(distribution.rule()));
    }
    line(call.append(");").toString());
  }

  /** The others of its group have the same entries. */
  private void placeKeys(TraceTable table, TablePlacement.Lookup lookup) {
    new TreeMap<>(advice.lookups().map(lookup.map()))
        .forEach(
            (key, node) ->
                line(
                    "SELECT abelian.place_key("
                        + SqlNames.literal(name(table.id()))
                        + ", "
                        + SqlNames.literal(key)
                        + ", "
                        + KeyHash.partition(key, node, advice.explanation().nodes())
                        + ");"));
  }

  /** A table can be placed when those that its foreign keys name are. */
  private List<TraceTable> referencedFirst() {
    Map<String, TraceTable> left = new LinkedHashMap<>();
    advice.trace().tables().forEach(table -> left.put(table.id(), table));
    List<TraceTable> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      TraceTable next =
          left.values().stream()
              .filter(
                  table ->
                      table.foreignKeys().stream()
                          .noneMatch(
                              key ->
                                  !key.table().equals(table.id()) && left.containsKey(key.table())))
              .findFirst()
              // In a circle none is first.
              .orElseGet(() -> left.values().iterator().next());
      ordered.add(left.remove(next.id()));
    }
    return ordered;
  }

  /** What it says, and of each table why it cannot be loaded. */
  private void comment(Candidate candidate) {
    for (TraceTable table : advice.trace().tables()) {
      TablePlacement placement = candidate.tables().get(table.id());
      List<String> lines = RuleText.lines(placement);
      line("--   " + name(table.id()) + ": " + lines.get(0));
      lines.stream().skip(1).forEach(more -> line("--     " + more));
      String obstacle = Distribution.obstacle(table, placement);
      if (obstacle != null) {
        line("--     cannot be loaded: " + obstacle);
      }
    }
  }

  /** Where another column than keys allow would be better, keys could contain it. */
  private void suggestKeys() {
    List<Judgement> judgements = advice.validation().judgements();
    Judgement best = advice.loadable() == null ? null : judgement(advice.loadable().name());
    for (Judgement one : judgements) {
      if (one.kind() != Candidate.Kind.COLUMNS
          || best != null
              && one.distributed() > best.distributed() - advice.validation().tolerance()) {
        continue;
      }
      line("");
      line(
          "-- With these columns in the unique keys of their tables, "
              + Percent.of(one.distributed())
              + " would be distributed:");
      Candidate candidate =
          advice.explanation().candidates().stream()
              .filter(found -> found.name().equals(one.name()))
              .findFirst()
              .orElseThrow();
      for (TraceTable table : advice.trace().tables()) {
        if (candidate.tables().get(table.id()) instanceof TablePlacement.Hash hash
            && !table.canDistribute(hash.column())) {
          line("--   " + name(table.id()) + ": " + hash.column());
        }
      }
    }
  }

  private String share(Candidate candidate) {
    return Percent.of(judgement(candidate.name()).distributed());
  }

  private Judgement judgement(String name) {
    return advice.validation().judgement(name);
  }

  private void line(String text) {
    sql.append(text).append('\n');
  }

  /** What cannot end a comment. */
  static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /** A table's name as PostgreSQL reads it. */
  static String name(String id) {
    int dot = id.indexOf('.');
    String schema = id.substring(0, dot);
    return (schema.equals("public") ? "" : SqlNames.identifier(schema) + ".")
        + SqlNames.identifier(id.substring(dot + 1));
  }

  private static String literals(List<String> names) {
    return SqlNames.literal(String.join(", ", names));
  }
}
