package org.abelian.router.transaction;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.transaction.independent.LaneRecovery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what a router does beside its sessions, on daemon threads, until it is closed. A duty that
 * fails is tried again at its next turn.
 */
public final class BackgroundDuties implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundDuties.class);
  private static final int THREADS = 3;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration FORGET_PERIOD = Duration.ofMillis(250);
  private static final Duration SWEEP_PERIOD = Duration.ofMinutes(1);

  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(THREADS, daemonThreads());

  private BackgroundDuties() {
    threads.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /** Starts recovery, retention of decisions, deadlock detection and the care of lanes. */
  public static BackgroundDuties start(
      ControlNetwork network,
      CommitLedger ledger,
      Recovery recovery,
      DeadlockDetector deadlocks,
      IntentRecovery intents,
      LaneRecovery lanes) {
    BackgroundDuties duties = new BackgroundDuties();
    DecisionRetention retention =
        new DecisionRetention(network, ledger, DecisionRetention.SWEEP_AGE);
    duties.every(SECOND, "recovery", recovery::runOnce);
    duties.every(SECOND, "deadlock detection", deadlocks::runOnce);
    duties.every(SECOND, "decisions", retention::forgetFinished);
    duties.every(SECOND, "recovery of intents", intents::runOnce);
    duties.every(FORGET_PERIOD, "intents", intents::forget);
    duties.every(SECOND, "recovery of lanes", lanes::runOnce);
    duties.every(SECOND, "records", lanes::forgetAcknowledged);
    duties.every(SWEEP_PERIOD, "sweep of records", lanes::sweep);
    duties.every(
        SWEEP_PERIOD, "sweep of decisions", () -> network.nodes().forEach(retention::sweep));
    return duties;
  }

  /** Adds a duty; its turns never overlap. */
  public void every(Duration period, String name, Runnable duty) {
    threads.scheduleWithFixedDelay(
        () -> {
          try {
            duty.run();
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
      Thread thread = new Thread(work, "abelian-duty-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
