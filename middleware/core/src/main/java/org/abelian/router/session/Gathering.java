package org.abelian.router.session;

import java.util.function.Function;
import org.abelian.router.combining.Batch;
import org.abelian.router.combining.Combiner;
import org.abelian.router.combining.Flight;
import org.abelian.router.combining.Load;
import org.abelian.router.combining.Member;
import org.abelian.router.combining.Result;

/** A session's place among those who gather: for one statement or call at a time. */
final class Gathering {
  private static final String FAULT = "the session that ran it for this one failed";

  private final Session session;
  private Flight flight;
  private volatile Member<?> waiting;
  private boolean cancelled;

  Gathering(Session session) {
    this.session = session;
  }

  /** Whether it goes at once, alone; else it is to gather. */
  boolean departs(Combiner<?> combiner, Object key) {
    flight = combiner.depart(key);
    return flight != null;
  }

  /** It goes alone, whoever gathers. */
  void departsAlone(Combiner<?> combiner, Object key) {
    flight = combiner.departAlone(key);
  }

  /**
   * Waits for its turn, and runs what has gathered if that comes to this session.
   *
   * @param connect makes sure of this session's connections; throws the client's error
   * @param run runs all of a batch of more than one over these, and throws nothing but faults of
   *     the router
   * @return {@link Result.Undone} when it is to go alone, which is registered
   * @throws RuntimeException the client's error, when it has cancelled or has no connection
   */
  <L extends Load<L>> Result gather(
      Combiner<L> combiner, Object key, L load, Runnable connect, Function<Batch<L>, Result> run) {
    Member<L> member = combiner.join(key, load);
    waiting = member;
    try {
      Result result =
          switch (member.await(combiner.limits().waitNanos())) {
            case LEADS -> lead(member, connect, run);
            case WITHDRAWN -> throw SessionErrors.cancelled(session);
            default -> member.result();
          };
      cancelled = member.isCancelled();
      if (!(result instanceof Result.Undone)) {
        return result;
      }
      throwIfCancelled();
    } finally {
      waiting = null;
    }
    if (flight == null) {
      departsAlone(combiner, key);
    }
    return new Result.Undone();
  }

  private <L extends Load<L>> Result lead(
      Member<L> member, Runnable connect, Function<Batch<L>, Result> run) {
    boolean connected = false;
    try {
      connect.run(); // It may take long; those whom it has not taken yet need not wait for that.
      connected = true;
    } finally {
      if (!connected) {
        member.leadAlone().alone().end();
      }
    }
    Batch<L> batch = member.lead();
    if (batch.size() == 1) {
      flight = batch.alone();
      return new Result.Undone();
    }
    Result result = new Result.Undone();
    try {
      if (!member.isCancelled()) {
        result = new Result.Unknown(FAULT); // Should run() throw, nobody may repeat anything.
        result = run.apply(batch);
      }
    } finally {
      batch.finish(result);
    }
    return result;
  }

  /** For what was not done together with others: its session may not want it any more. */
  void throwIfCancelled() {
    if (cancelled) {
      throw SessionErrors.cancelled(session);
    }
  }

  /** Whether the session has something with others. From any thread. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Cancels what the session has with others; false when there is nothing. */
  boolean cancel() {
    Member<?> member = waiting;
    if (member == null) {
      return false;
    }
    member.cancel();
    return true;
  }

  /** What went alone, if anything did, is answered. */
  void endGroup() {
    if (flight != null) {
      flight.end();
      flight = null;
    }
  }
}
