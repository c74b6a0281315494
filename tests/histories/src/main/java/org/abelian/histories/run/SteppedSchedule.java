package org.abelian.histories.run;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.PGConnection;

/**
 * One statement at a time, by a session drawn from the seed. A statement that PostgreSQL reports as
 * blocked is left waiting and the next session is drawn, so the same seed gives the same
 * interleaving again.
 */
public final class SteppedSchedule implements Schedule {
  private static final long POLL_NANOSECONDS = TimeUnit.MICROSECONDS.toNanos(100);

  @Override
  public void run(
      List<SessionRun> sessions,
      List<Connection> connections,
      ExecutorService threads,
      Connection control,
      long seed) {
    Random random = new Random(seed);
    List<Future<?>> running = new ArrayList<>();
    sessions.forEach(s -> running.add(null));
    long deadline =
        System.nanoTime() + TimeUnit.SECONDS.toNanos(ParallelSchedule.HISTORY_SECONDS_MAX);
    while (System.nanoTime() < deadline) {
      settle(running, connections, control, deadline);
      List<Integer> free = new ArrayList<>();
      for (int i = 0; i < sessions.size(); i++) {
        if (running.get(i) == null && !sessions.get(i).isDone()) {
          free.add(i);
        }
      }
      if (!free.isEmpty()) {
        int next = free.get(random.nextInt(free.size()));
        running.set(next, threads.submit(sessions.get(next)::step));
      } else if (running.stream().allMatch(f -> f == null)) {
        return;
      }
    }
    throw new IllegalStateException("sessions block each other for ever");
  }

  /** Waits until every statement that was sent has been answered or is blocked. */
  private static void settle(
      List<Future<?>> running, List<Connection> connections, Connection control, long deadline) {
    while (System.nanoTime() < deadline) {
      boolean moving = false;
      for (int i = 0; i < running.size(); i++) {
        Future<?> step = running.get(i);
        if (step != null && step.isDone()) {
          ParallelSchedule.await(step);
          running.set(i, null);
        } else if (step != null && !isBlocked(connections.get(i), control)) {
          moving = true;
        }
      }
      if (!moving) {
        return;
      }
      LockSupport.parkNanos(POLL_NANOSECONDS);
    }
  }

  private static boolean isBlocked(Connection session, Connection control) {
    try (PreparedStatement query = control.prepareStatement("SELECT pg_blocking_pids(?)")) {
      query.setInt(1, session.unwrap(PGConnection.class).getBackendPID());
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        Array blockers = rows.getArray(1);
        return ((Object[]) blockers.getArray()).length > 0;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
