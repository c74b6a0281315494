package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;

/**
 * Gives a REPEATABLE READ transaction its snapshot on all nodes at one moment, ahead of the first
 * statement that reads. Nodes keep a snapshot to the end of the transaction, so none can join
 * later. The snapshots are taken behind the commit gates of all nodes: a transaction over several
 * nodes is in all of them or in none (docs/protocols/snapshots.md).
 */
public final class CommonSnapshot {
  /** What has PostgreSQL take the transaction's snapshot. */
  private static final NodeStatement ANY_READ = NodeStatement.of("SELECT 1");

  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final Supplier<Catalog> catalogs;
  private final SnapshotGate gate;

  /** How the session's transaction reaches a node. */
  interface Nodes {
    /** It begins there. */
    void join(Backend backend);

    /** The node runs a statement of the router's. */
    void inject(Backend backend, NodeStatement statement);
  }

  /** None is taken yet. */
  public CommonSnapshot(
      TransactionState state,
      BackendSession backends,
      ReplyQueue replies,
      Supplier<Catalog> catalogs,
      SnapshotGate gate) {
    this.state = state;
    this.backends = backends;
    this.replies = replies;
    this.catalogs = catalogs;
    this.gate = gate;
  }

  /**
   * A statement of the open transaction is about to go to a node.
   *
   * @param reads false for one that takes no snapshot, as LOCK does
   * @throws AbelianException 0A000 or 40001 when the node's snapshot would be of another moment
   */
  void before(Backend backend, boolean reads, Nodes nodes) {
    if (backend.begun && !state.awaitsSnapshot()
        || !IsolationSettings.readsFromOneSnapshot(state, backends)) {
      return;
    }
    boolean alone = !IsolationSettings.takesCommonSnapshot(state, backends);
    if (!alone && !reads && !state.hasCommonSnapshot()) {
      state.awaitSnapshot();
    } else if (!alone && (backends.firstBegun() == null || state.awaitsSnapshot())) {
      take(nodes);
    } else if (backends.firstBegun() != null && !backend.begun) {
      throw state.hasCommonSnapshot() ? tooLate(backend) : severalSnapshots();
    }
  }

  /** Nodes that have begun have just accepted another level, so they have read nothing yet. */
  void levelChanged() {
    if (backends.firstBegun() == null
        || state.hasCommonSnapshot()
        || !IsolationSettings.readsFromOneSnapshot(state, backends)) {
      return;
    }
    if (IsolationSettings.takesCommonSnapshot(state, backends)) {
      state.awaitSnapshot();
    } else if (backends.begunCount() > 1) {
      throw severalSnapshots();
    }
  }

  private void take(Nodes nodes) {
    Catalog catalog = catalogs.get();
    List<Backend> all = new ArrayList<>();
    for (Node node : catalog.nodes()) {
      Backend backend = backends.backend(node);
      backends.connect(backend);
      all.add(backend);
      if (!backend.begun) {
        nodes.join(backend);
      }
    }
    if (all.size() > 1) {
      // They answer for themselves, also where a statement of several nodes is about to be sent.
      replies.apart(() -> takeTogether(catalog, all, nodes));
    }
    state.commonSnapshot();
  }

  private void takeTogether(Catalog catalog, List<Backend> all, Nodes nodes) {
    SnapshotGate.Hold hold = enterGates(catalog, Backend.nodes(all));
    boolean asked = false;
    try {
      for (Backend backend : all) {
        nodes.inject(backend, ANY_READ);
        backend.connection.writer().empty(FrontendType.FLUSH);
      }
      replies.add(RouterWork.always(hold::release));
      asked = true;
    } finally {
      if (!asked) {
        hold.release();
      }
    }
  }

  private SnapshotGate.Hold enterGates(Catalog catalog, List<Integer> nodes) {
    try {
      return gate.take(catalog, nodes);
    } catch (IOException e) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "a node could not be asked for the snapshot of this transaction: " + e.getMessage(),
          "At REPEATABLE READ a transaction has a snapshot on every node. See"
              + " abelian.distributed_isolation.");
    }
  }

  /** The error of a transaction that may be on one node only. */
  static AbelianException severalSnapshots() {
    return AbelianException.unsupported(
        "a transaction at this isolation level must stay on one node",
        "Use REPEATABLE READ or READ COMMITTED, or SET abelian.distributed_isolation = 'per_node'"
            + " if snapshots of different nodes may differ.");
  }

  private static AbelianException tooLate(Backend backend) {
    return new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        backend + " has joined the cluster after this transaction took its snapshot",
        "Try the transaction again.");
  }
}
