package org.abelian.models.independent;

import static org.abelian.models.independent.State.ABORTED;
import static org.abelian.models.independent.State.COMMITTED;
import static org.abelian.models.independent.State.DECIDED;
import static org.abelian.models.independent.State.ENDED;
import static org.abelian.models.independent.State.LOCKS;
import static org.abelian.models.independent.State.NONE;
import static org.abelian.models.independent.State.PREPARED;
import static org.abelian.models.independent.State.WAITS;
import static org.abelian.models.independent.State.WORKING;

import org.abelian.models.independent.State.Field;

/**
 * A coordinated transaction with a row lock on each of its nodes in the way of every fragment. Its
 * holder is the first of them.
 */
final class CoordinatedSteps {
  private CoordinatedSteps() {}

  static void add(Successors to) {
    State from = to.from();
    Setting setting = from.setting();
    int state = from.get(Field.COORDINATED, 0);
    if (setting.coordinated() == 0 || state == COMMITTED || state == ABORTED) {
      return;
    }
    int holder = Integer.numberOfTrailingZeros(setting.coordinated());
    boolean locked = true;
    boolean othersPrepared = true;
    for (int node = 0; node < setting.nodes(); node++) {
      if (setting.isCoordinatedOn(node)) {
        locked &= from.get(Field.GATE, node) != NONE;
        othersPrepared &= node == holder || from.get(Field.GATE, node) == PREPARED;
      }
    }
    for (int node = 0; node < setting.nodes(); node++) {
      if (setting.isCoordinatedOn(node) && from.is(Field.UP, node)) {
        if (state == WORKING) {
          prepare(to, node, locked, node != holder || othersPrepared, node == holder);
        } else if (from.get(Field.GATE, node) == PREPARED) {
          commitPrepared(to, node);
        }
      }
    }
    if (state == WORKING && mayGiveUp(from)) {
      abort(to.add("coordinated aborts", -1, -1));
    }
  }

  private static boolean mayGiveUp(State state) {
    return state.setting().patient() ? isWaitedFor(state) : !isUntouched(state);
  }

  /** True when it waits at its gate for a fragment that waits for its row lock. */
  private static boolean isWaitedFor(State state) {
    for (int node = 0; node < state.setting().nodes(); node++) {
      for (int transaction = 0; transaction < state.setting().transactions(); transaction++) {
        if (state.get(Field.GATE, node) == WAITS
            && state.get(Field.ENTRY, node, transaction) == State.FINAL) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isUntouched(State state) {
    for (int node = 0; node < state.setting().nodes(); node++) {
      if (state.get(Field.GATE, node) != NONE) {
        return false;
      }
    }
    return true;
  }

  private static void prepare(
      Successors to, int node, boolean locked, boolean may, boolean holder) {
    State from = to.from();
    int gate = from.get(Field.GATE, node);
    if (gate == NONE) {
      to.add("coordinated locks", -1, node).set(Field.GATE, node, LOCKS);
    } else if (gate == LOCKS && locked && may) {
      to.add("coordinated waits", -1, node).set(Field.GATE, node, WAITS);
    } else if (gate == WAITS && may && isLaneAtRest(from, node)) {
      State next = to.add(holder ? "coordinated decides" : "coordinated prepares", -1, node);
      next.flush(node);
      next.set(Field.CLOCK, 0, Math.max(next.get(Field.CLOCK, 0), next.get(Field.LAST, node)));
      if (holder) {
        commit(next, node);
        next.set(Field.COORDINATED, 0, DECIDED);
      } else {
        next.set(Field.GATE, node, PREPARED);
      }
    }
  }

  private static boolean isLaneAtRest(State state, int node) {
    return state.setting().has(Flaw.NO_GATE)
        || state.is(Field.OPEN, node) && !state.isAnythingPending(node);
  }

  private static void commitPrepared(Successors to, int node) {
    State next = to.add("coordinated commits", -1, node);
    commit(next, node);
    for (int other = 0; other < next.setting().nodes(); other++) {
      if (next.get(Field.GATE, other) == PREPARED) {
        return;
      }
    }
    next.set(Field.COORDINATED, 0, COMMITTED);
  }

  private static void commit(State next, int node) {
    if (!next.setting().has(Flaw.NO_CLOCK_EXCHANGE)) {
      int clock = Math.max(next.get(Field.CLOCK, 0), next.get(Field.LAST, node));
      next.set(Field.LAST, node, clock);
    }
    next.append(node, next.setting().transactions(), 0);
    next.flush(node);
    next.set(Field.GATE, node, ENDED);
  }

  private static void abort(State next) {
    next.set(Field.COORDINATED, 0, ABORTED);
    for (int node = 0; node < next.setting().nodes(); node++) {
      if (next.setting().isCoordinatedOn(node)) {
        next.set(Field.GATE, node, ENDED);
      }
    }
  }

  /** What is prepared survives; what was not decided is rolled back everywhere. */
  static void nodeCrashed(State next, int node) {
    int gate = next.get(Field.GATE, node);
    if (next.get(Field.COORDINATED, 0) == WORKING && (gate == LOCKS || gate == WAITS)) {
      abort(next);
    }
  }
}
