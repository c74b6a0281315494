package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.LaneClock;

/**
 * Keeps coordinated commits from coming between the snapshots that a read takes on several nodes:
 * the commit gate is held shared on all of them, by connections beside the session's own, until
 * every node has its snapshot.
 *
 * <p>A commit takes the gates of its nodes one after the other, so reader and commit may each hold
 * what the other waits for. The reader gives way: while it holds a gate it waits for another only
 * briefly, then lets go of all and begins anew with the one that it could not have, for which it
 * can wait longer since it holds nothing then.
 *
 * <p>Commuting commits pass the gates of their nodes one by one. So a reader that holds the gates
 * compares what it finds committed behind them, and tries again when a node lacks its part of a
 * transaction that another node has.
 */
public final class SnapshotGate {
  private static final int FIRST_WAIT_MILLIS = 500;
  private static final int NEXT_WAIT_MILLIS = 5;

  /** How long a read tries in all. */
  private static final long LIMIT_NANOS = 20_000_000_000L;

  private static final String LET_GO = "COMMIT";
  private static final String UNDEFINED_FUNCTION = "42883";

  /** Between two looks at a commuting commit that is under way. */
  private static final long COMMIT_PAUSE_NANOS = 2_000_000L;

  /** The router's own connections to nodes. */
  @FunctionalInterface
  public interface ControlConnections {
    /** Those to a node of the catalogue. */
    NodePool pool(Catalog catalog, int node);
  }

  private final ControlConnections control;
  private final UUID router;
  private final IntentLedger intents;
  private final Cancellation cancellation;
  private Hold current;

  /** Holds nothing yet. */
  public SnapshotGate(
      ControlConnections control, UUID router, IntentLedger intents, Cancellation cancellation) {
    this.control = control;
    this.router = router;
    this.intents = intents;
    this.cancellation = cancellation;
  }

  /** Asks, behind the gate, what has committed there and may be missing elsewhere. */
  private String question(List<Integer> nodes) {
    String list = nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    return ";SELECT abelian.visible_intents('{"
        + list
        + "}','"
        + router
        + "',"
        + intents.below()
        + ")";
  }

  /** The gates of several nodes. */
  public final class Hold {
    private final List<NodePool> pools = new ArrayList<>();
    private final List<NodeConnection> connections = new ArrayList<>();
    private final VisibleIntents visible;
    private final String question;

    private Hold(List<Integer> nodes) {
      visible = new VisibleIntents(nodes);
      question = question(nodes);
    }

    private boolean add(int node, NodePool pool) throws IOException {
      int wait = pools.isEmpty() ? FIRST_WAIT_MILLIS : NEXT_WAIT_MILLIS;
      NodeConnection connection = pool.borrow(this, null);
      QueryResult result;
      try {
        result = enter(connection, wait);
      } catch (NodeLostException stale) {
        // It broke while it was idle, and nothing was held on it: another takes its place.
        pool.drop(connection);
        connection = pool.borrow(this, null);
        result = enter(connection, wait);
      }
      pools.add(pool);
      connections.add(connection);
      if (!result.succeeded()) {
        throw new ClientError(result.errorFields());
      }
      if (!"t".equals(result.value())) {
        return false;
      }
      if (result.rows().size() > 1 && result.rows().get(1)[0] != null) {
        visible.add(node, new String(result.rows().get(1)[0], StandardCharsets.UTF_8));
      }
      return true;
    }

    private QueryResult enter(NodeConnection connection, int wait) throws NodeLostException {
      String gate = "BEGIN;SELECT abelian.snapshot_gate(" + wait + ")";
      QueryResult result = NodeCall.simple(connection, gate + question);
      boolean older =
          !result.succeeded() && UNDEFINED_FUNCTION.equals(result.errorFields().sqlState());
      if (!older) {
        return result;
      }
      // The node's extension has not been updated yet, so that nothing commits as commuting.
      NodeCall.simple(connection, "ROLLBACK");
      return NodeCall.simple(connection, gate);
    }

    /** Lets go of them. */
    public void release() {
      current = null;
      LaneClock clock = new LaneClock(0);
      for (NodeConnection connection : connections) {
        clock = clock.and(connection.laneClock());
      }
      for (NodeConnection connection : connections) {
        try {
          boolean behind = clock.isAheadOf(connection.laneClock());
          NodeCall.sendSimple(connection, behind ? clock.sql() + ";" + LET_GO : LET_GO);
        } catch (IOException e) {
          connection.close();
        }
      }
      for (int i = 0; i < connections.size(); i++) {
        NodeConnection connection = connections.get(i);
        try {
          if (!connection.isLost()) {
            NodeCall.await(connection, true);
          }
        } catch (IOException e) {
          connection.close();
        }
        pools.get(i).giveBackToAnyone(connection);
      }
      connections.clear();
      pools.clear();
    }
  }

  /** The session ends while it may hold gates. */
  public void abandon() {
    if (current != null) {
      current.release();
    }
  }

  /** Takes the gates of these nodes. */
  public Hold take(Catalog catalog, List<Integer> nodes) throws IOException {
    List<Integer> order = new ArrayList<>(nodes);
    Cancellation.Watch watch = cancellation.watch();
    long start = System.nanoTime();
    do {
      Hold hold = new Hold(order);
      int taken = 0;
      try {
        taken = takeInOrder(hold, catalog, order);
        if (taken == order.size() && hold.visible.areWhole()) {
          current = hold;
          return hold;
        }
      } finally {
        if (current != hold) {
          hold.release();
        }
      }
      watch.check();
      if (taken < order.size()) {
        order.add(0, order.remove(taken));
      } else {
        LockSupport.parkNanos(COMMIT_PAUSE_NANOS);
      }
    } while (System.nanoTime() - start < LIMIT_NANOS);
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "commits over several nodes kept this statement from reading them at one moment",
        "Try again.");
  }

  /** How many could be had before one could not. */
  private int takeInOrder(Hold hold, Catalog catalog, List<Integer> order) throws IOException {
    for (int i = 0; i < order.size(); i++) {
      if (!hold.add(order.get(i), control.pool(catalog, order.get(i)))) {
        return i;
      }
    }
    return order.size();
  }
}
