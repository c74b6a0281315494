package org.abelian.histories;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.abelian.histories.program.Program;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Transaction;

/**
 * Makes a failing program smaller by leaving out sessions, transactions and statements as long as
 * some interleaving of what remains still fails.
 */
final class Shrinking {
  /** Interleavings tried for each smaller program. */
  private static final int ATTEMPTS = 8;

  private static final int RUNS_MAX = 1200;

  /** Runs a program and returns the complaint about its history, if there is one. */
  interface Experiment {
    Optional<String> run(Program program) throws SQLException;
  }

  private final Experiment experiment;
  private int runs;
  private String complaint;

  Shrinking(Experiment experiment) {
    this.experiment = experiment;
  }

  /** The complaint about the smallest failing program found, or the given one. */
  String shrink(Program failing, String firstComplaint) throws SQLException {
    complaint = firstComplaint;
    Program smallest = failing;
    boolean smaller = true;
    while (smaller && runs < RUNS_MAX) {
      smaller = false;
      for (Program candidate : candidates(smallest)) {
        if (fails(candidate)) {
          smallest = candidate;
          smaller = true;
          break;
        }
      }
    }
    return complaint;
  }

  private boolean fails(Program candidate) throws SQLException {
    for (int i = 0; i < ATTEMPTS && runs < RUNS_MAX; i++) {
      runs++;
      Program other =
          new Program(
              candidate.seed() + 2 * i, candidate.level(), candidate.rows(), candidate.sessions());
      Optional<String> found = experiment.run(other);
      if (found.isPresent()) {
        complaint = found.get();
        return true;
      }
    }
    return false;
  }

  private static List<Program> candidates(Program program) {
    List<Program> all = new ArrayList<>();
    for (int s = 0; s < program.sessions().size(); s++) {
      all.add(with(program, s, List.of()));
      List<Transaction> transactions = program.sessions().get(s);
      for (int t = 0; t < transactions.size(); t++) {
        all.add(with(program, s, without(transactions, t)));
      }
      for (int t = 0; t < transactions.size(); t++) {
        List<Statement> statements = transactions.get(t).statements();
        for (int i = 0; i < statements.size() && statements.size() > 1; i++) {
          List<Transaction> changed = new ArrayList<>(transactions);
          changed.set(t, new Transaction(without(statements, i), transactions.get(t).end()));
          if (hasSavepoints(changed.get(t))) {
            all.add(with(program, s, changed));
          }
        }
      }
    }
    all.removeIf(p -> p.sessions().equals(program.sessions()));
    return all;
  }

  /** Whether no savepoint is rolled back to or released that was not set. */
  private static boolean hasSavepoints(Transaction transaction) {
    boolean set = false;
    for (Statement statement : transaction.statements()) {
      if (statement instanceof Statement.Savepoint savepoint) {
        boolean sets = savepoint.action() == Statement.Savepoint.Action.SET;
        if (!sets && !set) {
          return false;
        }
        set = savepoint.action() != Statement.Savepoint.Action.RELEASE;
      }
    }
    return true;
  }

  private static Program with(Program program, int session, List<Transaction> transactions) {
    List<List<Transaction>> sessions = new ArrayList<>(program.sessions());
    if (transactions.isEmpty()) {
      sessions.remove(session);
    } else {
      sessions.set(session, transactions);
    }
    return new Program(program.seed(), program.level(), program.rows(), sessions);
  }

  private static <T> List<T> without(List<T> list, int index) {
    List<T> rest = new ArrayList<>(list);
    rest.remove(index);
    return rest;
  }
}
