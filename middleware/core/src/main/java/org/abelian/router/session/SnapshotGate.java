package org.abelian.router.session;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodePool;
import org.abelian.router.transaction.IntentLedger;
import org.abelian.router.transaction.LaneClock;

/**
 * Keeps coordinated commits from coming between the snapshots that a read takes on several nodes:
 * the commit gate is held shared on all of them, by connections beside the session's own, until
 * every node has its snapshot.
 *
 * <p>A reader enters the gates of all nodes at the same time. A commit takes those of its nodes one
 * after the other, so reader and commit may each hold what the other waits for. The reader gives
 * way: while it may hold a gate it waits for another only briefly, then lets go of all and begins
 * anew with the one that it could not have, for which it can wait longer since it holds nothing
 * then; the others follow together.
 *
 * <p>Commuting commits pass the gates of their nodes one by one. So a reader that holds the gates
 * compares what it finds committed behind them, and tries again when a node lacks its part of a
 * transaction that another node has.
 */
public final class SnapshotGate {
  private static final int FIRST_WAIT_MILLIS = 500;
  private static final int NEXT_WAIT_MILLIS = 5;

  /** How long a reader that is alone waits at most, after it has often waited too briefly. */
  private static final int ALONE_WAIT_MILLIS = 80;

  /** How long a read tries in all. */
  private static final long LIMIT_NANOS = 20_000_000_000L;

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
  private final ReadLedger reads;
  private Hold current;
  private int readsBegun;

  /** Holds nothing yet. */
  public SnapshotGate(
      ControlConnections control,
      UUID router,
      IntentLedger intents,
      Cancellation cancellation,
      ReadLedger reads) {
    this.control = control;
    this.router = router;
    this.intents = intents;
    this.cancellation = cancellation;
    this.reads = reads;
  }

  /** What the router knows about reads of several nodes. */
  public ReadLedger reads() {
    return reads;
  }

  /** A number that no other read of this session has, for a long time. */
  public int nextRead() {
    readsBegun = readsBegun + 1 & Integer.MAX_VALUE;
    return readsBegun;
  }

  /** Notices when the client wants the statement to end. */
  public Cancellation.Watch watch() {
    return cancellation.watch();
  }

  /** Asks, behind the gate, what has committed there and may be missing elsewhere. */
  private String question(Collection<Integer> nodes) {
    String list = nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    return "SELECT abelian.visible_intents('{"
        + list
        + "}','"
        + router
        + "',"
        + intents.below()
        + ")";
  }

  /** The gates of several nodes. */
  public final class Hold {
    private final boolean alone;
    private int nextWait = NEXT_WAIT_MILLIS;
    private final Map<Integer, GateEntry> entries = new TreeMap<>();
    private List<GateEntry> asked = List.of();

    private Hold(boolean alone) {
      this.alone = alone;
    }

    /**
     * Takes a connection to each of these nodes, in the order of their numbers. Everybody takes
     * them in that order, so nobody waits for one in a circle.
     */
    private void connect(Catalog catalog, List<Integer> nodes) throws IOException {
      for (int node : nodes.stream().sorted().toList()) {
        NodePool pool = control.pool(catalog, node);
        entries.put(node, new GateEntry(node, this, pool));
      }
    }

    /**
     * Enters all gates at the same time, but for one, which is entered before the others.
     *
     * @param first 0 for none
     * @return a node whose gate could not be entered in time; 0 when all could
     */
    private int enter(int first) throws IOException {
      if (first != 0 && enter(List.of(entries.get(first)), FIRST_WAIT_MILLIS) != 0) {
        return first;
      }
      return enter(
          entries.values().stream().filter(entry -> entry.node != first).toList(), nextWait);
    }

    /** Others who are alone queue at the first gate: one behind it may wait longer for the rest. */
    private void waitLonger() {
      nextWait = alone ? Math.min(2 * nextWait, ALONE_WAIT_MILLIS) : nextWait;
    }

    private int least() {
      return entries.keySet().stream().min(Integer::compare).orElseThrow();
    }

    private int enter(List<GateEntry> several, int waitMillis) throws IOException {
      asked = Stream.concat(asked.stream(), several.stream()).toList();
      String question = question(entries.keySet());
      for (GateEntry entry : several) {
        entry.ask(waitMillis, question, alone);
      }
      int closed = 0;
      for (GateEntry entry : several) {
        closed = entry.isIn() || closed != 0 ? closed : entry.node;
      }
      return closed;
    }

    private boolean seesAllWhole() {
      VisibleIntents visible = new VisibleIntents(List.copyOf(entries.keySet()));
      for (GateEntry entry : entries.values()) {
        if (entry.visible() != null) {
          visible.add(entry.node, entry.visible());
        }
      }
      return visible.areWhole();
    }

    private boolean leave() {
      LaneClock clock = new LaneClock(0);
      for (GateEntry entry : asked) {
        clock = clock.and(entry.laneClock());
      }
      for (GateEntry entry : asked) {
        entry.letGo(clock.isAheadOf(entry.laneClock()) ? clock.sql() + ";" : "");
      }
      boolean held = true;
      for (GateEntry entry : asked) {
        held &= entry.left();
      }
      asked = List.of();
      return held;
    }

    /**
     * Lets go of them.
     *
     * @return whether all were held until now; if not, a commit may have come between the snapshots
     */
    public boolean release() {
      if (current == this) {
        current = null;
      }
      boolean held = leave();
      entries.values().forEach(GateEntry::close);
      entries.clear();
      return held;
    }

    /**
     * Lets go of them behind a read.
     *
     * @throws AbelianException 40001 when they were not held until now
     */
    public void releaseAfterRead() {
      if (!release()) {
        throw new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            "a connection that kept commits off while nodes were read at one moment was lost",
            "Try again.");
      }
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
    return take(catalog, nodes, new Hold(false));
  }

  /**
   * Takes the gates of these nodes, and no other reader who does so is behind any of them
   * meanwhile. They queue at the gate of the node with the least number.
   */
  public Hold takeAlone(Catalog catalog, List<Integer> nodes) throws IOException {
    return take(catalog, nodes, new Hold(true));
  }

  private Hold take(Catalog catalog, List<Integer> nodes, Hold hold) throws IOException {
    try {
      hold.connect(catalog, nodes);
      enter(hold);
      current = hold;
      return hold;
    } finally {
      if (current != hold) {
        hold.release();
      }
    }
  }

  private void enter(Hold hold) throws IOException {
    Cancellation.Watch watch = cancellation.watch();
    long start = System.nanoTime();
    int closed = 0;
    do {
      closed = hold.enter(hold.alone ? hold.least() : closed);
      if (closed == 0 && hold.seesAllWhole()) {
        return;
      }
      hold.leave();
      hold.waitLonger();
      watch.check();
      if (closed == 0) {
        LockSupport.parkNanos(COMMIT_PAUSE_NANOS);
      }
    } while (System.nanoTime() - start < LIMIT_NANOS);
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "commits over several nodes kept this statement from reading them at one moment",
        "Try again.");
  }
}
