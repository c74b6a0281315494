package org.abelian.histories.escrow;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When buyers asked for the end of their transactions, and what they were refused. Times are of
 * {@link System#nanoTime}.
 */
public final class SalesRecord {
  /** A transaction of a buyer. */
  record Number(long buyer, int transaction) {}

  /** When a commit was asked for, and when it was answered; never, if the connection broke. */
  private record Commit(long sent, long answered) {}

  /** Somebody wanted so much, and was told that there is not enough. */
  private record Refusal(int stock, long amount, long own, long sent, long answered) {}

  /** What a committed transaction has made of a stock. */
  private record Change(long amount, Commit commit) {}

  private final Map<Number, Commit> commits = new HashMap<>();
  private final List<Refusal> refusals = new ArrayList<>();
  private long granted;

  synchronized void noteCommitSent(Number number) {
    commits.put(number, new Commit(System.nanoTime(), Long.MAX_VALUE));
  }

  synchronized void noteCommitted(Number number) {
    long sent = commits.get(number).sent();
    commits.put(number, new Commit(sent, System.nanoTime()));
  }

  /**
   * Notes a refusal that is answered now.
   *
   * @param own what the transaction had added to the stock itself
   */
  synchronized void noteRefused(int stock, long amount, long own, long sent) {
    refusals.add(new Refusal(stock, amount, own, sent, System.nanoTime()));
  }

  synchronized void noteGranted() {
    granted++;
  }

  /** How many were told that there is not enough. */
  public synchronized int refused() {
    return refusals.size();
  }

  /** How many got what they wanted, at least until their transaction ended. */
  public synchronized long granted() {
    return granted;
  }

  /**
   * Refusals that no moment between question and answer explains: even with every sale that can
   * have been committed before the answer, and only the deliveries that were before the question,
   * there was enough.
   */
  public synchronized List<String> needless(Statement statement, long initial) throws SQLException {
    Map<Integer, List<Change>> changes = committed(statement);
    List<String> found = new ArrayList<>();
    for (Refusal refusal : refusals) {
      long least = initial + refusal.own();
      for (Change change : changes.getOrDefault(refusal.stock(), List.of())) {
        boolean counts =
            change.amount() < 0
                ? change.commit().sent() < refusal.answered()
                : change.commit().answered() < refusal.sent();
        least += counts ? change.amount() : 0;
      }
      if (least >= refusal.amount()) {
        found.add(refusal + " of at least " + least);
      }
    }
    return found;
  }

  private Map<Integer, List<Change>> committed(Statement statement) throws SQLException {
    Map<Integer, List<Change>> changes = new HashMap<>();
    String query = "SELECT buyer, number, id, sum(amount) FROM journal GROUP BY 1, 2, 3";
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        Commit commit = commits.get(new Number(rows.getLong(1), rows.getInt(2)));
        changes
            .computeIfAbsent(rows.getInt(3), stock -> new ArrayList<>())
            .add(new Change(rows.getLong(4), commit));
      }
    }
    return changes;
  }
}
