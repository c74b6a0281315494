package org.abelian.models.reads;

import java.util.ArrayList;
import java.util.List;

/** What a router makes of the nodes' answers to one round. */
final class Judge {
  private final World world;
  private final Flaw flaw;
  private final State.Reader reader;
  private final State.Knowledge known;
  private final List<List<Integer>> passed;
  private final int[] seenAt;
  private final boolean[] toldAgain;
  private final boolean[] isTold;
  private final int[] completed;
  private boolean reachesOut;

  Judge(World world, Flaw flaw, State state, int reader) {
    this.world = world;
    this.flaw = flaw;
    this.reader = state.readers[reader];
    this.known = flaw == Flaw.LATE_KNOWLEDGE ? state.ledger : this.reader.known;
    this.passed = state.passed;
    int transactions = world.transactions().size();
    seenAt = new int[transactions];
    toldAgain = new boolean[transactions];
    isTold = new boolean[transactions];
    completed = new int[world.nodes()];
    for (int t = 0; t < transactions; t++) {
      seenAt[t] = known.halves().get(t);
    }
    for (int node = 0; node < world.nodes(); node++) {
      if (world.reads(node)) {
        hear(node);
      }
    }
    for (int node = 0; node < world.nodes(); node++) {
      if (world.reads(node)) {
        complete(node);
      }
    }
  }

  /** By those that had passed before the snapshot was taken, and are seen elsewhere. */
  private void complete(int node) {
    int passedBefore = flaw == Flaw.COMPLETED_BY_THE_LATE ? reader.told[node] : reader.early[node];
    for (int at = known.over().get(node); at < Math.min(passedBefore, reader.told[node]); at++) {
      int t = passed.get(node).get(at);
      boolean missing = seenAt[t] != 0 && (seenAt[t] >> node & 1) == 0;
      if (missing) {
        completed[node] |= 1 << t;
      }
    }
  }

  /** By what the snapshots are to be completed, as bits for each node. */
  int[] completed() {
    return completed;
  }

  private int shownAt(int t) {
    int shown = seenAt[t];
    for (int node = 0; node < completed.length; node++) {
      shown |= (completed[node] >> t & 1) << node;
    }
    return shown;
  }

  private int over(int node) {
    int over = 0;
    while (over < reader.told[node] && hasEnded(passed.get(node).get(over), node)) {
      over++;
    }
    return flaw == Flaw.OVER_BEFORE_END ? reader.told[node] : over;
  }

  /**
   * A rolled back transaction has no part in any state that matters here, and counts as pending.
   */
  private boolean hasEnded(int transaction, int node) {
    return (reader.seen[node] >> transaction & 1) != 0;
  }

  private void hear(int node) {
    int over = over(node);
    for (int at = known.over().get(node); at < reader.told[node]; at++) {
      int t = passed.get(node).get(at);
      boolean seen = hasEnded(t, node);
      if (!seen && flaw == Flaw.ONLY_THE_SEEN) {
        continue;
      }
      isTold[t] = true;
      boolean old = (known.halves().get(t) >> node & 1) != 0;
      reachesOut |= !old && (world.transactions().get(t).nodes() & ~world.read()) != 0;
      seenAt[t] |= seen ? 1 << node : 0;
      toldAgain[t] |= seen && at >= over;
    }
  }

  private boolean isWhole(int t, int where) {
    int nodes = world.transactions().get(t).nodes() & world.read();
    boolean wrong = flaw == Flaw.ONLY_THE_SEEN && !isTold[t];
    return wrong || where == 0 || (where & nodes) == nodes;
  }

  /** Whether the client gets the rows. */
  boolean accepts() {
    for (int t = 0; t < seenAt.length; t++) {
      if (!isWhole(t, shownAt(t))) {
        return false;
      }
    }
    return !reachesOut || flaw == Flaw.NOTHING_OUTSIDE;
  }

  /** What is known afterwards. */
  State.Knowledge learned() {
    List<Integer> over = new ArrayList<>();
    for (int node = 0; node < world.nodes(); node++) {
      over.add(world.reads(node) ? over(node) : 0);
    }
    List<Integer> halves = new ArrayList<>();
    for (int t = 0; t < seenAt.length; t++) {
      int where = flaw == Flaw.COMPLETED_IS_KNOWN ? shownAt(t) : seenAt[t];
      boolean kept = !isWhole(t, where) || toldAgain[t];
      halves.add(kept && flaw != Flaw.NO_HALVES ? where : 0);
    }
    return new State.Knowledge(List.copyOf(over), List.copyOf(halves));
  }
}
