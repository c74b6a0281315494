package org.abelian.models.independent;

import static org.abelian.models.independent.State.CONFIRMED;
import static org.abelian.models.independent.State.DEAD;
import static org.abelian.models.independent.State.EXECUTE;
import static org.abelian.models.independent.State.EXECUTING;
import static org.abelian.models.independent.State.FROZEN;
import static org.abelian.models.independent.State.GAVE_UP;
import static org.abelian.models.independent.State.IDLE;
import static org.abelian.models.independent.State.PROPOSE;
import static org.abelian.models.independent.State.PROPOSING;
import static org.abelian.models.independent.State.TOLD_COMMITTED;
import static org.abelian.models.independent.State.TOMBSTONE;

import org.abelian.models.independent.State.Field;

/** What the routers of the clients do: propose, execute at the maximum, acknowledge; and die. */
final class RouterSteps {
  private RouterSteps() {}

  static void add(Successors to) {
    Setting setting = to.from().setting();
    for (int transaction = 0; transaction < setting.transactions(); transaction++) {
      begin(to, transaction);
      die(to, transaction);
      notice(to, transaction);
      for (int node = 0; node < setting.nodes(); node++) {
        if (setting.takesPart(node, transaction)) {
          deliver(to, transaction, node);
          acknowledge(to, transaction, node);
        }
      }
    }
  }

  private static void begin(Successors to, int transaction) {
    State from = to.from();
    Setting setting = from.setting();
    if (from.get(Field.PHASE, transaction) != IDLE) {
      return;
    }
    for (int node = 0; node < setting.nodes(); node++) {
      if (setting.takesPart(node, transaction)
          && !(from.is(Field.UP, node) && from.is(Field.OPEN, node))) {
        return;
      }
    }
    State next = to.add("begin", transaction, -1);
    next.set(Field.PHASE, transaction, PROPOSING);
    for (int node = 0; node < setting.nodes(); node++) {
      if (setting.takesPart(node, transaction)) {
        next.set(Field.KNOWN, transaction, node, from.get(Field.RUN, node));
        next.set(Field.FLIGHT, transaction, node, PROPOSE);
      }
    }
  }

  /** What the router has sent arrives all the same. */
  private static void die(Successors to, int transaction) {
    int phase = to.from().get(Field.PHASE, transaction);
    boolean alive = phase == PROPOSING || phase == EXECUTING || phase == GAVE_UP;
    if (alive && to.from().is(Field.ROUTERS_LEFT, 0)) {
      State next = to.add("ROUTER DIES of", transaction, -1);
      next.set(Field.ROUTERS_LEFT, 0, next.get(Field.ROUTERS_LEFT, 0) - 1);
      next.set(Field.PHASE, transaction, DEAD);
    }
  }

  /** The router finds its connection broken, or is told that its transaction is being settled. */
  private static void notice(Successors to, int transaction) {
    State from = to.from();
    if (from.get(Field.PHASE, transaction) != EXECUTING) {
      return;
    }
    for (int node = 0; node < from.setting().nodes(); node++) {
      int entry = from.get(Field.ENTRY, node, transaction);
      boolean gone =
          !from.is(Field.UP, node)
              || from.get(Field.RUN, node) != from.get(Field.KNOWN, transaction, node)
              || from.get(Field.FLIGHT, transaction, node) == 0
                  && (entry == FROZEN || entry == TOMBSTONE);
      if (from.setting().takesPart(node, transaction)
          && gone
          && from.get(Field.ACKNOWLEDGED, transaction, node) == 0) {
        giveUp(to.add("router notices loss of", transaction, node), transaction);
        return;
      }
    }
  }

  private static void deliver(Successors to, int transaction, int node) {
    State from = to.from();
    int flight = from.get(Field.FLIGHT, transaction, node);
    if (flight == 0) {
      return;
    }
    boolean propose = flight == PROPOSE;
    if (from.is(Field.LOSSES_LEFT, 0)) {
      State lost = to.add("LOSE MESSAGE to", transaction, node);
      lost.set(Field.LOSSES_LEFT, 0, lost.get(Field.LOSSES_LEFT, 0) - 1);
      lost.set(Field.FLIGHT, transaction, node, 0);
      giveUp(lost, transaction);
      State silent = to.add("LOSE ANSWER of", transaction, node);
      silent.set(Field.LOSSES_LEFT, 0, silent.get(Field.LOSSES_LEFT, 0) - 1);
      silent.set(Field.FLIGHT, transaction, node, 0);
      if (propose) {
        NodeSteps.propose(silent, transaction, node, 1);
      } else {
        NodeSteps.takeTimestamp(silent, transaction, node);
      }
      giveUp(silent, transaction);
    }
    if (propose
        && from.setting().has(Flaw.ENDLESS_WAIT)
        && from.is(Field.UP, node)
        && NodeSteps.isGateClosed(from, node)) {
      return; // Else either it arrives when the gate has opened, or it is refused.
    }
    if (propose) {
      propose(to.add("propose", transaction, node), transaction, node, 1);
      if (from.is(Field.JUMPS_LEFT, 0)) {
        State jumped = to.add("CLOCK JUMPS, propose", transaction, node);
        jumped.set(Field.JUMPS_LEFT, 0, jumped.get(Field.JUMPS_LEFT, 0) - 1);
        propose(jumped, transaction, node, 2);
      }
    } else {
      State next = to.add("execute", transaction, node);
      next.set(Field.FLIGHT, transaction, node, 0);
      if (!NodeSteps.takeTimestamp(next, transaction, node)) {
        giveUp(next, transaction);
      }
    }
  }

  private static void propose(State next, int transaction, int node, int increment) {
    next.set(Field.FLIGHT, transaction, node, 0);
    int proposal = NodeSteps.propose(next, transaction, node, increment);
    if (proposal == 0) {
      giveUp(next, transaction);
      return;
    }
    next.set(Field.PROPOSAL, transaction, node, proposal);
    Setting setting = next.setting();
    int maximum = 0;
    for (int other = 0; other < setting.nodes(); other++) {
      if (setting.takesPart(other, transaction)) {
        if (next.get(Field.PROPOSAL, transaction, other) == 0) {
          return;
        }
        maximum = Math.max(maximum, next.get(Field.PROPOSAL, transaction, other));
      }
    }
    if (next.get(Field.PHASE, transaction) != PROPOSING) {
      return;
    }
    next.set(Field.PHASE, transaction, EXECUTING);
    next.set(Field.TIMESTAMP, transaction, maximum);
    for (int other = 0; other < setting.nodes(); other++) {
      if (setting.takesPart(other, transaction)) {
        next.set(Field.FLIGHT, transaction, other, EXECUTE);
      }
    }
  }

  private static void giveUp(State next, int transaction) {
    int phase = next.get(Field.PHASE, transaction);
    if (phase == PROPOSING || phase == EXECUTING) {
      next.set(Field.PHASE, transaction, GAVE_UP);
    }
  }

  private static void acknowledge(Successors to, int transaction, int node) {
    State from = to.from();
    int phase = from.get(Field.PHASE, transaction);
    if (phase != EXECUTING && phase != CONFIRMED
        || from.get(Field.ACKNOWLEDGED, transaction, node) != 0) {
      return;
    }
    int at = from.logged(node, transaction);
    Field limit =
        from.setting().has(Flaw.ACKNOWLEDGE_BEFORE_FLUSH) ? Field.LOG_LENGTH : Field.DURABLE;
    if (at < 0 || at >= from.get(limit, node)) {
      return;
    }
    State next = to.add("acknowledge", transaction, node);
    next.set(Field.ACKNOWLEDGED, transaction, node, 1);
    for (int other = 0; other < next.setting().nodes(); other++) {
      if (next.setting().takesPart(other, transaction)
          && next.get(Field.ACKNOWLEDGED, transaction, other) == 0) {
        return;
      }
    }
    next.set(Field.PHASE, transaction, TOLD_COMMITTED);
  }
}
