package org.abelian.models.reads;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What can happen next in a state. */
final class Steps {
  /**
   * A step.
   *
   * @param broken the promise that it breaks
   */
  record Step(String name, State next, Optional<String> broken) {}

  private final World world;
  private final Flaw flaw;
  private final State state;
  private final List<Step> steps = new ArrayList<>();

  private Steps(World world, Flaw flaw, State state) {
    this.world = world;
    this.flaw = flaw;
    this.state = state;
  }

  static List<Step> of(World world, Flaw flaw, State state) {
    Steps steps = new Steps(world, flaw, state);
    for (int t = 0; t < world.transactions().size(); t++) {
      for (int node = 0; node < world.nodes(); node++) {
        if (world.transactions().get(t).isOn(node)) {
          steps.transaction(t, node);
        }
      }
    }
    for (int reader = 0; reader < world.readers(); reader++) {
      steps.reader(reader);
    }
    return steps.steps;
  }

  private void add(String name, State next) {
    steps.add(new Step(name, next, Optional.empty()));
  }

  private void transaction(int t, int node) {
    if (state.phases[t][node] == State.NOTHING && mayPass(t, node)) {
      State next = new State(state);
      next.phases[t][node] = State.PASSED;
      if (flaw != Flaw.PASS_AFTER_COMMIT && !world.transactions().get(t).isOfOneNode()) {
        next.pass(t, node);
      }
      add("T" + t + " passes at " + node, next);
    } else if (state.phases[t][node] == State.PASSED && mayCommit(t, node)) {
      State next = new State(state);
      next.phases[t][node] = State.COMMITTED;
      add("T" + t + " commits at " + node, next);
    } else if (flaw == Flaw.PASS_AFTER_COMMIT
        && state.phases[t][node] == State.COMMITTED
        && !world.transactions().get(t).isOfOneNode()
        && !state.passed.get(node).contains(t)) {
      State next = new State(state);
      next.pass(t, node);
      add("T" + t + " is noted at " + node, next);
    }
  }

  /**
   * All its work is done before it commits, and the holder decides when the others are prepared.
   */
  private boolean mayPass(int t, int node) {
    Transaction transaction = world.transactions().get(t);
    if (transaction.after() >= 0 && !hasLocks(t, transaction.after())) {
      return false;
    }
    if (!transaction.coordinated() || node != transaction.holder()) {
      return true;
    }
    for (int other = 0; other < world.nodes(); other++) {
      if (other != node && transaction.isOn(other) && state.phases[t][other] == State.NOTHING) {
        return false;
      }
    }
    return true;
  }

  private boolean hasLocks(int t, int before) {
    int common = world.transactions().get(t).nodes() & world.transactions().get(before).nodes();
    return state.phases[before][Integer.numberOfTrailingZeros(common)] == State.COMMITTED;
  }

  private boolean mayCommit(int t, int node) {
    Transaction transaction = world.transactions().get(t);
    return !transaction.coordinated()
        || node == transaction.holder()
        || state.phases[t][transaction.holder()] == State.COMMITTED;
  }

  private void reader(int number) {
    State.Reader reader = state.readers[number];
    if (reader == null) {
      if (state.rounds > 0) {
        State next = new State(state);
        next.rounds--;
        next.readers[number] = new State.Reader(state.ledger, world.nodes());
        add("R" + number + " asks", next);
      }
      return;
    }
    if (reader.completed != null) {
      complete(number, reader);
      return;
    }
    boolean complete = true;
    for (int node = 0; node < world.nodes(); node++) {
      if (world.reads(node)) {
        complete &= reader.seen[node] >= 0 && reader.told[node] >= 0;
        node(number, reader, node);
      }
    }
    if (complete) {
      judge(number);
    }
  }

  private void node(int number, State.Reader reader, int node) {
    boolean listsFirst = flaw == Flaw.LIST_BEFORE_SNAPSHOT;
    if (reader.early[node] < 0) {
      State next = new State(state);
      next.change(number).early[node] = state.passed.get(node).size();
      add("R" + number + " looks at " + node, next);
    } else if (reader.seen[node] < 0 && (!listsFirst || reader.told[node] >= 0)) {
      State next = new State(state);
      next.change(number).seen[node] = state.committed(node);
      add("R" + number + " has its snapshot at " + node, next);
    } else if (reader.told[node] < 0 && (listsFirst || reader.seen[node] >= 0)) {
      State next = new State(state);
      next.change(number).told[node] = state.passed.get(node).size();
      add("R" + number + " is told at " + node, next);
    }
  }

  private void judge(int number) {
    Judge judge = new Judge(world, flaw, state, number);
    State next = new State(state);
    State.Knowledge before = state.readers[number].known;
    if (next.ledger.equals(before)) {
      next.ledger = judge.learned();
    }
    if (judge.accepts()) {
      next.change(number).completed = judge.completed();
      add("R" + number + " has what fits", next);
    } else {
      next.readers[number] = null;
      add("R" + number + " repeats", next);
    }
  }

  /** Each node waits until those have committed by which it completes its snapshot. */
  private void complete(int number, State.Reader reader) {
    for (int node = 0; node < world.nodes(); node++) {
      if ((reader.completed[node] & ~state.committed(node)) != 0) {
        return;
      }
    }
    State next = new State(state);
    next.readers[number] = null;
    steps.add(new Step("R" + number + " accepts", next, brokenBy(reader)));
  }

  private Optional<String> brokenBy(State.Reader reader) {
    for (int t = 0; t < world.transactions().size(); t++) {
      if (isSeenSomewhere(reader, t) && isMissingSomewhere(reader, t)) {
        return Optional.of("T" + t + " is torn");
      }
      int before = world.transactions().get(t).after();
      if (before >= 0 && isSeenSomewhere(reader, t) && isMissingSomewhere(reader, before)) {
        return Optional.of("T" + t + " is seen without T" + before);
      }
    }
    return Optional.empty();
  }

  private boolean isSeenSomewhere(State.Reader reader, int t) {
    for (int node = 0; node < world.nodes(); node++) {
      if (world.reads(node) && shows(reader, node, t)) {
        return true;
      }
    }
    return false;
  }

  private boolean isMissingSomewhere(State.Reader reader, int t) {
    for (int node = 0; node < world.nodes(); node++) {
      boolean concerned = world.reads(node) && world.transactions().get(t).isOn(node);
      if (concerned && !shows(reader, node, t)) {
        return true;
      }
    }
    return false;
  }

  private static boolean shows(State.Reader reader, int node, int t) {
    return ((reader.seen[node] | reader.completed[node]) >> t & 1) != 0;
  }
}
