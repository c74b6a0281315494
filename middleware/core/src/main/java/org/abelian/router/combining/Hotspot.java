package org.abelian.router.combining;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One object with statements under way: how many there are, and who has gathered. Knows no time and
 * never waits but for its own lock.
 *
 * @param <L> what members bring
 */
final class Hotspot<L extends Load<L>> {
  /** What an arrival finds. */
  enum Arrival {
    /** It may go at once. */
    GOES,
    /** It has joined those who gather. */
    GATHERS,
    /** It would have to gather. */
    CONTENDED,
    /** Everybody has left: look for another hotspot. */
    CLOSED
  }

  private final Object key;
  private final Combiner<L> combiner;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Member<L>> gathering = new ArrayDeque<>();

  /** What is under way and counts, the oldest first. */
  private final Set<Flight> flights = new LinkedHashSet<>();

  private long arrivals;

  /** Members that are to lead and have not taken others yet: they get their connections. */
  private int leaders;

  private boolean closed;

  Hotspot(Combiner<L> combiner, Object key) {
    this.combiner = combiner;
    this.key = key;
  }

  /**
   * A statement comes.
   *
   * @param flight its flight, should it go
   * @param member null when it cannot gather now
   * @param alone true when it goes in any case
   */
  Arrival arrive(Flight flight, Member<L> member, boolean alone) {
    lock.lock();
    try {
      if (closed) {
        return Arrival.CLOSED;
      }
      CombiningLimits limits = combiner.limits();
      boolean room = flights.size() < limits.flights() && gathering.isEmpty();
      if (alone || room || gathering.size() >= limits.queue()) {
        begin(flight);
        leaders += member == null ? 0 : 1;
        return Arrival.GOES;
      }
      if (member == null) {
        return Arrival.CONTENDED;
      }
      flight.number(arrivals++); // It came now, and begins later.
      gathering.add(member);
      return Arrival.GATHERS;
    } finally {
      lock.unlock();
    }
  }

  private void begin(Flight flight) {
    flight.number(arrivals++);
    flights.add(flight);
  }

  private void letLead(Member<L> member) {
    member.state(Member.State.LEADS);
    begin(member.flight());
    leaders++;
  }

  /** A statement is answered: the next of those who gather may lead. */
  void depart(Flight flight) {
    Member<L> next = null;
    lock.lock();
    try {
      flights.remove(flight);
      if (flights.size() < combiner.limits().flights() && !gathering.isEmpty()) {
        next = gathering.poll();
        letLead(next);
      }
      closed = flights.isEmpty();
      if (closed) {
        combiner.forget(key, this);
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.wake();
    }
  }

  /**
   * It has gathered long enough: it leads, one statement more than usual.
   *
   * @param patient true when it would rather go with one who is about to lead
   */
  void expire(Member<L> member, boolean patient) {
    lock.lock();
    try {
      if (member.state() == Member.State.GATHERING && !(patient && leaders > 0)) {
        gathering.remove(member);
        if (combiner.limits().forgetsOverdue()) {
          long came = member.flight().number();
          flights.removeIf(flight -> flight.number() < came);
        }
        letLead(member);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The leader goes alone after all. */
  Batch<L> leadAlone(Member<L> leader) {
    lock.lock();
    try {
      leaders--;
      return new Batch<>(this, leader.flight(), leader.load(), List.of());
    } finally {
      lock.unlock();
    }
  }

  /** Takes all that can go with the leader, in the order in which they came. */
  Batch<L> lead(Member<L> leader) {
    lock.lock();
    try {
      leaders--;
      L sum = leader.load();
      List<Member<L>> others = new ArrayList<>();
      Iterator<Member<L>> rest = gathering.iterator();
      while (rest.hasNext() && others.size() + 1 < combiner.limits().batch()) {
        Member<L> member = rest.next();
        L larger = sum.plus(member.load());
        if (larger != null) {
          sum = larger;
          member.state(Member.State.TAKEN);
          others.add(member);
          rest.remove();
        }
      }
      Batch<L> batch = new Batch<>(this, leader.flight(), sum, others);
      leader.batch(batch);
      others.forEach(member -> member.batch(batch));
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a member back; false when somebody has begun with it. */
  boolean withdraw(Member<L> member) {
    lock.lock();
    try {
      if (member.state() != Member.State.GATHERING) {
        return false;
      }
      gathering.remove(member);
      member.state(Member.State.WITHDRAWN);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The statement that the member is part of; null when there is none yet. */
  Batch<L> batchOf(Member<L> member) {
    lock.lock();
    try {
      return member.batch();
    } finally {
      lock.unlock();
    }
  }

  void beQuiet() {
    combiner.beQuiet(key);
  }

  void succeeded() {
    combiner.succeeded(key);
  }
}
