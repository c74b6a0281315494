package org.abelian.router.session;

import java.util.function.Function;
import org.abelian.router.batching.Batch;
import org.abelian.router.batching.Batchable;
import org.abelian.router.batching.Batcher;
import org.abelian.router.batching.InFlight;
import org.abelian.router.batching.Result;
import org.abelian.router.batching.Turn;
import org.abelian.router.batching.Waiter;

/** A session's part in batching: for one statement or call at a time. */
public final class BatchSlot {
  private static final String FAULT = "the session that ran it for this one failed";

  private final Cancellation cancellation;
  private InFlight alone;
  private volatile Waiter<?> waiting;
  private boolean cancelled;

  public BatchSlot(Cancellation cancellation) {
    this.cancellation = cancellation;
  }

  /** Whether it goes at once, alone; else it is to wait for a batch. */
  public boolean departs(Batcher<?> batcher, Object key) {
    alone = batcher.depart(key);
    return alone != null;
  }

  /** It goes alone, whoever waits. */
  public void departsAlone(Batcher<?> batcher, Object key) {
    alone = batcher.departAlone(key);
  }

  /**
   * Waits for its turn, and runs a batch if that comes to this session.
   *
   * @param connect makes sure of this session's connections; throws the client's error
   * @param run runs a batch of more than one over these, and throws nothing but faults of the
   *     router
   * @return {@link Result.Undone} when it is to go alone, which is registered
   * @throws RuntimeException the client's error, when it has cancelled or has no connection
   */
  public <L extends Batchable<L>> Result await(
      Batcher<L> batcher,
      Object key,
      L operation,
      Runnable connect,
      Function<Batch<L>, Result> run) {
    Turn<L> turn = batcher.join(key, operation);
    Waiter<L> waiter = turn.waiter();
    waiting = waiter;
    try {
      Result result =
          switch (waiter.await(batcher.limits())) {
            case LEADS -> lead(turn, connect, run);
            case WITHDRAWN -> throw cancellation.error();
            default -> waiter.result();
          };
      cancelled = waiter.isCancelled();
      if (!(result instanceof Result.Undone)) {
        return result;
      }
      throwIfCancelled();
    } finally {
      waiting = null;
    }
    if (alone == null) {
      departsAlone(batcher, key);
    }
    return new Result.Undone();
  }

  private <L extends Batchable<L>> Result lead(
      Turn<L> turn, Runnable connect, Function<Batch<L>, Result> run) {
    boolean connected = false;
    try {
      connect.run(); // It may take long; those whom it has not taken yet need not wait for that.
      connected = true;
    } finally {
      if (!connected) {
        turn.leadAlone().alone().end();
      }
    }
    Batch<L> batch = turn.lead();
    if (batch.size() == 1) {
      alone = batch.alone();
      return new Result.Undone();
    }
    Result result = new Result.Undone();
    try {
      if (!turn.waiter().isCancelled()) {
        result = new Result.Unknown(FAULT); // Should run() throw, nobody may repeat anything.
        result = run.apply(batch);
      }
    } finally {
      batch.finish(result);
    }
    return result;
  }

  /** For what was not done in a batch: its session may not want it any more. */
  public void throwIfCancelled() {
    if (cancelled) {
      throw cancellation.error();
    }
  }

  /** Whether the session waits for a batch. From any thread. */
  public boolean isWaiting() {
    return waiting != null;
  }

  /** Cancels what the session has in a batch; false when there is nothing. */
  public boolean cancel() {
    Waiter<?> waiter = waiting;
    if (waiter == null) {
      return false;
    }
    waiter.cancel();
    return true;
  }

  /** What went alone, if anything did, is answered. */
  public void endGroup() {
    if (alone != null) {
      alone.end();
      alone = null;
    }
  }
}
