package org.abelian.advisor.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.placement.Candidate;
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
      line("-- No placement that the router can do today was found. Advised is:");
      comment(chosen);
    } else {
      if (!loadable.name().equals(chosen.name())) {
        line("--");
        line(
            "-- Better, but not loadable yet ("
                + share(chosen)
                + " distributed): "
                + chosen.title());
        comment(chosen);
        line("--");
        line("-- The best that can be loaded today (" + share(loadable) + " distributed):");
      }
      line("");
      place(loadable);
    }
    suggestKeys();
    return sql.toString();
  }

  private void place(Candidate candidate) {
    Groups groups =
        new Groups(
            candidate, advice.explanation().groups().getOrDefault(candidate.name(), Map.of()));
    List<TraceTable> tables = referencedFirst();
    for (TraceTable table : tables) {
      for (TraceTable.ForeignKey key : table.foreignKeys()) {
        if (groups.crosses(table, key)) {
          line(
              "-- Refers to rows of other nodes, which create_... refuses: ALTER TABLE "
                  + name(table.id())
                  + " DROP CONSTRAINT "
                  + identifier(key.name())
                  + ";");
        }
      }
    }
    for (TraceTable table : tables) {
      if (candidate.tables().get(table.id()) instanceof TablePlacement.Reference) {
        line("SELECT create_reference_table(" + literal(name(table.id())) + ");");
      }
    }
    Map<String, String> first = new HashMap<>();
    for (TraceTable table : tables) {
      if (candidate.tables().get(table.id()) instanceof TablePlacement.Hash hash) {
        String leader = first.putIfAbsent(groups.of(table), table.id());
        line(
            "SELECT create_distributed_table("
                + literal(name(table.id()))
                + ", "
                + literal(hash.column())
                + ", colocate_with => "
                + literal(leader == null ? "none" : name(leader))
                + ");");
      }
    }
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

  private void comment(Candidate candidate) {
    for (TraceTable table : advice.trace().tables()) {
      List<String> lines = RuleText.lines(candidate.tables().get(table.id()));
      line("--   " + name(table.id()) + ": " + lines.get(0));
      lines.stream().skip(1).forEach(more -> line("--     " + more));
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
  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /** A table's name as PostgreSQL reads it. */
  private static String name(String id) {
    int dot = id.indexOf('.');
    String schema = id.substring(0, dot);
    return (schema.equals("public") ? "" : identifier(schema) + ".")
        + identifier(id.substring(dot + 1));
  }

  private static String identifier(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
