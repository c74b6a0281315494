package org.abelian.router.batching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One contended key: how many statements are in flight there, and who waits. Knows no time and
 * never waits but for its own lock.
 *
 * @param <L> the type of operation
 */
final class BatchQueue<L extends Batchable<L>> implements Waiter.Queue<L> {
  /** What an arrival finds. */
  enum Arrival {
    /** It may go at once. */
    GOES,
    /** It waits in the queue. */
    WAITS,
    /** It would have to wait. */
    CONTENDED,
    /** Everybody has left: look for another queue. */
    CLOSED
  }

  private final BatchLimits limits;

  /** How many sessions have something in flight or waiting, here and at other keys. */
  private final AtomicInteger crowd;

  private final Consumer<Result> outcomes;
  private final Predicate<BatchQueue<L>> forget;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiter<L>> waiting = new ArrayDeque<>();

  /** What is in flight and counts, the oldest first. */
  private final Set<InFlight> inFlight = new LinkedHashSet<>();

  private long arrivals;

  /** Waiters that are to lead and have not taken others yet: they get their connections. */
  private int leaders;

  private boolean closed;

  /**
   * @param crowd counts sessions at all keys
   * @param outcomes hears how each batch ended
   * @param forget nothing is in flight any more; whether the queue is given up. Runs under the
   *     queue's lock
   */
  BatchQueue(
      BatchLimits limits,
      AtomicInteger crowd,
      Consumer<Result> outcomes,
      Predicate<BatchQueue<L>> forget) {
    this.limits = limits;
    this.crowd = crowd;
    this.outcomes = outcomes;
    this.forget = forget;
  }

  /** True while something is in flight. */
  boolean isBusy() {
    lock.lock();
    try {
      return !inFlight.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Closes it if nothing is in flight. */
  boolean closesIdle() {
    lock.lock();
    try {
      closed |= inFlight.isEmpty();
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** A statement that may go into flight here. */
  InFlight newInFlight() {
    return new InFlight(this::depart);
  }

  /** A waiter that is not in the queue yet. */
  Waiter<L> newWaiter(L operation) {
    return new Waiter<>(this, operation, newInFlight());
  }

  /**
   * A statement comes.
   *
   * @param statement what goes, should it go
   * @param waiter null when it cannot wait now
   * @param alone true when it goes in any case
   */
  Arrival arrive(InFlight statement, Waiter<L> waiter, boolean alone) {
    lock.lock();
    try {
      if (closed) {
        return Arrival.CLOSED;
      }
      crowd.incrementAndGet();
      boolean room = inFlight.size() < mostInFlight() && waiting.isEmpty();
      if (alone || room || waiting.size() >= limits.queue()) {
        begin(statement);
        if (waiter != null) {
          leaders++;
          waiter.state(Waiter.State.LEADS);
        }
        return Arrival.GOES;
      }
      if (waiter == null) {
        crowd.decrementAndGet();
        return Arrival.CONTENDED;
      }
      statement.number(arrivals++); // It came now, and begins later.
      waiting.add(waiter);
      return Arrival.WAITS;
    } finally {
      lock.unlock();
    }
  }

  private int mostInFlight() {
    return crowd.get() > limits.crowd() ? limits.inFlight() : Integer.MAX_VALUE;
  }

  private void begin(InFlight statement) {
    statement.number(arrivals++);
    inFlight.add(statement);
  }

  private void letLead(Waiter<L> waiter) {
    waiter.state(Waiter.State.LEADS);
    begin(waiter.inFlight());
    leaders++;
  }

  /** A statement is answered: the next waiter may lead. */
  private void depart(InFlight statement) {
    Waiter<L> next = null;
    lock.lock();
    try {
      crowd.addAndGet(-statement.sessions());
      inFlight.remove(statement);
      if (inFlight.size() < mostInFlight() && !waiting.isEmpty()) {
        next = waiting.poll();
        letLead(next);
      }
      closed |= inFlight.isEmpty() && forget.test(this);
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.wake();
    }
  }

  @Override
  public void expire(Waiter<L> waiter, boolean patient) {
    lock.lock();
    try {
      if (waiter.state() == Waiter.State.QUEUED && !(patient && leaders > 0)) {
        waiting.remove(waiter);
        if (limits.forgetsOverdue()) {
          long came = waiter.inFlight().number();
          inFlight.removeIf(statement -> statement.number() < came);
        }
        letLead(waiter);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean mayLeave() {
    return limits.takenNanos() > 0;
  }

  @Override
  public boolean withdraw(Waiter<L> waiter) {
    lock.lock();
    try {
      if (waiter.state() != Waiter.State.QUEUED) {
        return false;
      }
      waiting.remove(waiter);
      waiter.state(Waiter.State.WITHDRAWN);
      crowd.decrementAndGet();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The leader takes nobody with it after all. */
  Batch<L> leadAlone(Waiter<L> leader) {
    lock.lock();
    try {
      leaders--;
      return new Batch<>(leader.inFlight(), leader.operation(), List.of(), outcomes);
    } finally {
      lock.unlock();
    }
  }

  /** The leader takes all that can go with it, in the order in which they came. */
  Batch<L> lead(Waiter<L> leader) {
    Batch<L> batch;
    List<Waiter<L>> others = new ArrayList<>();
    lock.lock();
    try {
      leaders--;
      L sum = leader.operation();
      Iterator<Waiter<L>> rest = waiting.iterator();
      while (rest.hasNext() && others.size() + 1 < limits.batch()) {
        Waiter<L> waiter = rest.next();
        L larger = sum.plus(waiter.operation());
        if (larger != null) {
          sum = larger;
          waiter.state(Waiter.State.TAKEN);
          others.add(waiter);
          rest.remove();
        }
      }
      leader.inFlight().sessions(others.size() + 1);
      batch = new Batch<>(leader.inFlight(), sum, others, outcomes);
    } finally {
      lock.unlock();
    }
    leader.joins(batch);
    others.forEach(waiter -> waiter.joins(batch));
    return batch;
  }
}
