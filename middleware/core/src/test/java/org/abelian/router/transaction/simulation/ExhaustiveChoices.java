package org.abelian.router.transaction.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * All runs with at most so many unusual choices, one after the other, depth first (delay-bounded
 * scheduling; Emmi, Qadeer and Rakamarić, POPL 2011).
 */
final class ExhaustiveChoices implements Choices {
  private final int unusualMax;
  private final List<Integer> chosen = new ArrayList<>();
  private final List<Integer> options = new ArrayList<>();
  private int position;
  private int unusual;

  ExhaustiveChoices(int unusualMax) {
    this.unusualMax = unusualMax;
  }

  @Override
  public int choose(int count) {
    if (position == chosen.size()) {
      chosen.add(0);
      options.add(unusual < unusualMax ? count : 1);
    }
    int choice = chosen.get(position++);
    if (choice > 0) {
      unusual++;
    }
    return choice;
  }

  /** Prepares the next run; false when all have been made. */
  boolean next() {
    for (int last = chosen.size() - 1; last >= 0; last--) {
      if (chosen.get(last) + 1 < options.get(last)) {
        chosen.set(last, chosen.get(last) + 1);
        chosen.subList(last + 1, chosen.size()).clear();
        options.subList(last + 1, options.size()).clear();
        position = 0;
        unusual = 0;
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return "choices " + chosen.subList(0, Math.min(position, chosen.size()));
  }
}
