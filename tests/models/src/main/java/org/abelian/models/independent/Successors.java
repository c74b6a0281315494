package org.abelian.models.independent;

import java.util.ArrayList;
import java.util.List;

/** The states that one state can turn into, and by which steps. */
final class Successors {
  /** A step with the transaction and the node that it is about; -1 for neither. */
  record Step(String name, int transaction, int node) {
    @Override
    public String toString() {
      return name
          + (transaction < 0 ? "" : " T" + (transaction + 1))
          + (node < 0 ? "" : " at " + (char) ('A' + node));
    }
  }

  private final State from;
  private final List<Step> steps = new ArrayList<>();
  private final List<State> states = new ArrayList<>();

  Successors(State from) {
    this.from = from;
  }

  State from() {
    return from;
  }

  /** Adds a successor and gives it to be changed. */
  State add(String name, int transaction, int node) {
    State next = from.copy();
    steps.add(new Step(name, transaction, node));
    states.add(next);
    return next;
  }

  int size() {
    return states.size();
  }

  State state(int at) {
    return states.get(at);
  }

  Step step(int at) {
    return steps.get(at);
  }
}
