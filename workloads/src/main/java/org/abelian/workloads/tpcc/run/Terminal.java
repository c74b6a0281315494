package org.abelian.workloads.tpcc.run;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.tpcc.input.Input;
import org.abelian.workloads.tpcc.input.InputGenerator;
import org.abelian.workloads.tpcc.input.Mix;
import org.abelian.workloads.tpcc.input.TransactionType;
import org.abelian.workloads.tpcc.journal.Entry;
import org.abelian.workloads.tpcc.journal.EntryKey;
import org.abelian.workloads.tpcc.journal.Journal;
import org.abelian.workloads.tpcc.journal.Verdict;
import org.abelian.workloads.tpcc.transaction.Receipt;

/** One user at one terminal: chooses, waits, executes, retries, measures. */
final class Terminal implements Runnable {
  private static final long PAUSE_AFTER_LOSS_MILLIS = 100;

  private final int number;
  private final TerminalConnection connection;
  private final Mix mix;
  private final InputGenerator inputs;
  private final Waits waits;
  private final Journal journal;
  private final RunControl control;
  private final int maxAttempts;
  private final Map<TransactionType, TypeStatistics> statistics =
      new EnumMap<>(TransactionType.class);

  Terminal(
      int number,
      TerminalConnection connection,
      Mix mix,
      InputGenerator inputs,
      Waits waits,
      Journal journal,
      RunControl control,
      int maxAttempts) {
    this.number = number;
    this.connection = connection;
    this.mix = mix;
    this.inputs = inputs;
    this.waits = waits;
    this.journal = journal;
    this.control = control;
    this.maxAttempts = maxAttempts;
    for (TransactionType type : TransactionType.values()) {
      statistics.put(type, new TypeStatistics());
    }
  }

  /** Figures of the measured time. Read after the terminal's thread has ended. */
  Map<TransactionType, TypeStatistics> statistics() {
    return statistics;
  }

  @Override
  public void run() {
    try (connection) {
      while (!control.isOver()) {
        TransactionType type = mix.next();
        waits.keying(type);
        execute(inputs.next(type));
        waits.thinking(type);
      }
    } catch (InterruptedException e) {
      // The run is being stopped.
    }
  }

  private void execute(Input input) throws InterruptedException {
    long start = System.nanoTime();
    for (int attempt = 1; attempt <= maxAttempts; attempt++) {
      switch (attempt(input)) {
        case DONE -> {
          complete(input, false, start);
          return;
        }
        case ROLLED_BACK_BY_USER -> {
          complete(input, true, start);
          return;
        }
        case RETRY -> measured(input, TypeStatistics::retried);
        case UNKNOWN -> {
          measured(input, TypeStatistics::unknownOutcome);
          return;
        }
        case FAILED -> {
          measured(input, TypeStatistics::failed);
          return;
        }
      }
    }
    measured(input, TypeStatistics::failed);
  }

  private void complete(Input input, boolean rollback, long start) {
    long nanos = System.nanoTime() - start;
    if (control.completed()) {
      statistics.get(input.type()).completed(rollback, nanos, control.locations().nodesOf(input));
    }
  }

  private void measured(Input input, Consumer<TypeStatistics> event) {
    if (control.isMeasuring()) {
      event.accept(statistics.get(input.type()));
    }
  }

  private Attempt attempt(Input input) throws InterruptedException {
    Receipt receipt;
    try {
      receipt = connection.profiles().execute(input);
    } catch (SQLException e) {
      return afterError(input.type().label(), e);
    }
    if (receipt.rollback()) {
      connection.rollback();
      return Attempt.ROLLED_BACK_BY_USER;
    }
    return commit(input, receipt);
  }

  private Attempt commit(Input input, Receipt receipt) throws InterruptedException {
    note(Verdict.INTENDED, receipt);
    try {
      connection.commit();
    } catch (SQLException e) {
      boolean ambiguous = SqlStates.isCommitAmbiguous(e);
      note(ambiguous ? Verdict.UNKNOWN : Verdict.ROLLED_BACK, receipt);
      Attempt next = afterError("commit of " + input.type().label(), e);
      return ambiguous ? Attempt.UNKNOWN : next;
    }
    note(Verdict.ACKNOWLEDGED, receipt);
    return Attempt.DONE;
  }

  private void note(Verdict verdict, Receipt receipt) {
    if (receipt.key().isPresent()) {
      EntryKey key = receipt.key().get();
      journal.write(new Entry(number, verdict, key));
    }
  }

  private Attempt afterError(String where, SQLException error) throws InterruptedException {
    if (SqlStates.isRetryable(error)) {
      connection.rollback();
      return Attempt.RETRY;
    }
    control.errors().add(where, error);
    if (SqlStates.isConnectionLost(error)) {
      connection.close();
      Thread.sleep(PAUSE_AFTER_LOSS_MILLIS);
    } else {
      connection.rollback();
    }
    return Attempt.FAILED;
  }

  /** How one attempt ended. */
  private enum Attempt {
    DONE,
    ROLLED_BACK_BY_USER,
    RETRY,
    UNKNOWN,
    FAILED
  }
}
