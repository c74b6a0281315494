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
    Map<Integer, Flows> flows = committed(statement);
    List<String> found = new ArrayList<>();
    for (Refusal refusal : refusals) {
      Flows flow = flows.getOrDefault(refusal.stock(), Flows.NONE);
      long least = initial + refusal.own();
      least += flow.sales().before(refusal.answered());
      least += flow.deliveries().before(refusal.sent());
      if (least >= refusal.amount()) {
        found.add(refusal + " of at least " + least);
      }
    }
    return found;
  }

  /**
   * What committed transactions have made of a stock.
   *
   * @param sales by when their commit was asked for
   * @param deliveries by when their commit was answered
   */
  private record Flows(TimedSums sales, TimedSums deliveries) {
    static final Flows NONE = new Flows();

    Flows() {
      this(new TimedSums(), new TimedSums());
    }
  }

  private Map<Integer, Flows> committed(Statement statement) throws SQLException {
    Map<Integer, Flows> flows = new HashMap<>();
    String query = "SELECT buyer, number, id, sum(amount) FROM journal GROUP BY 1, 2, 3";
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        Commit commit = commits.get(new Number(rows.getLong(1), rows.getInt(2)));
        Flows flow = flows.computeIfAbsent(rows.getInt(3), stock -> new Flows());
        long amount = rows.getLong(4);
        if (amount < 0) {
          flow.sales().add(commit.sent(), amount);
        } else {
          flow.deliveries().add(commit.answered(), amount);
        }
      }
    }
    return flows;
  }
}
