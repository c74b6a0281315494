package org.abelian.histories.load;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.harness.LocalNode;

/**
 * Writers that add to the rows of table {@code sums} and record every addition in table {@code
 * journal} within the same transaction.
 */
public final class JournalledLoad {
  static final int ROWS = 4;
  private static final long END_SECONDS_MAX = 60;

  private final LocalNode node;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong writers = new AtomicLong();
  private final List<String> surprises = new ArrayList<>();
  private volatile boolean stopping;

  private JournalledLoad(LocalNode node) {
    this.node = node;
  }

  /**
   * Creates the tables anew.
   *
   * @param types column types of the two sums, an integer and a decimal one
   */
  public static JournalledLoad create(LocalNode node, String types) throws SQLException {
    String[] type = types.split(", ");
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS sums, journal");
      statement.execute(
          "CREATE TABLE sums (id int PRIMARY KEY, note int, c %s, d %s)"
              .formatted(type[0], type[1]));
      statement.execute(
          "CREATE TABLE journal (writer bigint, number int, id int, c bigint, d numeric)");
      statement.execute(
          "INSERT INTO sums SELECT i, 0, 0, 0 FROM generate_series(1, " + ROWS + ") i");
    }
    return new JournalledLoad(node);
  }

  /** Starts writers that do a bit of everything. */
  public void start(int count, long seed) {
    launch(count, seed, false);
  }

  /** Starts writers that only move amounts between rows, so that the totals stay zero. */
  public void startTransfers(int count, long seed) {
    launch(count, seed, true);
  }

  private void launch(int count, long seed, boolean transfers) {
    stopping = false;
    for (int i = 0; i < count; i++) {
      long number = writers.incrementAndGet();
      Writer writer = new Writer(this, number, seed + i, transfers);
      Thread thread = new Thread(writer, "writer " + number);
      threads.add(thread);
      thread.start();
    }
  }

  /** Lets the writers finish their transactions and end. */
  public void stop() throws InterruptedException {
    stopping = true;
    awaitEnd();
  }

  /** Waits until all writers have ended, as they do when their connections break. */
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS_MAX));
      if (thread.isAlive()) {
        throw new IllegalStateException(thread.getName() + " hangs");
      }
    }
    threads.clear();
    synchronized (surprises) {
      if (!surprises.isEmpty()) {
        throw new IllegalStateException("unexpected errors: " + surprises);
      }
    }
  }

  /** Commits what was prepared and not finished when the node was killed. */
  public void resolvePrepared() throws SQLException {
    List<String> gids = new ArrayList<>();
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("SELECT gid FROM pg_prepared_xacts")) {
        while (rows.next()) {
          gids.add(rows.getString(1));
        }
      }
      for (String gid : gids) {
        statement.execute("COMMIT PREPARED '" + gid + "'");
      }
    }
  }

  Connection connect() throws SQLException {
    return node.connect();
  }

  boolean isStopping() {
    return stopping;
  }

  void noteAcknowledged() {
    acknowledged.incrementAndGet();
  }

  void noteUnknown() {
    unknown.incrementAndGet();
  }

  void noteSurprise(SQLException error) {
    synchronized (surprises) {
      if (surprises.size() < 10) {
        surprises.add(error.getSQLState() + " " + error.getMessage());
      }
    }
  }

  /** Transactions whose COMMIT was answered. */
  public long acknowledged() {
    return acknowledged.get();
  }

  /** Transactions that broke off while their outcome was open. */
  public long unknown() {
    return unknown.get();
  }
}
