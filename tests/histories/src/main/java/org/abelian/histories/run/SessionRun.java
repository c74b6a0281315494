package org.abelian.histories.run;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Transaction;

/**
 * Takes one session through its transactions, one statement a {@link #step()}. After an error the
 * session rolls back to its savepoint if one is set and goes on, else it gives the transaction up.
 */
public final class SessionRun {
  private final Client client;
  private final Level level;
  private final List<Transaction> transactions;
  private final AtomicLong clock;
  private final String gidPrefix;
  private final List<Execution> executions = new ArrayList<>();

  private List<Outcome> outcomes = new ArrayList<>();
  private boolean begun;
  private boolean savepoint;
  private boolean prepared;

  public SessionRun(
      Client client,
      Level level,
      List<Transaction> transactions,
      AtomicLong clock,
      String gidPrefix) {
    this.client = client;
    this.level = level;
    this.transactions = transactions;
    this.clock = clock;
    this.gidPrefix = gidPrefix;
  }

  public List<Execution> executions() {
    return executions;
  }

  public boolean isDone() {
    return executions.size() == transactions.size();
  }

  /** Sends the next statement and waits for its answer. */
  public void step() {
    Transaction transaction = transactions.get(executions.size());
    if (!begun) {
      require(attempt(() -> client.begin(level)));
      begun = true;
      savepoint = false;
      prepared = false;
      outcomes = new ArrayList<>();
    }
    if (outcomes.size() < transaction.statements().size()) {
      statement(transaction, transaction.statements().get(outcomes.size()));
    } else {
      end(transaction);
    }
  }

  private void statement(Transaction transaction, Statement statement) {
    Outcome outcome = attempt(() -> client.run(statement));
    outcomes.add(outcome);
    if (outcome.failed()) {
      if (savepoint) {
        require(
            attempt(
                () ->
                    client.run(
                        new Statement.Savepoint(Statement.Savepoint.Action.ROLLBACK_TO, "s"))));
      } else {
        require(attempt(client::rollback));
        finish(transaction, outcome, false);
      }
    } else if (statement instanceof Statement.Savepoint step) {
      savepoint = step.action() != Statement.Savepoint.Action.RELEASE;
    }
  }

  private void end(Transaction transaction) {
    Transaction.End end = transaction.end();
    String gid = gidPrefix + "_" + executions.size();
    if (end.isPrepared() && !prepared) {
      Outcome outcome = attempt(() -> client.prepare(gid));
      if (outcome.failed()) {
        // Depending on where it failed the transaction is gone or waits for its ROLLBACK.
        require(attempt(client::rollback));
        finish(transaction, outcome, false);
      }
      prepared = true;
      return;
    }
    Outcome outcome =
        switch (end) {
          case COMMIT -> attempt(client::commit);
          case ROLLBACK -> attempt(client::rollback);
          case COMMIT_PREPARED -> attempt(() -> client.commitPrepared(gid));
          case ROLLBACK_PREPARED -> attempt(() -> client.rollbackPrepared(gid));
        };
    finish(transaction, outcome, end.commits() && !outcome.failed());
  }

  private void finish(Transaction transaction, Outcome end, boolean committed) {
    executions.add(new Execution(transaction, List.copyOf(outcomes), end, committed));
    begun = false;
  }

  private static void require(Outcome outcome) {
    if (outcome.failed()) {
      throw new IllegalStateException("transaction control failed: " + outcome);
    }
  }

  private Outcome attempt(Command command) {
    return attempt(
        () -> {
          command.run();
          return Answer.count(0);
        });
  }

  private Outcome attempt(Query query) {
    long sent = clock.incrementAndGet();
    Answer answer = null;
    String sqlState = null;
    try {
      answer = query.run();
    } catch (SQLException e) {
      sqlState = Errors.expected(e);
    }
    return new Outcome(sent, clock.incrementAndGet(), sqlState, answer);
  }

  private interface Command {
    void run() throws SQLException;
  }

  private interface Query {
    Answer run() throws SQLException;
  }
}
