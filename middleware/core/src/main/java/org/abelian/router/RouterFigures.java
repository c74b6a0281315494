package org.abelian.router;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.router.json.Json;
import org.abelian.router.pool.NodePools;
import org.abelian.router.pool.NodeUse;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.routing.RouteCounts;
import org.abelian.router.transaction.NodeWatch.NodeState;

/** What a router has done and does now, for those who watch it. Thread-safe. */
public final class RouterFigures {

  private final SessionRegistry sessions;
  private final NodePools pools;
  private final MemoryBudget memory;
  private final RouteCounts routes = new RouteCounts();
  private final LongAdder analyses = new LongAdder();
  private final AtomicInteger inDoubt = new AtomicInteger();
  private volatile List<NodeState> nodeStates = List.of();

  RouterFigures(SessionRegistry sessions, NodePools pools, MemoryBudget memory) {
    this.sessions = sessions;
    this.pools = pools;
    this.memory = memory;
  }

  /** Where statements are counted. */
  RouteCounts routes() {
    return routes;
  }

  /** A node is asked what a text is. */
  void analysed() {
    analyses.increment();
  }

  /** How often nodes were asked what a text is. */
  public long analyses() {
    return analyses.sum();
  }

  /** Recovery has looked, and has left so many prepared transactions. */
  void inDoubt(int count) {
    inDoubt.set(count);
  }

  /** Nodes have been asked. */
  void nodeStates(List<NodeState> states) {
    nodeStates = List.copyOf(states);
  }

  /** What nodes told when they were asked last; those that did not answer are missing. */
  public List<NodeState> nodeStates() {
    return nodeStates;
  }

  /** How many sessions are open. */
  public int sessionCount() {
    return sessions.size();
  }

  /** How many statements took which route, by its name. */
  public Map<String, Long> statements() {
    return routes.counts();
  }

  /** How many reads were answered in a batch with those of other sessions. */
  public long batchedReads() {
    return routes.batched();
  }

  /** Connections to each node that was used. */
  public List<NodeUse> nodes() {
    return pools.uses();
  }

  /** Prepared transactions that recovery found when it looked last, and could not finish yet. */
  public int inDoubt() {
    return inDoubt.get();
  }

  /** Bytes that buffers of sessions take. */
  public long memoryUsed() {
    return memory.used();
  }

  /** Bytes that they may take. */
  public long memoryLimit() {
    return memory.limit();
  }

  /** All of it, as {@code SHOW abelian.router_statistics} gives it. */
  public String json() {
    ObjectNode all = Json.object();
    all.put("sessions", sessionCount());
    ObjectNode counts = all.putObject("statements");
    statements().forEach(counts::put);
    all.put("analyses", analyses());
    all.put("batched_reads", batchedReads());
    ObjectNode addresses = all.putObject("nodes");
    for (NodeUse use : nodes()) {
      addresses
          .putObject(use.address().toString())
          .put("open", use.open())
          .put("lent", use.lent())
          .put("waiting", use.waiting());
    }
    ObjectNode states = all.putObject("node_states");
    for (NodeState state : nodeStates()) {
      states
          .putObject(state.address())
          .put("split_objects", state.splitObjects())
          .put("lag_ms", state.lagMillis());
    }
    all.put("in_doubt", inDoubt());
    all.putObject("memory").put("used", memoryUsed()).put("limit", memoryLimit());
    return all.toString();
  }
}
