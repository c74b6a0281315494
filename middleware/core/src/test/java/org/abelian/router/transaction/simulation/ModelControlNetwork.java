package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.abelian.router.transaction.ControlNetwork;
import org.abelian.router.transaction.Finish;
import org.abelian.router.transaction.Gid;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.TransactionStatus;

/**
 * Control connections to the nodes in memory. Age is ignored: nothing in the protocol may depend on
 * it.
 */
final class ModelControlNetwork implements ControlNetwork {
  private final World world;

  ModelControlNetwork(World world) {
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
  public boolean settle(Gid gid) throws NodeUnreachableException {
    ModelNode holder = reach(gid.holder());
    Boolean stands = holder.decisions.get(gid);
    if (stands == null && holder.isBeingDecided(gid)) {
      if (!world.has(Flaw.SETTLE_WITHOUT_WAITING)) {
        throw new NodeUnreachableException(gid.holder(), "waits for a lock", null);
      }
      stands = false;
    }
    if (stands == null) {
      stands = false;
      if (!world.has(Flaw.PRESUME_ABORT_SILENTLY)) {
        holder.decisions.put(gid, false);
        holder.runningAtAbort.put(gid, holder.running());
      }
    }
    answer(gid.holder());
    return stands;
  }

  @Override
  public Finish finish(int node, Gid gid, boolean commit) throws NodeUnreachableException {
    ModelNode target = reach(node);
    if (target.prepared.containsKey(gid) && world.happens("busy")) {
      return Finish.BUSY;
    }
    String work = target.prepared.remove(gid);
    if (work != null && commit) {
      target.committed.add(work);
    }
    answer(node);
    return work == null ? Finish.ABSENT : Finish.FINISHED;
  }

  @Override
  public List<Gid> prepared(int node, Duration olderThan, int limit)
      throws NodeUnreachableException {
    return List.copyOf(reach(node).prepared.keySet());
  }

  @Override
  public List<Gid> stillPrepared(int node, Collection<Gid> gids) throws NodeUnreachableException {
    ModelNode asked = reach(node);
    return world.has(Flaw.FORGET_COMMITS_UNASKED)
        ? List.of()
        : gids.stream().filter(asked.prepared::containsKey).toList();
  }

  @Override
  public List<Gid> commitDecisions(int holder, Duration olderThan, int limit)
      throws NodeUnreachableException {
    ModelNode asked = reach(holder);
    return asked.decisions.keySet().stream().filter(asked.decisions::get).toList();
  }

  @Override
  public void forget(int holder, Collection<Gid> gids) throws NodeUnreachableException {
    ModelNode asked = reach(holder);
    gids.forEach(gid -> asked.decisions.remove(gid, true));
  }

  @Override
  public void forgetAborted(int holder, Duration olderThan) throws NodeUnreachableException {
    ModelNode asked = reach(holder);
    asked.decisions.entrySet().removeIf(entry -> !entry.getValue() && mayGo(asked, entry.getKey()));
  }

  private boolean mayGo(ModelNode holder, Gid gid) {
    return world.has(Flaw.FORGET_ABORTS_BY_AGE)
        || holder.runningAtAbort.get(gid).stream().noneMatch(ModelConnection::isOpen);
  }

  @Override
  public TransactionStatus outcome(int node, String token) throws NodeUnreachableException {
    ModelNode asked = reach(node);
    if (asked.committed.contains(token.substring(token.indexOf(':') + 1))) {
      return TransactionStatus.COMMITTED;
    }
    return asked.connections.stream().anyMatch(ModelConnection::isOpen)
        ? TransactionStatus.IN_PROGRESS
        : TransactionStatus.ABORTED;
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
