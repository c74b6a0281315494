package org.abelian.models.independent;

import static org.abelian.models.independent.State.CANCEL;
import static org.abelian.models.independent.State.COMPLETE;
import static org.abelian.models.independent.State.CONFIRMED;
import static org.abelian.models.independent.State.DEAD;
import static org.abelian.models.independent.State.EXECUTING;
import static org.abelian.models.independent.State.FROZEN;
import static org.abelian.models.independent.State.GATHER;
import static org.abelian.models.independent.State.GAVE_UP;
import static org.abelian.models.independent.State.NONE;
import static org.abelian.models.independent.State.PROPOSING;
import static org.abelian.models.independent.State.TOLD_ABORTED;
import static org.abelian.models.independent.State.TOMBSTONE;
import static org.abelian.models.independent.State.key;

import org.abelian.models.independent.State.Field;

/** Settling what a router gave up or left behind: freeze, then complete or cancel. */
final class RecoverySteps {
  private RecoverySteps() {}

  static void add(Successors to) {
    State from = to.from();
    for (int transaction = 0; transaction < from.setting().transactions(); transaction++) {
      int settling = from.get(Field.SETTLING, transaction);
      if (settling == 0) {
        start(to, transaction);
        continue;
      }
      if (from.is(Field.ROUTERS_LEFT, 0)) {
        State next = to.add("SETTLING ROUTER DIES of", transaction, -1);
        next.set(Field.ROUTERS_LEFT, 0, next.get(Field.ROUTERS_LEFT, 0) - 1);
        end(next, transaction);
      }
      for (int node = 0; node < from.setting().nodes(); node++) {
        if (from.setting().takesPart(node, transaction)
            && from.get(Field.SETTLING_ASKED, transaction, node) == 0) {
          ask(to, settling, transaction, node);
        }
      }
    }
  }

  private static void start(Successors to, int transaction) {
    State from = to.from();
    int phase = from.get(Field.PHASE, transaction);
    boolean left =
        phase == GAVE_UP
            || phase == DEAD && isPendingSomewhere(from, transaction)
            || isFrozenSomewhere(from, transaction);
    boolean hasty =
        (phase == PROPOSING || phase == EXECUTING)
            && from.is(Field.HASTY_LEFT, 0)
            && isPendingSomewhere(from, transaction);
    if (left || hasty) {
      State next = to.add(hasty ? "SETTLE EARLY" : "settle", transaction, -1);
      next.set(Field.SETTLING, transaction, GATHER);
      if (hasty) {
        next.set(Field.HASTY_LEFT, 0, next.get(Field.HASTY_LEFT, 0) - 1);
      }
    }
  }

  private static boolean isPendingSomewhere(State state, int transaction) {
    for (int node = 0; node < state.setting().nodes(); node++) {
      if (state.is(Field.UP, node) && state.isPending(node, transaction)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isFrozenSomewhere(State state, int transaction) {
    for (int node = 0; node < state.setting().nodes(); node++) {
      if (state.get(Field.ENTRY, node, transaction) == FROZEN) {
        return true;
      }
    }
    return false;
  }

  private static void ask(Successors to, int settling, int transaction, int node) {
    boolean up = to.from().is(Field.UP, node);
    if (settling == GATHER) {
      if (up) {
        freeze(to.add("freeze", transaction, node), transaction, node);
      }
    } else if (settling == COMPLETE) {
      State next = to.add("complete", transaction, node);
      if (up && next.is(Field.OPEN, node)) {
        complete(next, transaction, node);
      } // else it finds out when it catches up
      asked(next, transaction, node);
    } else {
      State next = to.add("cancel", transaction, node);
      if (up && next.isPending(node, transaction)) {
        next.set(Field.ENTRY, node, transaction, TOMBSTONE);
        next.set(Field.ENTRY_TIMESTAMP, node, transaction, 0);
      }
      asked(next, transaction, node);
    }
  }

  private static void freeze(State next, int transaction, int node) {
    Setting setting = next.setting();
    if (next.get(Field.RECORD, node, transaction) != 0) {
      int at = next.logged(node, transaction);
      flushEvidence(next, node);
      next.set(Field.SETTLING, transaction, COMPLETE);
      next.set(Field.SETTLING_EVIDENCE, transaction, next.get(Field.LOG_TIMESTAMP, node, at));
      next.clear(Field.SETTLING_ASKED, transaction);
      return;
    }
    if (next.isPending(node, transaction)) {
      if (!setting.has(Flaw.CANCEL_WITHOUT_FREEZE)) {
        next.set(Field.ENTRY, node, transaction, FROZEN);
      }
    } else if (!setting.has(Flaw.NO_TOMBSTONE)) {
      next.set(Field.ENTRY, node, transaction, TOMBSTONE);
    }
    asked(next, transaction, node);
  }

  static void flushEvidence(State next, int node) {
    if (!next.setting().has(Flaw.EVIDENCE_BEFORE_FLUSH)) {
      next.flush(node);
    }
  }

  private static void complete(State next, int transaction, int node) {
    int timestamp = next.get(Field.SETTLING_EVIDENCE, transaction);
    boolean done =
        next.get(Field.RECORD, node, transaction) != 0
            || key(timestamp, transaction) <= next.watermark(node);
    if (!done && next.isPending(node, transaction)) {
      NodeSteps.makeFinal(next, transaction, node, timestamp);
    }
  }

  private static void asked(State next, int transaction, int node) {
    next.set(Field.SETTLING_ASKED, transaction, node, 1);
    for (int other = 0; other < next.setting().nodes(); other++) {
      if (next.setting().takesPart(other, transaction)
          && next.get(Field.SETTLING_ASKED, transaction, other) == 0) {
        return;
      }
    }
    int settling = next.get(Field.SETTLING, transaction);
    if (settling == GATHER) {
      next.set(Field.SETTLING, transaction, CANCEL);
      next.clear(Field.SETTLING_ASKED, transaction);
      return;
    }
    boolean told = next.get(Field.PHASE, transaction) == GAVE_UP;
    if (told) {
      next.set(Field.PHASE, transaction, settling == COMPLETE ? CONFIRMED : TOLD_ABORTED);
    }
    end(next, transaction);
  }

  private static void end(State next, int transaction) {
    next.set(Field.SETTLING, transaction, NONE);
    next.set(Field.SETTLING_EVIDENCE, transaction, 0);
    next.clear(Field.SETTLING_ASKED, transaction);
  }
}
