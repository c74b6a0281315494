package org.abelian.router;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what a router does beside its sessions, on daemon threads, until it is closed. A task that
 * fails is tried again at its next turn. Of equal failures the log tells of the first, the tenth,
 * the hundredth and so on, and of the turn after them.
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
        new Turn(name, task), period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** One turn after the other of a task. */
  private static final class Turn implements Runnable {
    private final String name;
    private final Runnable task;

    /** How often it has failed since it last did not, and why. */
    private int failures;

    private String why;

    /** How often for that reason, the last time included. */
    private int equal;

    Turn(String name, Runnable task) {
      this.name = name;
      this.task = task;
    }

    @Override
    public void run() {
      try {
        task.run();
        if (failures > 0) {
          LOG.info("{} works again after {} failures", name, failures);
        }
        failures = 0;
        why = null;
      } catch (RuntimeException | VirtualMachineError failed) { // There may be memory again.
        failures++;
        tell(failed);
      }
    }

    private void tell(Throwable failed) {
      String now = describe(failed);
      equal = now.equals(why) ? equal + 1 : 1;
      why = now;
      if (!isToldOf(equal)) {
        return;
      }
      if (failed instanceof AbelianException error && error.state() != SqlState.INTERNAL_ERROR) {
        LOG.warn("{} failed and will be tried again: {}", name, now);
      } else {
        LOG.warn("{} failed and will be tried again", name, failed);
      }
    }

    private static boolean isToldOf(int count) {
      int rest = count;
      while (rest >= 10 && rest % 10 == 0) {
        rest /= 10;
      }
      return rest == 1;
    }

    private static String describe(Throwable failed) {
      if (!(failed instanceof AbelianException error)) {
        return failed.toString();
      }
      return error.detail() == null
          ? String.valueOf(error.getMessage())
          : error.getMessage() + ": " + error.detail();
    }
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
