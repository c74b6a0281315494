package org.abelian.router;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what a router does beside its sessions, on daemon threads, until it is closed. A task that
 * fails is tried again at its next turn.
 */
final class BackgroundTasks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);
  private static final int THREADS = 3;

  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(THREADS, daemonThreads());

  /** Runs nothing yet. */
  BackgroundTasks() {
    threads.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /** Adds a task; its turns never overlap. */
  void every(Duration period, String name, Runnable task) {
    threads.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException failed) {
            LOG.warn("{} failed and will be tried again", name, failed);
          }
        },
        period.toMillis(),
        period.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private static ThreadFactory daemonThreads() {
    AtomicInteger number = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, "abelian-task-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
