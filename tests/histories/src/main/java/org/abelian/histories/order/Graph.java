package org.abelian.histories.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** A directed graph over numbers from 0. */
final class Graph {
  private final List<List<Integer>> successors = new ArrayList<>();

  /** Adds a vertex; its number. */
  int addVertex() {
    successors.add(new ArrayList<>());
    return successors.size() - 1;
  }

  void addEdge(int from, int to) {
    if (from != to) {
      successors.get(from).add(to);
    }
  }

  /** A shortest path from one of the starts to the goal, both included; empty if there is none. */
  List<Integer> path(Collection<Integer> starts, int goal) {
    int[] before = new int[successors.size()];
    Arrays.fill(before, -1);
    Deque<Integer> queue = new ArrayDeque<>();
    for (int start : starts) {
      before[start] = start;
      queue.add(start);
    }
    while (!queue.isEmpty()) {
      int at = queue.remove();
      if (at == goal) {
        return backwards(before, goal);
      }
      for (int next : successors.get(at)) {
        if (before[next] < 0) {
          before[next] = at;
          queue.add(next);
        }
      }
    }
    return List.of();
  }

  private static List<Integer> backwards(int[] before, int goal) {
    List<Integer> path = new ArrayList<>(List.of(goal));
    for (int at = goal; before[at] != at; at = before[at]) {
      path.add(before[at]);
    }
    Collections.reverse(path);
    return path;
  }

  /** A cycle, its first vertex repeated at the end; empty if there is none. */
  List<Integer> cycle() {
    int[] open = new int[successors.size()]; // predecessors that have not been removed
    successors.forEach(list -> list.forEach(to -> open[to]++));
    Deque<Integer> free = new ArrayDeque<>();
    for (int vertex = 0; vertex < open.length; vertex++) {
      if (open[vertex] == 0) {
        free.add(vertex);
      }
    }
    while (!free.isEmpty()) {
      int removed = free.remove();
      for (int next : successors.get(removed)) {
        if (--open[next] == 0) {
          free.add(next);
        }
      }
    }
    // What is left lies on cycles or behind them: the shortest of them is easiest to understand.
    List<Integer> shortest = List.of();
    for (int vertex = 0; vertex < open.length; vertex++) {
      if (open[vertex] > 0) {
        List<Integer> path = path(successors.get(vertex), vertex);
        if (!path.isEmpty() && (shortest.isEmpty() || path.size() < shortest.size())) {
          shortest = new ArrayList<>(path);
          shortest.add(0, vertex);
        }
      }
    }
    return shortest;
  }
}
