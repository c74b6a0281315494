package org.abelian.histories.run;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** All sessions at once, each as fast as it can, with small pauses drawn from the seed. */
public final class ParallelSchedule implements Schedule {
  static final long HISTORY_SECONDS_MAX = 60;
  private static final int PAUSE_MICROSECONDS_MAX = 400;

  @Override
  public void run(
      List<SessionRun> sessions,
      List<Connection> connections,
      ExecutorService threads,
      Connection control,
      long seed) {
    CyclicBarrier start = new CyclicBarrier(sessions.size());
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < sessions.size(); i++) {
      SessionRun session = sessions.get(i);
      Random random = new Random(seed * 31 + i);
      running.add(
          threads.submit(
              () -> {
                start.await(HISTORY_SECONDS_MAX, TimeUnit.SECONDS);
                while (!session.isDone()) {
                  session.step();
                  pause(random);
                }
                return null;
              }));
    }
    running.forEach(ParallelSchedule::await);
  }

  private static void pause(Random random) {
    if (random.nextInt(3) == 0) {
      LockSupport.parkNanos(1_000L * random.nextInt(PAUSE_MICROSECONDS_MAX));
    }
  }

  static void await(Future<?> session) {
    try {
      session.get(HISTORY_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a session did not end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
