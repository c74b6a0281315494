package org.abelian.models.independent;

import static org.abelian.models.independent.State.CONFIRMED;
import static org.abelian.models.independent.State.DEAD;
import static org.abelian.models.independent.State.TOLD_ABORTED;
import static org.abelian.models.independent.State.TOLD_COMMITTED;

import java.util.Optional;
import org.abelian.models.independent.State.Field;

/** What the page promises, as questions about a state. */
final class Promises {
  private Promises() {}

  /** What must hold in every state. */
  static Optional<String> broken(State state) {
    for (int node = 0; node < state.setting().nodes(); node++) {
      Optional<String> found = twice(state, node);
      if (found.isPresent()) {
        return found;
      }
    }
    for (int transaction = 0; transaction < state.setting().transactions(); transaction++) {
      Optional<String> found = told(state, transaction);
      if (found.isPresent()) {
        return found;
      }
    }
    return isSerial(state) ? Optional.empty() : Optional.of("no serial order");
  }

  private static Optional<String> twice(State state, int node) {
    int seen = 0;
    for (int at = 0; at < state.get(Field.LOG_LENGTH, node); at++) {
      int bit = 1 << state.get(Field.LOG, node, at);
      if ((seen & bit) != 0) {
        return Optional.of("executed twice on a node");
      }
      seen |= bit;
    }
    return Optional.empty();
  }

  private static Optional<String> told(State state, int transaction) {
    int phase = state.get(Field.PHASE, transaction);
    for (int node = 0; node < state.setting().nodes(); node++) {
      if (state.setting().takesPart(node, transaction)) {
        int at = state.logged(node, transaction);
        if (phase == TOLD_COMMITTED && (at < 0 || at >= state.get(Field.DURABLE, node))) {
          return Optional.of("an acknowledged transaction is not on disk everywhere");
        }
        if (phase == TOLD_ABORTED && at >= 0 && !state.setting().isRead(transaction)) {
          return Optional.of("reported as rolled back, but executed");
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Every two transactions on a node conflict; their orders on all nodes must have no cycle. A read
   * counts when its client has got its rows.
   */
  private static boolean isSerial(State state) {
    int count = state.setting().transactions() + 1;
    int[] before = new int[count]; // for each transaction, those that precede it, as bits
    for (int node = 0; node < state.setting().nodes(); node++) {
      int seen = 0;
      for (int at = 0; at < state.get(Field.LOG_LENGTH, node); at++) {
        int transaction = state.get(Field.LOG, node, at);
        boolean discarded =
            state.setting().isRead(transaction)
                && state.get(Field.PHASE, transaction) != TOLD_COMMITTED;
        if (discarded) {
          continue;
        }
        before[transaction] |= seen;
        seen |= 1 << transaction;
      }
    }
    for (int middle = 0; middle < count; middle++) {
      for (int after = 0; after < count; after++) {
        if ((before[after] >> middle & 1) == 1) {
          before[after] |= before[middle];
        }
      }
    }
    for (int transaction = 0; transaction < count; transaction++) {
      if ((before[transaction] >> transaction & 1) == 1) {
        return false;
      }
    }
    return true;
  }

  /** What must hold when nothing can happen any more. */
  static Optional<String> brokenAtTheEnd(State state) {
    Setting setting = state.setting();
    for (int node = 0; node < setting.nodes(); node++) {
      if (!state.is(Field.OPEN, node)) {
        return Optional.of("a lane stays closed");
      }
      if (state.isAnythingPending(node)) {
        return Optional.of("a transaction stays pending");
      }
    }
    for (int transaction = 0; transaction < setting.transactions(); transaction++) {
      int phase = state.get(Field.PHASE, transaction);
      if (phase != TOLD_COMMITTED && phase != TOLD_ABORTED && phase != DEAD) {
        return Optional.of(phase == CONFIRMED ? "never acknowledged" : "a router waits for ever");
      }
      if (!setting.isRead(transaction)
          && !isWhole(state, transaction, setting.participants().get(transaction))) {
        return Optional.of("executed on some nodes only");
      }
    }
    return isWhole(state, setting.transactions(), setting.coordinated())
        ? Optional.empty()
        : Optional.of("the coordinated transaction is torn");
  }

  private static boolean isWhole(State state, int transaction, int nodes) {
    int executed = 0;
    for (int node = 0; node < state.setting().nodes(); node++) {
      if (state.logged(node, transaction) >= 0) {
        executed |= 1 << node;
      }
    }
    return executed == 0 || executed == nodes;
  }
}
