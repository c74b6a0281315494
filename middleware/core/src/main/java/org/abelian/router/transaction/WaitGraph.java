package org.abelian.router.transaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds deadlocks in the waits of all nodes, merged by session. A session waits for all that block
 * it, so a cycle is a deadlock. Pure, and deterministic: routers that see the same waits find the
 * same cycles and choose the same victims.
 */
final class WaitGraph {
  private static final Comparator<WaitEdge> ORDER =
      Comparator.comparing(WaitEdge::waiterName)
          .thenComparing(WaitEdge::blockerName)
          .thenComparingInt(WaitEdge::node)
          .thenComparingInt(edge -> edge.waiter().pid())
          .thenComparingInt(edge -> edge.blocker().pid());

  private final Map<String, List<WaitEdge>> waits = new TreeMap<>();

  private WaitGraph(List<WaitEdge> edges) {
    edges.stream()
        .sorted(ORDER)
        .filter(edge -> !edge.waiterName().equals(edge.blockerName()))
        .forEach(
            edge -> waits.computeIfAbsent(edge.waiterName(), any -> new ArrayList<>()).add(edge));
  }

  /**
   * Deadlocks over several nodes, such that none is left when each one's victim is gone. A cycle on
   * one node only is PostgreSQL's own to find.
   */
  static List<Deadlock> deadlocks(List<WaitEdge> edges) {
    WaitGraph graph = new WaitGraph(edges);
    List<Deadlock> found = new ArrayList<>();
    // Each turn removes at least one edge.
    for (int turn = 0; turn < edges.size(); turn++) {
      Optional<List<WaitEdge>> cycle = graph.anyCycle();
      if (cycle.isEmpty()) {
        break;
      }
      if (cycle.get().stream().mapToInt(WaitEdge::node).distinct().count() < 2) {
        graph.remove(cycle.get().get(0));
        continue;
      }
      Deadlock deadlock = new Deadlock(cycle.get());
      found.add(deadlock);
      graph.waits.remove(deadlock.victim().waiterName());
    }
    return found;
  }

  private void remove(WaitEdge edge) {
    waits.get(edge.waiterName()).remove(edge);
  }

  private Optional<List<WaitEdge>> anyCycle() {
    Set<String> finished = new HashSet<>();
    for (String start : waits.keySet()) {
      List<WaitEdge> cycle = search(start, finished);
      if (!cycle.isEmpty()) {
        return Optional.of(cycle);
      }
    }
    return Optional.empty();
  }

  /**
   * Depth-first, with its own stack, since chains of waits may be long. Empty when no cycle can be
   * reached.
   */
  private List<WaitEdge> search(String start, Set<String> finished) {
    List<WaitEdge> path = new ArrayList<>();
    List<Integer> next = new ArrayList<>(List.of(0));
    List<String> names = new ArrayList<>(List.of(start));
    Set<String> onPath = new HashSet<>(Set.of(start));
    while (!names.isEmpty()) {
      int depth = names.size() - 1;
      String here = names.get(depth);
      List<WaitEdge> edges =
          finished.contains(here) ? List.of() : waits.getOrDefault(here, List.of());
      int index = next.get(depth);
      if (index == edges.size()) {
        finished.add(here);
        onPath.remove(here);
        names.remove(depth);
        next.remove(depth);
        if (depth > 0) {
          path.remove(depth - 1);
        }
        continue;
      }
      next.set(depth, index + 1);
      WaitEdge edge = edges.get(index);
      path.add(edge);
      if (onPath.contains(edge.blockerName())) {
        return List.copyOf(path.subList(names.indexOf(edge.blockerName()), path.size()));
      }
      names.add(edge.blockerName());
      onPath.add(edge.blockerName());
      next.add(0);
    }
    return List.of();
  }
}
