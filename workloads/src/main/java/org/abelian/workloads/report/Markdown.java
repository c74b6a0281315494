package org.abelian.workloads.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Pieces of Markdown. */
final class Markdown {
  private Markdown() {}

  /** A line of a table. */
  static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  static String table(List<String> head, List<List<String>> rows) {
    StringBuilder table = new StringBuilder(row(head.toArray(String[]::new)));
    table.append("\n|").append("---|".repeat(head.size())).append('\n');
    rows.forEach(cells -> table.append(row(cells.toArray(String[]::new))).append('\n'));
    return table.toString();
  }

  /** A line for each entry. */
  static String bullets(Map<?, ?> entries) {
    return entries.entrySet().stream()
        .map(entry -> "- %s: %s".formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining("\n"));
  }
}
