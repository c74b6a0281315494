package org.abelian.router.transaction.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** The nodes and everything that can happen to them. */
final class World {
  private final Choices choices;
  private final Set<Flaw> flaws;
  private final Scheduler scheduler;
  private final Map<Integer, ModelNode> nodes = new TreeMap<>();
  private final List<ModelConnection> sessions = new ArrayList<>();
  private IntentFlaw intentFlaw;
  private int faultsLeft;

  World(Choices choices, int nodeCount, int faultsMax, Set<Flaw> flaws) {
    this.choices = choices;
    this.faultsLeft = faultsMax;
    this.flaws = flaws.isEmpty() ? EnumSet.noneOf(Flaw.class) : EnumSet.copyOf(flaws);
    for (int id = 1; id <= nodeCount; id++) {
      nodes.put(id, new ModelNode(id));
    }
    this.scheduler = new Scheduler(choices, this);
  }

  Scheduler scheduler() {
    return scheduler;
  }

  ModelNode node(int id) {
    return nodes.get(id);
  }

  List<Integer> nodeIds() {
    return List.copyOf(nodes.keySet());
  }

  /** Builds a mistake into what the nodes do with intents. */
  void build(IntentFlaw flaw) {
    intentFlaw = flaw;
  }

  boolean has(IntentFlaw flaw) {
    return intentFlaw == flaw;
  }

  boolean has(Flaw flaw) {
    return flaws.contains(flaw);
  }

  /** The coordinator's connection to a node, on which the transaction has done its work. */
  ModelConnection connect(int node, String transaction, boolean failed) {
    ModelConnection connection = new ModelConnection(this, nodes.get(node), transaction, failed);
    sessions.add(connection);
    return connection;
  }

  void pass(BooleanSupplier ready) {
    scheduler.pass(ready);
  }

  /** Whether something that may go wrong does. */
  boolean happens(String what) {
    boolean does = faultsLeft > 0 && choices.choose(2) == 1;
    if (does) {
      faultsLeft--;
    }
    return does;
  }

  /** Deliveries, and backends that notice that their client is gone; and nodes that come back. */
  List<Move> naturalMoves() {
    List<Move> moves = new ArrayList<>();
    for (ModelConnection connection : sessions) {
      if (connection.hasUnderWay()) {
        moves.add(new Move("arrive at " + connection.nodeNumber(), connection::arrive));
      } else if (connection.canNoticeClient()) {
        moves.add(new Move("end at " + connection.nodeNumber(), connection::noticeClient));
      }
    }
    for (ModelNode node : nodes.values()) {
      if (!node.up) {
        moves.add(new Move("restart " + node.id, () -> node.up = true));
      }
    }
    return moves;
  }

  List<Move> faults() {
    List<Move> moves = new ArrayList<>();
    if (faultsLeft == 0) {
      return moves;
    }
    if (scheduler.isRunning(Scenario.COORDINATOR)) {
      moves.add(fault("CRASH coordinator", this::crashCoordinator));
    }
    for (ModelNode node : nodes.values()) {
      if (node.up) {
        moves.add(fault("CRASH node " + node.id, node::crash));
      }
    }
    for (ModelConnection connection : sessions) {
      if (!connection.isBroken()) {
        String name = "BREAK connection to " + connection.nodeNumber();
        moves.add(fault(name + ", dropping", () -> connection.breakClientSide(false)));
        moves.add(fault(name + ", delivering", () -> connection.breakClientSide(true)));
      }
    }
    return moves;
  }

  private Move fault(String name, Runnable action) {
    return new Move(
        name,
        () -> {
          faultsLeft--;
          action.run();
        });
  }

  private void crashCoordinator() {
    scheduler.kill(Scenario.COORDINATOR);
    sessions.forEach(connection -> connection.breakClientSide(true));
  }

  /** No more faults, and every node is up. */
  void calm() {
    faultsLeft = 0;
    nodes.values().forEach(node -> node.up = true);
  }
}
