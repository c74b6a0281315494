package org.abelian.histories.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.abelian.histories.cells.CellRecord;

/**
 * Says whether committed transactions over lists have a serial order: the graph of all their
 * dependencies, those of plain reads included, has no cycle (Adya's PL-3).
 */
public final class CellChecker {
  private final List<CellRecord> records;
  private final Map<Integer, List<Long>> end;
  private final Map<Long, Integer> vertices = new HashMap<>();
  private final List<String> complaints = new ArrayList<>();
  private final Graph graph = new Graph();

  private CellChecker(List<CellRecord> records, Map<Integer, List<Long>> end) {
    this.records = records;
    this.end = end;
    records.forEach(record -> vertices.put(record.name(), graph.addVertex()));
  }

  /**
   * What is wrong, in words; empty when nothing is.
   *
   * @param end what the lists hold when all has ended
   */
  public static List<String> complaints(List<CellRecord> records, Map<Integer, List<Long>> end) {
    CellChecker checker = new CellChecker(records, end);
    checker.checkAppends();
    records.forEach(checker::checkReads);
    if (checker.complaints.isEmpty()) {
      checker.checkOrder();
    }
    return checker.complaints;
  }

  private void checkAppends() {
    for (CellRecord record : records) {
      for (int cell : record.appended()) {
        if (end.getOrDefault(cell, List.of()).stream().filter(name -> name == record.name()).count()
            != 1) {
          complaints.add("lost or repeated: " + record.name() + " in " + cell);
        }
      }
    }
    end.forEach(
        (cell, log) -> {
          for (long name : log) {
            if (!vertices.containsKey(name)) {
              complaints.add("of a transaction that has failed: " + name + " in " + cell);
            }
          }
        });
  }

  private void checkReads(CellRecord record) {
    record
        .seen()
        .forEach(
            (cell, log) -> {
              List<Long> last = end.getOrDefault(cell, List.of());
              if (log.size() > last.size() || !last.subList(0, log.size()).equals(log)) {
                complaints.add(record.name() + " saw " + log + " in " + cell + ", not " + last);
              }
            });
  }

  private void checkOrder() {
    end.values()
        .forEach(
            log -> {
              for (int at = 1; at < log.size(); at++) {
                edge(log.get(at - 1), log.get(at));
              }
            });
    for (CellRecord record : records) {
      record
          .seen()
          .forEach(
              (cell, log) -> {
                List<Long> last = end.getOrDefault(cell, List.of());
                if (!log.isEmpty()) {
                  edge(log.get(log.size() - 1), record.name());
                }
                if (log.size() < last.size()) {
                  edge(record.name(), last.get(log.size()));
                }
              });
    }
    List<Integer> cycle = graph.cycle();
    if (!cycle.isEmpty()) {
      complaints.add(
          "no serial order:\n"
              + cycle.stream()
                  .map(vertex -> records.get(vertex).toString())
                  .collect(Collectors.joining("\n")));
    }
  }

  private void edge(long from, long to) {
    graph.addEdge(vertices.get(from), vertices.get(to));
  }
}
