package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.abelian.router.transaction.Barring;
import org.abelian.router.transaction.Gid;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.IntentId;
import org.abelian.router.transaction.IntentNetwork;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.StoredIntent;

/**
 * Control connections to the nodes in memory, for intents. Age is ignored: nothing in the protocol
 * may depend on it.
 */
final class ModelIntentNetwork implements IntentNetwork {
  private final World world;

  ModelIntentNetwork(World world) {
    this.world = world;
  }

  @Override
  public List<Integer> nodes() {
    return world.nodeIds();
  }

  @Override
  public String describe(int node) {
    return "node " + node;
  }

  @Override
  public Optional<StoredIntent> read(int node, IntentId id) throws NodeUnreachableException {
    return Optional.ofNullable(reach(node).intents.rows.get(id.number()));
  }

  @Override
  public List<UUID> routers(int node, UUID except, Duration olderThan)
      throws NodeUnreachableException {
    return reach(node).intents.rows.values().stream()
        .map(row -> row.id().router())
        .filter(router -> !router.equals(except))
        .distinct()
        .toList();
  }

  @Override
  public List<StoredIntent> intents(int node, UUID router, int limit)
      throws NodeUnreachableException {
    return reach(node).intents.rows.values().stream()
        .filter(row -> row.id().router().equals(router))
        .limit(limit)
        .toList();
  }

  @Override
  public Barring bar(int node, IntentId id, List<Integer> nodes) throws NodeUnreachableException {
    ModelNode reached = reach(node);
    StoredIntent row = reached.intents.rows.get(id.number());
    if (row == null && !world.has(IntentFlaw.BAR_WITHOUT_WAITING)) {
      requireNoneUnderWay(reached);
    }
    if (row == null && reached.intents.isOver(id)) {
      return Barring.OVER;
    }
    if (row == null) {
      row = new StoredIntent(id, false, new Intent(nodes, null), "barred");
      if (!world.has(IntentFlaw.BAR_SILENTLY)) {
        reached.intents.rows.put(id.number(), row);
      }
    }
    answer(node);
    return row.committed() ? Barring.COMMITTED : Barring.BARRED;
  }

  @Override
  public boolean apply(int node, StoredIntent stored) throws NodeUnreachableException {
    ModelNode reached = reach(node);
    IntentId id = stored.id();
    StoredIntent row = reached.intents.rows.get(id.number());
    if (row == null && isUnderWay(reached)) {
      return false;
    }
    boolean over = row == null && reached.intents.isOver(id);
    if (over && !world.has(IntentFlaw.HORIZON_UNCHECKED)) {
      return true;
    }
    if (row == null || !row.committed() || world.has(IntentFlaw.APPLY_TWICE)) {
      reached.intents.rows.put(id.number(), stored);
      reached.intents.did(id.number(), world.has(IntentFlaw.INTENT_OF_ONE_NODE) ? 0 : 1);
    }
    answer(node);
    return true;
  }

  @Override
  public void close(int node, UUID router, long below) throws NodeUnreachableException {
    ModelNode reached = reach(node);
    if (!world.has(IntentFlaw.RETIRE_WITHOUT_CLOSING)) {
      requireNoneUnderWay(reached); // They hold the gate.
      reached.intents.close(router, below);
    }
    answer(node);
  }

  @Override
  public void forget(int node, UUID router, long below) throws NodeUnreachableException {
    reach(node).intents.forget(router, below);
    answer(node);
  }

  @Override
  public void record(Gid gid, boolean committed) throws NodeUnreachableException {
    ModelNode reached = reach(gid.holder());
    reached.decisions.putIfAbsent(gid, committed);
  }

  private static void requireNoneUnderWay(ModelNode node) throws NodeUnreachableException {
    if (isUnderWay(node)) {
      throw new NodeUnreachableException(node.id, "waits for a lock", null);
    }
  }

  private static boolean isUnderWay(ModelNode node) {
    return node.connections.stream().anyMatch(ModelConnection::holdsIntent);
  }

  private ModelNode reach(int node) throws NodeUnreachableException {
    world.pass(() -> true);
    ModelNode reached = world.node(node);
    if (!reached.up) {
      throw new NodeUnreachableException(node, "it is down", null);
    }
    return reached;
  }

  /** What was done may be done without the answer arriving. */
  private void answer(int node) throws NodeUnreachableException {
    if (world.happens("answer lost")) {
      throw new NodeUnreachableException(node, "the answer was lost", null);
    }
  }
}
