package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.Result;
import org.abelian.router.pool.NodePool;
import org.abelian.router.routing.Route;
import org.abelian.router.session.BatchScope;
import org.abelian.router.session.BatchSlot;
import org.abelian.router.session.ReadLedger;
import org.abelian.router.statement.ReadPace;

/**
 * A session's part in batching reads: whether its read may go to nodes together with those of other
 * sessions, and sending all of them when it is the session's turn (docs/design/batching.md).
 */
public final class ReadBatching {
  /**
   * What has become of a read.
   *
   * @param needsQuiet whether what stands before it is to be answered first
   * @param answer null when it is not there; it is to go as its client wrote it then
   */
  public record Shared(boolean needsQuiet, Execution answer) {
    private static final Shared GOES_ALONE = new Shared(false, null);
    private static final Shared NEEDS_QUIET = new Shared(true, null);
  }

  /** Values of more bytes than this are not worth a copy. */
  private static final int VALUES_MAX = 1 << 12;

  /**
   * What reads have in common that may share a batch.
   *
   * @param scope equal for sessions whose settings are equal
   * @param pools of the nodes, for the role and the database
   */
  private record Key(String scope, List<NodePool> pools, int hash) {
    Key(String scope, List<NodePool> pools) {
      this(scope, List.copyOf(pools), 31 * scope.hashCode() + pools.hashCode());
    }

    @Override
    public int hashCode() {
      return hash;
    }

    boolean is(String common, List<Backend> backends) {
      boolean same = scope.equals(common) && pools.size() == backends.size();
      for (int i = 0; same && i < backends.size(); i++) {
        same = pools.get(i) == backends.get(i).pool;
      }
      return same;
    }
  }

  private final EngineContext context;
  private final Batcher<ReadBatch> ofOne;
  private final Batcher<ReadBatch> ofSeveral;
  private final BatchSlot slot;
  private final BatchScope scope;
  private final LongSupplier clock;

  private Key last;

  /** Of the read that goes alone, until it is answered. */
  private ReadPace timed;

  private long sentNanos;

  /**
   * @param ofOne batches reads of one node, of all sessions of the router
   * @param ofSeveral the same of several nodes
   * @param clock what {@link System#nanoTime} is
   */
  public ReadBatching(
      EngineContext context,
      Batcher<ReadBatch> ofOne,
      Batcher<ReadBatch> ofSeveral,
      BatchSlot slot,
      BatchScope scope,
      LongSupplier clock) {
    this.context = context;
    this.ofOne = ofOne;
    this.ofSeveral = ofSeveral;
    this.slot = slot;
    this.scope = scope;
    this.clock = clock;
  }

  /** True when a read that is the whole of a transaction may share a batch. */
  public boolean applies(BoundStatement bound) {
    return bound.routed().readsTablesOnly()
        && !context.transactions().state().isOpen()
        && bound.bind().tailLength() <= VALUES_MAX;
  }

  /** The nodes that give their own rows of it, one after the other; null for another route. */
  public List<Backend> nodes(BoundStatement bound, Route route) {
    if (!(route instanceof Route.Scatter scatter)
        || scatter.isFinishedByNode()
        || scatter.window() != null
        || Executor.isBroadcastJoin(bound.routed(), scatter)) {
      return null;
    }
    ReadLedger ledger = context.gate().reads();
    List<Integer> nodes = scatter.nodes();
    boolean isQuiet = ledger.of(nodes) != null && ledger.isAtRest(nodes);
    return isQuiet ? SeveralNodes.backends(context, bound.routed(), nodes) : null;
  }

  /**
   * Runs it with others if it meets any.
   *
   * @param describes whether the client wants its rows described
   * @throws RuntimeException the client's error
   */
  public Shared run(BoundStatement bound, List<Backend> backends, boolean describes) {
    slot.endGroup();
    timed = null;
    String common = scope.ofReads(backends);
    if (common == null) {
      return Shared.GOES_ALONE;
    }
    ReadPace pace = bound.routed().pace();
    Key key = key(common, backends);
    Batcher<ReadBatch> batcher = backends.size() == 1 ? ofOne : ofSeveral;
    if (!pace.isQuick() || slot.departs(batcher, key)) {
      return alone(pace);
    }
    if (!context.replies().isEmpty()) {
      return Shared.NEEDS_QUIET;
    }
    return await(bound, backends, describes, batcher, key);
  }

  private Key key(String common, List<Backend> backends) {
    if (last == null || !last.is(common, backends)) {
      List<NodePool> pools = new ArrayList<>(backends.size());
      backends.forEach(backend -> pools.add(backend.pool));
      last = new Key(common, pools);
    }
    return last;
  }

  private Shared await(
      BoundStatement bound,
      List<Backend> backends,
      boolean describes,
      Batcher<ReadBatch> batcher,
      Key key) {
    ReadRequest request = new ReadRequest(bound, describes);
    Result result =
        slot.await(
            batcher,
            key,
            new ReadBatch(request),
            () -> backends.forEach(context.backends()::connect),
            batch -> new BatchedRead(context, backends, batch.sum()).run(batch));
    if (result instanceof Result.Done && request.isAnswered()) {
      return new Shared(false, new SharedAnswer(context.replies(), request));
    }
    slot.throwIfCancelled();
    if (!(result instanceof Result.Undone)) { // Else that was done.
      slot.departsAlone(batcher, key);
    }
    return alone(bound.routed().pace());
  }

  private Shared alone(ReadPace pace) {
    timed = pace;
    sentNanos = clock.getAsLong();
    return Shared.GOES_ALONE;
  }

  /** A read that went alone, if any did, is answered. */
  public void groupIsOver() {
    slot.endGroup();
    if (timed != null) {
      timed.learn(clock.getAsLong() - sentNanos);
      timed = null;
    }
  }
}
