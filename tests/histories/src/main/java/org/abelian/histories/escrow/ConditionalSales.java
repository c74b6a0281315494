package org.abelian.histories.escrow;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.histories.load.Member;

/**
 * Buyers of few stocks that take only what is there, by a condition on the stock, and record it in
 * table {@code journal} within the same transaction.
 */
public final class ConditionalSales extends RecordedLoad {
  private static final int STOCKS = 3;
  private static final long INITIAL = 12;

  /** How buyers ask whether there is enough. */
  public enum Way {
    /** By a condition that the floor keeps, in several spellings. */
    CONDITION(
        "abelian.bounded_counter(0)",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d RETURNING id",
        "UPDATE stocks SET stock = stock - %1$d, sold = sold + %1$d WHERE id = %2$d AND stock -"
            + " %1$d >= 0",
        "SELECT buy(%2$d, %1$d)"),
    /** The same over money. */
    DECIMAL(
        "abelian.bounded_decimal(2) CHECK (stock >= 0)",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock - %1$d > -0.005 RETURNING"
            + " id",
        "UPDATE stocks SET stock = stock - %1$d, sold = sold + %1$d WHERE id = %2$d AND stock -"
            + " %1$d >= 0",
        "SELECT buy(%2$d, %1$d)"),
    /** As over plain columns. */
    PLAIN(
        "bigint CHECK (stock >= 0)",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d",
        "SELECT buy(%2$d, %1$d)"),
    /** A fault: by what is committed, without keeping others from it. */
    COMMITTED_ALONE(
        "abelian.counter",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND (SELECT s.stock FROM stocks s"
            + " WHERE s.id = %2$d) >= %1$d"),
    /** A fault: what others may give back counts as sold. */
    IMPATIENT(
        "abelian.bounded_counter(0)",
        "UPDATE stocks SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d");

    private final String type;
    private final String[] texts;

    Way(String type, String... texts) {
      this.type = type;
      this.texts = texts;
    }

    /** Statements with %1$d for the amount and %2$d for the stock, one of which asks. */
    String[] texts() {
      return texts.clone();
    }
  }

  private final Way way;
  private final int stocks;
  private final long initial;

  private ConditionalSales(LocalNode node, Way way, int stocks, long initial) {
    super(node, "buyer");
    this.way = way;
    this.stocks = stocks;
    this.initial = initial;
  }

  /** Creates the tables anew, with few stocks of little. */
  public static ConditionalSales create(LocalNode node, Way way) throws SQLException {
    return create(node, way, STOCKS, INITIAL);
  }

  /**
   * Creates the tables anew.
   *
   * @param stocks how many there are
   * @param initial what each holds at first
   */
  public static ConditionalSales create(LocalNode node, Way way, int stocks, long initial)
      throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS stocks, journal");
      statement.execute(
          "CREATE TABLE stocks (id int PRIMARY KEY, sold %s DEFAULT 0, stock %s NOT NULL)"
              .formatted(way == Way.PLAIN ? "bigint" : "abelian.counter", way.type));
      statement.execute("CREATE TABLE journal (buyer bigint, number int, id int, amount bigint)");
      statement.execute(
          "INSERT INTO stocks SELECT i, 0, %d FROM generate_series(1, %d) i"
              .formatted(initial, stocks));
      statement.execute(
          "CREATE OR REPLACE FUNCTION buy(item int, amount bigint) RETURNS int LANGUAGE plpgsql AS"
              + " $$ BEGIN UPDATE stocks SET stock = stock - amount WHERE id = item AND stock >="
              + " amount; IF NOT FOUND THEN RETURN 0; END IF; RETURN 1; END $$");
    }
    return new ConditionalSales(node, way, stocks, initial);
  }

  @Override
  Member recruit(long number, long seed) {
    return new Buyer(this, number, seed);
  }

  int stocks() {
    return stocks;
  }

  Way way() {
    return way;
  }

  @Override
  boolean isWrong(Statement statement) throws SQLException {
    return isOversold(statement);
  }

  /** Whether one snapshot shows a stock below zero. */
  public boolean isOversold(Statement statement) throws SQLException {
    return !Rows.read(statement, "SELECT id, stock FROM stocks WHERE stock < 0").isEmpty();
  }

  /** What is wrong at rest: stocks oversold, sold twice, or refused without need. */
  public List<String> faults() throws SQLException {
    try (Connection connection = node().connect();
        Statement statement = connection.createStatement()) {
      List<String> found =
          Rows.read(
              statement,
              "SELECT 'stock', id, s.stock::bigint, %1$d + coalesce(sum(j.amount), 0) FROM stocks s"
                      .formatted(initial)
                  + " LEFT JOIN journal j USING (id) GROUP BY id, s.stock::bigint HAVING"
                  + " s.stock::bigint < 0 OR s.stock::bigint <> %1$d + coalesce(sum(j.amount), 0)"
                      .formatted(initial));
      found.addAll(record().needless(statement, initial));
      return found;
    }
  }
}
