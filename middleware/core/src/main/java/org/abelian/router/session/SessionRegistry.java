package org.abelian.router.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.transaction.VictimHandler;

/** The sessions of a router, by the number that clients name in cancel requests. */
public final class SessionRegistry implements VictimHandler {
  private final Map<Integer, Session> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger(1);

  int nextId() {
    return next.getAndIncrement() & Integer.MAX_VALUE;
  }

  void add(Session session) {
    sessions.put(session.id(), session);
  }

  void remove(Session session) {
    sessions.remove(session.id(), session);
  }

  /** Cancels what a session does; nothing happens unless the secret is right. */
  void cancel(int id, int secret) {
    Session session = sessions.get(id);
    if (session != null && session.secret() == secret) {
      session.cancel();
    }
  }

  @Override
  public boolean mark(long session, AbelianException error) {
    Session victim = sessions.get((int) session);
    if (victim == null) {
      return false;
    }
    victim.deadlock(error);
    return true;
  }

  @Override
  public void spare(long session) {
    Session spared = sessions.get((int) session);
    if (spared != null) {
      spared.deadlock(null);
    }
  }

  /** How many there are. */
  public int size() {
    return sessions.size();
  }

  /** All of them now. */
  List<Session> all() {
    return List.copyOf(sessions.values());
  }
}
