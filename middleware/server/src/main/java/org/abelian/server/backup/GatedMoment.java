package org.abelian.server.backup;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A moment between commits over several nodes: the commit gates of all nodes are held together
 * while the snapshots are taken, as by a read over several nodes (docs/decisions/commit-gate.md).
 * What commits node by node within a gate is looked for in the snapshots; when they have a part of
 * it only, they are given up and taken again.
 */
final class GatedMoment implements Moment {
  private static final int FIRST_WAIT_MILLIS = 500;
  private static final int NEXT_WAIT_MILLIS = 5;
  private static final long PAUSE_MILLIS = 5;

  private final EachNode each;
  private final long limitNanos;
  private String obstacle = "";

  /**
   * @param limitMillis how long it tries
   */
  GatedMoment(EachNode each, long limitMillis) {
    this.each = each;
    this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
  }

  @Override
  public void take(List<NodeSession> sessions) throws BackupException {
    long start = System.nanoTime();
    NodeSession closed = null;
    do {
      if (each.run(sessions, NodeSession::begin).contains(false)) {
        obstacle = "tables were created or dropped";
        continue;
      }
      closed = enter(sessions, closed);
      if (closed != null) {
        obstacle = "the commit gate of node " + closed.id() + " was closed";
        each.run(sessions, this::leave);
      } else if (takeBehindGates(sessions)) {
        return;
      }
      pause();
    } while (System.nanoTime() - start < limitNanos);
    throw new BackupException(
        "no moment between commits over several nodes was found in "
            + TimeUnit.NANOSECONDS.toMillis(limitNanos)
            + " ms: "
            + obstacle
            + "; see --gate-timeout");
  }

  /**
   * Enters all gates, the one that was closed before the others; a commit may hold it and wait for
   * another. Returns one that could not be entered, null when all are held.
   */
  private NodeSession enter(List<NodeSession> sessions, NodeSession first) throws BackupException {
    if (first != null
        && each.run(List.of(first), s -> s.enterGate(FIRST_WAIT_MILLIS)).contains(false)) {
      return first;
    }
    List<NodeSession> others = sessions.stream().filter(session -> session != first).toList();
    int closed = each.run(others, s -> s.enterGate(NEXT_WAIT_MILLIS)).indexOf(false);
    return closed < 0 ? null : others.get(closed);
  }

  private Object leave(NodeSession session) throws Exception {
    session.leaveGate();
    return session;
  }

  private boolean takeBehindGates(List<NodeSession> sessions) throws BackupException {
    boolean prepared =
        each.run(
                sessions,
                session -> {
                  session.export();
                  return session.hasPrepared();
                })
            .contains(true);
    // A gate that was lost meanwhile, since this process had stopped, is an error here.
    each.run(sessions, this::leave);
    Optional<String> torn = CommutingCheck.torn(each.run(sessions, NodeSession::commuting));
    if (prepared) {
      obstacle = "a transaction was prepared behind a gate";
    } else if (torn.isPresent()) {
      obstacle = torn.get();
    } else if (each.run(sessions, NodeSession::hasLockedAll).contains(false)) {
      obstacle = "tables were created or dropped";
    } else {
      return true;
    }
    each.run(
        sessions,
        session -> {
          session.rollBack();
          return session;
        });
    return false;
  }

  private static void pause() throws BackupException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new BackupException("interrupted");
    }
  }
}
