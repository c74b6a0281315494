package org.abelian.models.independent;

import static org.abelian.models.independent.State.FINAL;
import static org.abelian.models.independent.State.LOCKS;
import static org.abelian.models.independent.State.NONE;
import static org.abelian.models.independent.State.PREPARED;
import static org.abelian.models.independent.State.PROPOSED;
import static org.abelian.models.independent.State.TOLD_COMMITTED;
import static org.abelian.models.independent.State.WAITS;
import static org.abelian.models.independent.State.key;

import org.abelian.models.independent.State.Field;

/** What a node does: propose, run its lane, write its log to disk, crash and come back. */
final class NodeSteps {
  private NodeSteps() {}

  static void add(Successors to) {
    State from = to.from();
    for (int node = 0; node < from.setting().nodes(); node++) {
      if (!from.is(Field.UP, node)) {
        restart(to, node);
        continue;
      }
      runLane(to, node);
      if (from.get(Field.DURABLE, node) < from.get(Field.LOG_LENGTH, node)) {
        State next = to.add("flush", -1, node);
        next.set(Field.DURABLE, node, from.get(Field.DURABLE, node) + 1);
      }
      if (from.is(Field.CRASHES_LEFT, 0)) {
        crash(to, node);
      }
      forget(to, node);
    }
  }

  /** A proposal arrives; the timestamp proposed, or 0 when the node refuses. */
  static int propose(State next, int transaction, int node, int increment) {
    if (!next.is(Field.UP, node) || !next.is(Field.OPEN, node)) {
      return 0;
    }
    if (isOutdated(next, transaction, node)
        || isGateClosed(next, node)
        || next.get(Field.ENTRY, node, transaction) != NONE) {
      return 0;
    }
    int last = next.setting().has(Flaw.CLOCK_ALONE) ? 0 : next.get(Field.LAST, node);
    int proposal = last + increment;
    next.set(Field.ENTRY, node, transaction, PROPOSED);
    next.set(Field.ENTRY_TIMESTAMP, node, transaction, proposal);
    next.set(Field.LAST, node, Math.max(next.get(Field.LAST, node), proposal));
    return proposal;
  }

  /** Begun before a crash of this node, or of a peer that has caught up since. */
  private static boolean isOutdated(State state, int transaction, int node) {
    Setting setting = state.setting();
    if (!setting.has(Flaw.NO_INCARNATION)
        && state.get(Field.KNOWN, transaction, node) != state.get(Field.RUN, node)) {
      return true;
    }
    for (int peer = 0; peer < setting.nodes(); peer++) {
      if (setting.takesPart(peer, transaction)
          && state.get(Field.KNOWN, transaction, peer) < state.get(Field.FENCE, node, peer)) {
        return true;
      }
    }
    return false;
  }

  static boolean isGateClosed(State state, int node) {
    int gate = state.get(Field.GATE, node);
    return !state.setting().has(Flaw.NO_GATE) && (gate == WAITS || gate == PREPARED);
  }

  /** The final timestamp arrives; false when the node refuses. */
  static boolean takeTimestamp(State next, int transaction, int node) {
    boolean sameRun =
        next.setting().has(Flaw.NO_INCARNATION)
            || next.get(Field.KNOWN, transaction, node) == next.get(Field.RUN, node);
    if (!next.is(Field.UP, node)
        || !sameRun
        || next.get(Field.ENTRY, node, transaction) != PROPOSED) {
      return false;
    }
    int timestamp =
        next.setting().has(Flaw.NO_MAXIMUM)
            ? next.get(Field.ENTRY_TIMESTAMP, node, transaction)
            : next.get(Field.TIMESTAMP, transaction);
    makeFinal(next, transaction, node, timestamp);
    return true;
  }

  static void makeFinal(State next, int transaction, int node, int timestamp) {
    next.set(Field.ENTRY, node, transaction, FINAL);
    next.set(Field.ENTRY_TIMESTAMP, node, transaction, timestamp);
    next.set(Field.LAST, node, Math.max(next.get(Field.LAST, node), timestamp));
  }

  private static void runLane(Successors to, int node) {
    State from = to.from();
    for (int transaction = 0; transaction < from.setting().transactions(); transaction++) {
      if (from.get(Field.ENTRY, node, transaction) == FINAL && isItsTurn(from, transaction, node)) {
        State next = to.add("lane executes", transaction, node);
        execute(next, transaction, node, from.get(Field.ENTRY_TIMESTAMP, node, transaction));
      }
    }
  }

  private static boolean isItsTurn(State state, int transaction, int node) {
    int gate = state.get(Field.GATE, node);
    boolean isRead = state.setting().isRead(transaction);
    if (!isRead && (gate == LOCKS || gate == WAITS || gate == PREPARED)) {
      return false; // A row lock of the coordinated transaction is in the way.
    }
    if (state.setting().has(Flaw.OUT_OF_TIMESTAMP_ORDER)
        || isRead && state.setting().has(Flaw.READ_OUT_OF_TURN)) {
      return true;
    }
    int own = key(state.get(Field.ENTRY_TIMESTAMP, node, transaction), transaction);
    for (int other = 0; other < state.setting().transactions(); other++) {
      boolean hasPlace =
          !state.setting().isRead(other) || !state.setting().has(Flaw.READ_WITHOUT_PLACE);
      if (other != transaction
          && hasPlace
          && state.isPending(node, other)
          && key(state.get(Field.ENTRY_TIMESTAMP, node, other), other) < own) {
        return false;
      }
    }
    return true;
  }

  /**
   * The fragment, its record and the new watermark, in one transaction of the node. A read leaves
   * neither; that it stands in the log says what its snapshot shows.
   */
  static void execute(State next, int transaction, int node, int timestamp) {
    boolean records =
        !next.setting().isRead(transaction) && !next.setting().has(Flaw.INTENT_NOT_STORED);
    next.append(node, transaction, timestamp);
    next.set(Field.ENTRY, node, transaction, NONE);
    next.set(Field.RECORD, node, transaction, records ? 1 : 0);
    next.set(Field.LAST, node, Math.max(next.get(Field.LAST, node), timestamp));
  }

  /** What the node keeps in memory is gone, and of its log what was not on disk. */
  private static void crash(Successors to, int node) {
    State next = to.add("CRASH", -1, node);
    Setting setting = next.setting();
    next.set(Field.CRASHES_LEFT, 0, next.get(Field.CRASHES_LEFT, 0) - 1);
    next.set(Field.UP, node, 0);
    next.set(Field.OPEN, node, 0);
    for (int at = next.get(Field.DURABLE, node); at < next.get(Field.LOG_LENGTH, node); at++) {
      int transaction = next.get(Field.LOG, node, at);
      if (transaction < setting.transactions()) {
        next.set(Field.RECORD, node, transaction, 0);
      }
      next.set(Field.LOG, node, at, 0);
      next.set(Field.LOG_TIMESTAMP, node, at, 0);
    }
    next.set(Field.LOG_LENGTH, node, next.get(Field.DURABLE, node));
    next.clear(Field.ENTRY, node);
    next.clear(Field.ENTRY_TIMESTAMP, node);
    next.clear(Field.FENCE, node);
    next.clear(Field.CATCHING_UP_ASKED, node);
    next.clear(Field.CATCHING_UP_EVIDENCE, node);
    next.set(Field.CATCHING_UP, node, 0);
    next.set(Field.LAST, node, 0);
    CoordinatedSteps.nodeCrashed(next, node);
  }

  private static void restart(Successors to, int node) {
    State next = to.add("restart", -1, node);
    next.set(Field.UP, node, 1);
    next.set(Field.RUN, node, next.get(Field.RUN, node) + 1);
    next.set(Field.OPEN, node, next.setting().has(Flaw.NO_CATCH_UP) ? 1 : 0);
    int watermark = next.watermark(node);
    next.set(Field.LAST, node, watermark < 0 ? 0 : watermark >> 3);
  }

  /** Records of what every participant has on disk may go, at each node at another time. */
  private static void forget(Successors to, int node) {
    State from = to.from();
    for (int transaction = 0; transaction < from.setting().transactions(); transaction++) {
      if (from.get(Field.PHASE, transaction) == TOLD_COMMITTED
          && from.get(Field.RECORD, node, transaction) != 0) {
        to.add("forget", transaction, node).set(Field.RECORD, node, transaction, 0);
      }
    }
  }
}
