package org.abelian.router.transaction.independent;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.transaction.NodeUnreachableException;

/**
 * Begins and settles the independent transactions of one router, and remembers what it knows of the
 * nodes' lanes. Safe for several threads.
 */
public final class IndependentTransactions {
  private final UUID router;
  private final LaneNetwork network;
  private final IndependentLedger ledger;
  private final Settlement settlement;
  private final CatchUp catchUp;
  private final AtomicLong next = new AtomicLong(1);
  private final Map<Integer, LaneState> known = new ConcurrentHashMap<>();

  /**
   * @param router drawn at random when the router starts, so that no restart repeats a name
   */
  public IndependentTransactions(UUID router, LaneNetwork network, IndependentLedger ledger) {
    this.router = router;
    this.network = network;
    this.ledger = ledger;
    this.settlement = new Settlement(network);
    this.catchUp = new CatchUp(network);
  }

  /**
   * A new transaction. What the router knows of the lanes is older than its name, which is what
   * makes late messages harmless.
   */
  public IndependentTransaction begin(long session, List<Integer> participants)
      throws NodeUnreachableException {
    Map<Integer, LaneState> lanes = new LinkedHashMap<>();
    for (int node : participants) {
      lanes.put(node, lane(node));
    }
    String id = router + ":" + session + "-" + next.getAndIncrement();
    ledger.begin(id);
    return new IndependentTransaction(id, lanes);
  }

  private LaneState lane(int node) throws NodeUnreachableException {
    LaneState lane = known.get(node);
    if (lane == null) {
      lane = network.state(node);
      known.put(node, lane);
    }
    return lane;
  }

  /** Whether all of them can complete such transactions; nodes before 0.6.0 cannot safely. */
  public boolean areUpdated(List<Integer> nodes) throws NodeUnreachableException {
    for (int node : nodes) {
      if (!lane(node).updated()) {
        return false;
      }
    }
    return true;
  }

  /** Nodes that could not complete such transactions may have been updated meanwhile. */
  public void lookAgain() {
    known.values().removeIf(lane -> !lane.updated());
  }

  /** Finds out anew about a node that refused to propose, so that the next attempt may succeed. */
  public void learn(int node, Refusal refusal) throws NodeUnreachableException {
    if (refusal == Refusal.CLOSED) {
      catchUp.run(node);
    }
    known.remove(node);
  }

  /** Finds out anew about all nodes of a transaction. */
  public void learn(List<Integer> nodes) {
    nodes.forEach(known::remove);
  }

  /** Whatever is proposed to these nodes from now on has a greater timestamp. */
  public void advance(List<Integer> nodes, long timestamp) throws NodeUnreachableException {
    for (int node : nodes) {
      network.advance(node, timestamp);
    }
  }

  /** Every participant has said that it is on disk. */
  public void acknowledged(IndependentTransaction transaction) {
    ledger.acknowledged(transaction.id(), transaction.participants());
    ledger.end(transaction.id());
  }

  /** Nothing of it is pending anywhere, and it has left no record: a read. */
  public void passed(IndependentTransaction transaction) {
    ledger.end(transaction.id());
  }

  /** Settles what could not be acknowledged. */
  public Settled settle(IndependentTransaction transaction) throws NodeUnreachableException {
    try {
      return settlement.settle(transaction.id(), transaction.participants());
    } finally {
      ledger.end(transaction.id());
    }
  }
}
