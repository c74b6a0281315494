package org.abelian.histories.escrow;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.abelian.histories.escrow.ConditionalSales.Way;

/** One who buys where there is enough, and sometimes delivers. */
final class Buyer extends RecordedMember {
  private static final int MOST = 4;

  private final ConditionalSales sales;
  private final long buyer;
  private final Random random;
  private final Map<Integer, Long> own = new HashMap<>();
  private int transaction;

  Buyer(ConditionalSales sales, long buyer, long seed) {
    super(sales.crew(), sales.record());
    this.sales = sales;
    this.buyer = buyer;
    this.random = new Random(seed);
  }

  @Override
  protected void open(Statement statement) throws SQLException {
    statement.execute("SET application_name = 'buyer'");
    statement.execute("SET abelian.split = " + (random.nextBoolean() ? "always" : "auto"));
    if (sales.way() == Way.IMPATIENT) {
      statement.execute("SET lock_timeout = '1ms'");
    }
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    transaction++;
    own.clear();
    statement.execute("BEGIN");
    for (int i = random.nextInt(3); i >= 0; i--) {
      step(statement);
    }
    end(statement, random, new SalesRecord.Number(buyer, transaction));
  }

  /** A limit that strikes as the lock comes counts as a cancel once the next wait has begun. */
  @Override
  protected boolean isExpected(SQLException error) {
    return sales.way() == Way.IMPATIENT
        && ("55P03".equals(error.getSQLState()) || "57014".equals(error.getSQLState()));
  }

  private void step(Statement statement) throws SQLException {
    switch (random.nextInt(6)) {
      case 0 -> change(statement, stock(), amount());
      case 1 -> {
        Map<Integer, Long> before = Map.copyOf(own);
        statement.execute("SAVEPOINT s");
        buy(statement, stock(), amount());
        statement.execute("ROLLBACK TO SAVEPOINT s");
        own.clear();
        own.putAll(before);
      }
      default -> buy(statement, stock(), amount());
    }
  }

  private void buy(Statement statement, int stock, long amount) throws SQLException {
    long sent = System.nanoTime();
    if (isGranted(statement, stock, amount)) {
      sales.record().noteGranted();
      note(statement, stock, -amount);
    } else {
      sales.record().noteRefused(stock, amount, own.getOrDefault(stock, 0L), sent);
    }
  }

  private boolean isGranted(Statement statement, int stock, long amount) throws SQLException {
    if (sales.way() != Way.IMPATIENT) {
      return ask(statement, stock, amount);
    }
    statement.execute("SAVEPOINT patience");
    try {
      return ask(statement, stock, amount);
    } catch (SQLException e) {
      if (!isExpected(e)) {
        throw e;
      }
      statement.execute("ROLLBACK TO SAVEPOINT patience");
      return false;
    }
  }

  private boolean ask(Statement statement, int stock, long amount) throws SQLException {
    String[] texts = sales.way().texts();
    String text = texts[random.nextInt(texts.length)].formatted(amount, stock);
    if (statement.execute(text)) {
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() && rows.getInt(1) > 0;
      }
    }
    return statement.getUpdateCount() == 1;
  }

  private void change(Statement statement, int stock, long amount) throws SQLException {
    statement.execute(
        "UPDATE stocks SET stock = stock + %d WHERE id = %d".formatted(amount, stock));
    note(statement, stock, amount);
  }

  private void note(Statement statement, int stock, long amount) throws SQLException {
    own.merge(stock, amount, Long::sum);
    statement.execute(
        "INSERT INTO journal VALUES (%d, %d, %d, %d)".formatted(buyer, transaction, stock, amount));
  }

  private long amount() {
    return 1 + random.nextInt(MOST);
  }

  private int stock() {
    return 1 + random.nextInt(sales.stocks());
  }
}
