package org.abelian.router.transaction.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.abelian.router.transaction.Gid;

/** A node in memory: what is on disk, and the connections that are open. */
final class ModelNode {
  final int id;
  boolean up = true;

  /** On disk: which transactions' work is committed here. */
  final Set<String> committed = new HashSet<>();

  /** On disk: whose work waits under which gid. */
  final Map<Gid, String> prepared =
      new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));

  /** On disk: the decisions that are committed. */
  final Map<Gid, Boolean> decisions = new HashMap<>();

  /** For each abort: the transactions that ran when it was written. */
  final Map<Gid, Set<ModelConnection>> runningAtAbort = new HashMap<>();

  /** What a crash would lose, with {@link Flaw#DECISION_NOT_DURABLE}. */
  final List<Runnable> notOnDisk = new ArrayList<>();

  /** On disk: what commuting transactions left. */
  final ModelIntents intents = new ModelIntents();

  final List<ModelConnection> connections = new ArrayList<>();

  ModelNode(int id) {
    this.id = id;
  }

  /** True while some open transaction has inserted a decision for that gid. */
  boolean isBeingDecided(Gid gid) {
    return connections.stream().anyMatch(connection -> gid.equals(connection.deciding));
  }

  void crash() {
    up = false;
    notOnDisk.forEach(Runnable::run);
    notOnDisk.clear();
    connections.forEach(ModelConnection::serverDied);
  }

  Set<ModelConnection> running() {
    Set<ModelConnection> running = new HashSet<>(connections);
    running.removeIf(connection -> !connection.isOpen());
    return running;
  }
}
