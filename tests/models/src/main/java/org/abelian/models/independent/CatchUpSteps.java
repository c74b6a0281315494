package org.abelian.models.independent;

import static org.abelian.models.independent.State.FROZEN;
import static org.abelian.models.independent.State.NONE;
import static org.abelian.models.independent.State.key;

import org.abelian.models.independent.State.Field;

/** A restarted node asks every peer, executes what it lacks, and opens its lane. */
final class CatchUpSteps {
  private CatchUpSteps() {}

  static void add(Successors to) {
    State from = to.from();
    for (int node = 0; node < from.setting().nodes(); node++) {
      if (!from.is(Field.UP, node) || from.is(Field.OPEN, node)) {
        continue;
      }
      if (from.get(Field.CATCHING_UP, node) == 0) {
        to.add("catch up", -1, node).set(Field.CATCHING_UP, node, from.get(Field.RUN, node));
        continue;
      }
      if (from.is(Field.ROUTERS_LEFT, 0)) {
        State next = to.add("ROUTER OF CATCHING UP DIES", -1, node);
        next.set(Field.ROUTERS_LEFT, 0, next.get(Field.ROUTERS_LEFT, 0) - 1);
        end(next, node);
      }
      boolean all = true;
      for (int peer = 0; peer < from.setting().nodes(); peer++) {
        if (peer != node && from.get(Field.CATCHING_UP_ASKED, node, peer) == 0) {
          all = false;
          if (from.is(Field.UP, peer)) {
            ask(to.add("ask for node " + node + " the peer", -1, peer), node, peer);
          }
        }
      }
      if (all) {
        open(to.add("open", -1, node), node);
      }
    }
  }

  private static void ask(State next, int node, int peer) {
    Setting setting = next.setting();
    int run = next.get(Field.CATCHING_UP, node);
    if (!setting.has(Flaw.NO_FENCE)) {
      next.set(Field.FENCE, peer, node, run);
    }
    next.set(Field.CATCHING_UP_ASKED, node, peer, 1);
    if (!setting.has(Flaw.NO_CLOCK_EXCHANGE)) {
      int clock = Math.max(next.get(Field.LAST, node), next.get(Field.LAST, peer));
      next.set(Field.LAST, node, clock);
    }
    for (int transaction = 0; transaction < setting.transactions(); transaction++) {
      if (!setting.takesPart(node, transaction) || !setting.takesPart(peer, transaction)) {
        continue;
      }
      if (next.get(Field.RECORD, peer, transaction) != 0) {
        RecoverySteps.flushEvidence(next, peer);
        next.set(
            Field.CATCHING_UP_EVIDENCE,
            node,
            transaction,
            next.get(Field.LOG_TIMESTAMP, peer, next.logged(peer, transaction)));
      } else if (next.isPending(peer, transaction)
          && next.get(Field.KNOWN, transaction, node) < run) {
        next.set(Field.ENTRY, peer, transaction, FROZEN);
      }
    }
  }

  private static void open(State next, int node) {
    Setting setting = next.setting();
    int watermark = next.watermark(node);
    for (int greatest = smallestAbove(next, node, -1);
        greatest >= 0;
        greatest = smallestAbove(next, node, greatest)) {
      int transaction = greatest & 7;
      boolean done =
          setting.has(Flaw.NO_WATERMARK)
              ? next.get(Field.RECORD, node, transaction) != 0
              : greatest <= watermark;
      if (!done) {
        NodeSteps.execute(next, transaction, node, greatest >> 3);
      }
    }
    next.set(Field.OPEN, node, 1);
    end(next, node);
  }

  /** The least key among what peers have executed that is above the given one; -1 if none is. */
  private static int smallestAbove(State state, int node, int bound) {
    int smallest = -1;
    for (int transaction = 0; transaction < state.setting().transactions(); transaction++) {
      int timestamp = state.get(Field.CATCHING_UP_EVIDENCE, node, transaction);
      int key = key(timestamp, transaction);
      if (timestamp > 0 && key > bound && (smallest < 0 || key < smallest)) {
        smallest = key;
      }
    }
    return smallest;
  }

  private static void end(State next, int node) {
    next.set(Field.CATCHING_UP, node, NONE);
    next.clear(Field.CATCHING_UP_ASKED, node);
    next.clear(Field.CATCHING_UP_EVIDENCE, node);
  }
}
