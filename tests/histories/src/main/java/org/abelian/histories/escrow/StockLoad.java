package org.abelian.histories.escrow;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.harness.LocalNode;
import org.abelian.histories.load.Crew;

/**
 * Sellers that take from the rows of table {@code stocks} and give back, and record what they did
 * in table {@code journal} within the same transaction.
 */
public final class StockLoad {
  private static final long END_SECONDS_MAX = 120;

  private final Crew crew;
  private final Shop shop;
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong decrements = new AtomicLong();

  private StockLoad(Crew crew, Shop shop) {
    this.crew = crew;
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
    return new StockLoad(new Crew(node, "seller", END_SECONDS_MAX), shop);
  }

  /** Starts sellers that do a bit of everything. */
  public void start(int count, long seed) {
    crew.start(count, seed, (number, own) -> new Seller(this, shop, number, own));
  }

  /** The sellers. */
  public Crew crew() {
    return crew;
  }

  /**
   * Commits every other transaction that was prepared and not finished, and rolls back the rest.
   */
  public void resolvePrepared() throws SQLException {
    crew.resolvePrepared(n -> n % 2 == 0);
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

  void noteDecrements(int done) {
    decrements.addAndGet(done);
  }

  void noteRefused() {
    refused.incrementAndGet();
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
