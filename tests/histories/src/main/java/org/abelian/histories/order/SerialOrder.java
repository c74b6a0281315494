package org.abelian.histories.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.Observation;
import org.abelian.histories.lists.Recorded;

/**
 * Is there one order of all transactions and reads that explains the lists? Two dependencies do not
 * bind it, as the page says:
 *
 * <ul>
 *   <li>a read of one node may miss a transaction of several nodes that precedes another which it
 *       shows;
 *   <li>two reads of several nodes may see transactions of single nodes in different orders, so
 *       each such read is looked at by itself.
 * </ul>
 */
final class SerialOrder {
  private record Read(Recorded reader, Observation observation, int vertex) {}

  private final ListHistory history;
  private final Effects effects;
  private final List<String> complaints;
  private final Graph graph = new Graph();
  private final Map<Integer, Integer> vertices = new HashMap<>();
  private final List<Recorded> labels = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>();

  SerialOrder(ListHistory history, Effects effects, List<String> complaints) {
    this.history = history;
    this.effects = effects;
    this.complaints = complaints;
  }

  void check() {
    addVertices();
    addAppends();
    for (Read read : reads) {
      read.observation().lists().forEach((key, list) -> addList(read, key, list));
      addMarks(read);
    }
    addReadsInTime();
    List<Integer> cycle = graph.cycle();
    if (!cycle.isEmpty()) {
      complaints.add("no serial order:" + describe(cycle));
      return;
    }
    reads.stream().filter(read -> read.observation().overNodes()).forEach(this::checkAlone);
  }

  private void addVertices() {
    for (Recorded transaction : history.transactions()) {
      int name = transaction.intention().name();
      if (effects.isEffective(name)) {
        vertices.put(name, addVertex(transaction));
      }
      for (Observation observation : transaction.observations()) {
        reads.add(new Read(transaction, observation, addVertex(transaction)));
      }
    }
  }

  private int addVertex(Recorded label) {
    labels.add(label);
    return graph.addVertex();
  }

  private void addAppends() {
    for (int key : effects.keys()) {
      List<Integer> order = effects.order(key);
      for (int i = 1; i < order.size(); i++) {
        graph.addEdge(vertices.get(order.get(i - 1)), vertices.get(order.get(i)));
      }
    }
  }

  private void addList(Read read, int key, List<Long> list) {
    List<Integer> order = effects.order(key);
    int seen = effects.namesIn("a read", key, list).size();
    if (seen > 0) {
      graph.addEdge(vertices.get(order.get(seen - 1)), read.vertex());
    }
    boolean overNodes = read.observation().overNodes();
    order.subList(seen, order.size()).stream()
        .filter(name -> isOfOneNode(name) != overNodes)
        .findFirst()
        .ifPresent(missed -> graph.addEdge(read.vertex(), vertices.get(missed)));
  }

  private boolean isOfOneNode(int name) {
    return effects.transaction(name).intention().kind().isOfOneNode();
  }

  private void addMarks(Read read) {
    Map<Integer, Observation.Counted> counters = read.observation().counters();
    if (counters.isEmpty()) {
      return;
    }
    for (Recorded writer : history.transactions()) {
      Integer vertex = vertices.get(writer.intention().name());
      if (writer.marks() && vertex != null) {
        int key = writer.intention().keys().get(0);
        if (counters.get(key).marks().contains(writer.intention().number())) {
          graph.addEdge(vertex, read.vertex());
        } else {
          graph.addEdge(read.vertex(), vertex);
        }
      }
    }
  }

  /** A read of several nodes that began after another had ended comes after it. */
  private void addReadsInTime() {
    for (Read first : reads) {
      for (Read second : reads) {
        if (first.observation().overNodes()
            && second.observation().overNodes()
            && first.observation().answered() < second.observation().sent()) {
          graph.addEdge(first.vertex(), second.vertex());
        }
      }
    }
  }

  /** The order must hold with what this read misses of single nodes as well. */
  private void checkAlone(Read read) {
    Set<Integer> missed = new HashSet<>();
    read.observation()
        .lists()
        .forEach(
            (key, list) -> {
              List<Integer> order = effects.order(key);
              int seen = effects.namesIn("a read", key, list).size();
              order.subList(seen, order.size()).stream()
                  .filter(this::isOfOneNode)
                  .findFirst()
                  .ifPresent(name -> missed.add(vertices.get(name)));
            });
    List<Integer> path = graph.path(missed, read.vertex());
    if (!path.isEmpty()) {
      List<Integer> cycle = new ArrayList<>(path);
      cycle.add(0, read.vertex());
      complaints.add("no serial order with this read:" + describe(cycle));
    }
  }

  private String describe(List<Integer> cycle) {
    return cycle.stream().map(vertex -> "\n    then " + text(vertex)).collect(Collectors.joining());
  }

  private String text(int vertex) {
    Recorded transaction = labels.get(vertex);
    return reads.stream()
        .filter(read -> read.vertex() == vertex)
        .findFirst()
        .map(read -> "a read of " + transaction + ": " + read.observation())
        .orElse(transaction.toString());
  }
}
