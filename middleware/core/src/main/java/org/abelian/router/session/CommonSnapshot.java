package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.session.TransactionState.Snapshots;

/**
 * Gives a transaction above READ COMMITTED its snapshot on all nodes at one moment, ahead of the
 * first statement that reads. Nodes keep a snapshot to the end of the transaction, so none can join
 * later. The snapshots are taken behind the commit gates of all nodes: a transaction over several
 * nodes is in all of them or in none (docs/protocols/snapshots.md).
 */
public final class CommonSnapshot {
  private static final String UNDEFINED_FUNCTION = "42883";

  /** How long a node may take behind the gates: it only opens the transaction. */
  private static final int LIMIT_MILLIS = 10_000;

  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final Supplier<Catalog> catalogs;
  private final SnapshotGate gate;

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
   * A statement of the open transaction is about to go to a node that has no snapshot.
   *
   * @param reads false for one that takes no snapshot, as LOCK does
   * @param read has a node of the transaction read something
   * @throws AbelianException 0A000 or 40001 when the node's snapshot would be of another moment
   */
  void before(Backend backend, boolean reads, Consumer<Backend> read) throws IOException {
    if (!IsolationSettings.readsFromOneSnapshot(state, backends)) {
      return;
    }
    Snapshots now = state.snapshots();
    boolean isFirst = backends.firstBegun() == null;
    if (now == Snapshots.BROKEN) {
      throw broken();
    } else if (now == Snapshots.COMMON) {
      throw tooLate(backend);
    } else if (!IsolationSettings.takesCommonSnapshot(state, backends)
        || now == Snapshots.OWN && !isFirst) {
      requireFirst(isFirst);
    } else if (reads || now == Snapshots.AWAITED) {
      take(read);
    } else {
      state.snapshots(Snapshots.LOCKING);
    }
  }

  private static void requireFirst(boolean isFirst) {
    if (!isFirst) {
      throw severalSnapshots();
    }
  }

  /** Nodes that have begun have just accepted another level, so they have read nothing yet. */
  void levelChanged() {
    if (backends.firstBegun() == null
        || state.snapshots() != Snapshots.OWN
        || !IsolationSettings.readsFromOneSnapshot(state, backends)) {
      return;
    }
    if (IsolationSettings.takesCommonSnapshot(state, backends)) {
      state.snapshots(Snapshots.AWAITED);
    } else if (backends.begunCount() > 1) {
      throw severalSnapshots();
    }
  }

  /**
   * Takes the snapshots; nothing is on its way to a node afterwards. Whatever goes wrong between
   * leaves nodes of which it is not known whether they have one.
   *
   * @param read has a node of the transaction read something, which is when it takes its snapshot
   */
  void take(Consumer<Backend> read) throws IOException {
    Catalog catalog = catalogs.get();
    List<Backend> all = new ArrayList<>();
    for (Node node : catalog.nodes()) {
      Backend backend = backends.backend(node);
      backends.connect(backend);
      all.add(backend);
    }
    endWhatIsApart(all);
    SnapshotGate.Hold hold = all.size() > 1 ? enterGates(catalog, Backend.nodes(all)) : null;
    state.snapshots(Snapshots.BROKEN);
    boolean held = true;
    try {
      all.forEach(backend -> backend.connection.timeout(LIMIT_MILLIS));
      all.forEach(read);
      answer();
    } finally {
      all.stream().filter(Backend::isUsable).forEach(backend -> backend.connection.timeout(0));
      if (hold != null) {
        held = hold.release();
      }
    }
    if (!held) {
      throw broken();
    }
    if (!replies.failed()) {
      state.snapshots(Snapshots.COMMON);
    }
  }

  /** What the group has had nodes do beside the transaction has a snapshot that is older. */
  private void endWhatIsApart(List<Backend> all) throws IOException {
    answer();
    for (Backend backend : all) {
      if (backend.touched && !backend.begun) {
        endApart(backend);
      }
    }
  }

  /** Has the node answer all that it was asked, and see the end of a transaction. */
  void endApart(Backend backend) throws IOException {
    backends.sync(backend);
    replies.add(NodeReply.end(backend.connection));
    answer();
    backends.untouch(backend);
  }

  private void answer() throws IOException {
    backends.requestAnswers();
    replies.runAll();
  }

  private SnapshotGate.Hold enterGates(Catalog catalog, List<Integer> nodes) {
    try {
      return IsolationSettings.isSerializable(state, backends)
          ? gate.takeAlone(catalog, nodes)
          : gate.take(catalog, nodes);
    } catch (ClientError error) {
      throw error.fields().sqlState().equals(UNDEFINED_FUNCTION) ? tooOld() : error;
    } catch (IOException e) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "a node could not be asked for the snapshot of this transaction: " + e.getMessage(),
          "Above READ COMMITTED a transaction has a snapshot on every node. See"
              + " abelian.distributed_isolation.");
    }
  }

  /** The error of a transaction that may be on one node only. */
  static AbelianException severalSnapshots() {
    return AbelianException.unsupported(
        "a transaction at this isolation level must stay on one node",
        "SET abelian.distributed_isolation = 'snapshot' gives such transactions one snapshot of all"
            + " nodes.");
  }

  private static AbelianException broken() {
    return new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "the snapshot of this transaction could not be taken on all nodes",
        "Roll the whole transaction back, and try it again.");
  }

  private static AbelianException tooOld() {
    return AbelianException.unsupported(
        "the extension of a node is too old for SERIALIZABLE transactions over several nodes",
        "ALTER EXTENSION abelian_cluster UPDATE on all nodes, or SET abelian.distributed_isolation"
            + " = 'one_node'.");
  }

  private static AbelianException tooLate(Backend backend) {
    return new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        backend + " has joined the cluster after this transaction took its snapshot",
        "Try the transaction again.");
  }
}
