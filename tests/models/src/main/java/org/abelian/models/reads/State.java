package org.abelian.models.reads;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A state: what each node has committed, and how far each reader is. Steps copy it. */
final class State {
  /** What a transaction has done on a node. */
  static final int NOTHING = 0;

  static final int PASSED = 1;
  static final int COMMITTED = 2;
  static final int ABORTED = 3;

  /**
   * What a router knows: for each node how many are over, for each transaction where it is seen.
   */
  record Knowledge(List<Integer> over, List<Integer> halves) {}

  /** One session that reads. */
  static final class Reader {
    Knowledge known;

    /** How many had passed the node's gate before its snapshot was taken; -1 before. */
    final int[] early;

    /** The transactions that a node's snapshot shows, as bits; -1 before it is taken. */
    final int[] seen;

    /** How many had passed the node's gate when it told; -1 before. */
    final int[] told;

    /**
     * By which transactions a node's snapshot is to be completed, as bits; null before it is
     * judged.
     */
    int[] completed;

    Reader(Knowledge known, int nodes) {
      this.known = known;
      early = new int[nodes];
      seen = new int[nodes];
      told = new int[nodes];
      Arrays.fill(early, -1);
      Arrays.fill(seen, -1);
      Arrays.fill(told, -1);
    }

    Reader(Reader other) {
      known = other.known;
      early = other.early.clone();
      seen = other.seen.clone();
      told = other.told.clone();
      completed = other.completed;
    }
  }

  final int[][] phases;
  final List<List<Integer>> passed = new ArrayList<>();
  final Reader[] readers;
  Knowledge ledger;
  int rounds;

  /** Everybody has just left the gates. */
  State(World world) {
    int transactions = world.transactions().size();
    phases = new int[transactions][world.nodes()];
    readers = new Reader[world.readers()];
    for (int node = 0; node < world.nodes(); node++) {
      passed.add(List.of());
    }
    ledger =
        new Knowledge(
            List.copyOf(java.util.Collections.nCopies(world.nodes(), 0)),
            List.copyOf(java.util.Collections.nCopies(transactions, 0)));
    rounds = world.rounds();
  }

  State(State other) {
    phases = Arrays.stream(other.phases).map(int[]::clone).toArray(int[][]::new);
    passed.addAll(other.passed);
    readers = other.readers.clone();
    ledger = other.ledger;
    rounds = other.rounds;
  }

  /** The transactions that a snapshot of the node shows now, as bits. */
  int committed(int node) {
    int shown = 0;
    for (int t = 0; t < phases.length; t++) {
      shown |= phases[t][node] == COMMITTED ? 1 << t : 0;
    }
    return shown;
  }

  void pass(int transaction, int node) {
    List<Integer> longer = new ArrayList<>(passed.get(node));
    longer.add(transaction);
    passed.set(node, List.copyOf(longer));
  }

  Reader change(int reader) {
    readers[reader] = new Reader(readers[reader]);
    return readers[reader];
  }

  /** The same for equal states. */
  String fingerprint() {
    StringBuilder text = new StringBuilder();
    text.append(Arrays.deepToString(phases)).append(passed).append(ledger).append(rounds);
    for (Reader reader : readers) {
      if (reader == null) {
        text.append('-');
      } else {
        text.append(reader.known)
            .append(Arrays.toString(reader.early))
            .append(Arrays.toString(reader.completed))
            .append(Arrays.toString(reader.seen))
            .append(Arrays.toString(reader.told));
      }
    }
    return text.toString();
  }
}
