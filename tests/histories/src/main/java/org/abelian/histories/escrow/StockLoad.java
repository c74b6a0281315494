package org.abelian.histories.escrow;

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
 * Sellers that take from the rows of table {@code stocks} and give back, and record what they did
 * in table {@code journal} within the same transaction.
 */
public final class StockLoad {
  private static final long END_SECONDS_MAX = 120;

  private final LocalNode node;
  private final Shop shop;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong sellers = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong decrements = new AtomicLong();
  private final List<String> surprises = new ArrayList<>();
  private volatile boolean stopping;

  private StockLoad(LocalNode node, Shop shop) {
    this.node = node;
    this.shop = shop;
  }

  /** Creates the tables anew. */
  public static StockLoad create(LocalNode node, Shop shop) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS stocks, journal");
      statement.execute(
          "CREATE TABLE stocks (id int PRIMARY KEY, note int, stock %s NOT NULL)"
              .formatted(shop.type()));
      statement.execute("CREATE TABLE journal (seller bigint, number int, id int, amount bigint)");
      statement.execute(
          "INSERT INTO stocks SELECT i, 0, %d FROM generate_series(1, %d) i"
              .formatted(shop.initial(), shop.stocks()));
    }
    return new StockLoad(node, shop);
  }

  /** Starts sellers that do a bit of everything. */
  public void start(int count, long seed) {
    stopping = false;
    for (int i = 0; i < count; i++) {
      long number = sellers.incrementAndGet();
      Thread thread = new Thread(new Seller(this, shop, number, seed + i), "seller " + number);
      threads.add(thread);
      thread.start();
    }
  }

  /** Lets the sellers finish their transactions and end. */
  public void stop() throws InterruptedException {
    stopping = true;
    awaitEnd();
  }

  /** Waits until all sellers have ended, as they do when their connections break. */
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

  /**
   * Commits every other transaction that was prepared and not finished, and rolls back the rest.
   */
  public void resolvePrepared() throws SQLException {
    List<String> gids = new ArrayList<>();
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("SELECT gid FROM pg_prepared_xacts")) {
        while (rows.next()) {
          gids.add(rows.getString(1));
        }
      }
      for (int i = 0; i < gids.size(); i++) {
        statement.execute((i % 2 == 0 ? "COMMIT" : "ROLLBACK") + " PREPARED '" + gids.get(i) + "'");
      }
    }
  }

  /** What is wrong now: stocks that one snapshot shows outside their bounds; empty if none. */
  public List<String> outside(Statement statement) throws SQLException {
    return rows(
        statement,
        "SELECT id, stock FROM stocks WHERE stock < %d OR stock > %d"
            .formatted(shop.floor(), shop.ceiling()));
  }

  /** What is wrong at rest: stocks that are not what the journal makes of them; empty if none. */
  public List<String> lost(Statement statement) throws SQLException {
    return rows(
        statement,
        ("SELECT id, s.stock::bigint, %1$d + coalesce(sum(j.amount), 0) FROM stocks s LEFT JOIN"
             + " journal j USING (id) GROUP BY id, s.stock::bigint HAVING s.stock::bigint <> %1$d +"
             + " coalesce(sum(j.amount), 0)")
            .formatted(shop.initial()));
  }

  private static List<String> rows(Statement statement, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder row = new StringBuilder("stock");
        for (int i = 1; i <= columns; i++) {
          row.append(' ').append(rows.getString(i));
        }
        found.add(row.toString());
      }
    }
    return found;
  }

  Connection connect() throws SQLException {
    return node.connect();
  }

  boolean isStopping() {
    return stopping;
  }

  void noteAcknowledged(int decrementsDone) {
    acknowledged.incrementAndGet();
    decrements.addAndGet(decrementsDone);
  }

  void noteUnknown() {
    unknown.incrementAndGet();
  }

  void noteRefused() {
    refused.incrementAndGet();
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

  /** Operations that met a bound. */
  public long refused() {
    return refused.get();
  }

  /** Decrements in transactions whose COMMIT was answered. */
  public long decrements() {
    return decrements.get();
  }
}
