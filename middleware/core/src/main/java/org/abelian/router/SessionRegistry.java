package org.abelian.router;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.transaction.VictimHandler;

/** The sessions of a router, by the number that clients name in cancel requests. */
public final class SessionRegistry implements VictimHandler {
  /** A session, as other threads see it. */
  interface Entry {
    /** The number that its client knows. */
    int id();

    /** The key that a cancel request must name. */
    int secret();

    /** Cancels what it does. */
    void cancel();

    /** The next cancellation is to be told as this error. */
    void deadlock(AbelianException error);

    /** It is not, unless that has become another error. */
    void spare(AbelianException error);

    /** True when it takes its locks in the order of its statements. */
    boolean keepsOrder();

    /** Breaks it off: whoever runs it gets errors. */
    void abort();
  }

  private final Map<Integer, Entry> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger(1);

  int nextId() {
    return next.getAndIncrement() & Integer.MAX_VALUE;
  }

  void add(Entry session) {
    sessions.put(session.id(), session);
  }

  void remove(Entry session) {
    sessions.remove(session.id(), session);
  }

  /** Cancels what a session does; nothing happens unless the secret is right. */
  void cancel(int id, int secret) {
    Entry session = sessions.get(id);
    if (session != null && session.secret() == secret) {
      session.cancel();
    }
  }

  @Override
  public void mark(long session, AbelianException error) {
    Entry victim = sessions.get((int) session);
    if (victim != null) {
      victim.deadlock(error);
    }
  }

  @Override
  public boolean keepsOrder(long session) {
    Entry found = sessions.get((int) session);
    return found == null || found.keepsOrder();
  }

  @Override
  public void spare(long session, AbelianException error) {
    Entry spared = sessions.get((int) session);
    if (spared != null) {
      spared.spare(error);
    }
  }

  /** How many there are. */
  public int size() {
    return sessions.size();
  }

  /** All of them now. */
  List<Entry> all() {
    return List.copyOf(sessions.values());
  }
}
