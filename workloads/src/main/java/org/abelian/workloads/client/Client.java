package org.abelian.workloads.client;

import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Worker;

/**
 * Runs a script's transactions at its pace. What a conflict has rolled back (40001, 40P01) is tried
 * again with the same inputs, and its latency includes all tries.
 */
public final class Client implements Worker {
  private static final int MOST_TRIES = 1000;

  private final Session session;
  private final Script script;
  private final Pace pace;
  private final Tally tally;
  private final SplittableRandom random;
  private long due = System.nanoTime();
  private boolean measured;
  private long failures;

  /**
   * @param session which is closed with the client
   * @param random for think times
   */
  public Client(Session session, Script script, Pace pace, Tally tally, SplittableRandom random) {
    this.session = session;
    this.script = script;
    this.pace = pace;
    this.tally = tally;
    this.random = random;
  }

  @Override
  public void begin() {
    measured = true;
  }

  /** With a rate, the time at which the transaction should have begun: lateness is latency. */
  @Override
  public long turn(long end) {
    if (pace.equals(Pace.UNLIMITED)) {
      return System.nanoTime();
    }
    due = pace.next(due, System.nanoTime(), random.nextDouble());
    long until = Math.min(due, end);
    for (long left = until - System.nanoTime();
        left > 0 && !Thread.currentThread().isInterrupted();
        left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return due;
  }

  @Override
  public boolean once(long end) throws SQLException {
    Transaction transaction = script.next();
    long retriedBefore = session.retried();
    for (int attempt = 1; ; attempt++) {
      try {
        transaction.body().run(session);
        session.commit();
        transaction.committed().run();
        count(transaction, attempt - 1 + session.retried() - retriedBefore);
        return true;
      } catch (SQLException error) {
        if (SqlStates.isConnectionLost(error)) {
          throw error;
        }
        session.rollback();
        boolean again = SqlStates.isRetryable(error) && attempt < MOST_TRIES;
        if (!again || System.nanoTime() > end) {
          giveUp(error, attempt - 1 + session.retried() - retriedBefore);
          return false;
        }
      }
    }
  }

  private void count(Transaction transaction, long retries) {
    tally.committed(transaction.type(), measured);
    if (measured) {
      tally.retried(retries);
    }
  }

  private void giveUp(SQLException error, long retries) {
    if (measured) {
      failures++;
      tally.failed(SqlStates.stateOf(error));
      tally.retried(retries);
    }
  }

  @Override
  public long failures() {
    return failures;
  }

  @Override
  public void close() throws SQLException {
    session.close();
  }
}
