package org.abelian.histories.escrow;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.abelian.histories.load.Member;

/** One seller of a {@link StockLoad}; mostly takes. */
final class Seller extends Member {
  private static final String[] LEVELS = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};
  private static final String OUT_OF_BOUNDS = "23514";

  private final StockLoad load;
  private final Shop shop;
  private final long seller;
  private final Random random;
  private int number;
  private int taken;

  Seller(StockLoad load, Shop shop, long seller, long seed) {
    super(load.crew());
    this.load = load;
    this.shop = shop;
    this.seller = seller;
    this.random = new Random(seed);
  }

  @Override
  protected void open(Statement statement) throws SQLException {
    statement.execute("SET abelian.split = " + (random.nextBoolean() ? "always" : "auto"));
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    number++;
    taken = 0;
    statement.execute("BEGIN ISOLATION LEVEL " + LEVELS[Math.max(0, random.nextInt(10) - 7)]);
    for (int i = random.nextInt(3); i >= 0; i--) {
      step(statement);
    }
    end(statement);
  }

  @Override
  protected boolean isExpected(SQLException error) {
    if (OUT_OF_BOUNDS.equals(error.getSQLState())) {
      load.noteRefused();
      return true;
    }
    return false;
  }

  private void end(Statement statement) throws SQLException {
    int dice = random.nextInt(20);
    if (dice <= 1) {
      statement.execute("ROLLBACK");
      return;
    }
    String gid = "sale_" + seller + "_" + number;
    beginCommit();
    if (dice == 2) {
      statement.execute("PREPARE TRANSACTION '" + gid + "'");
      if (random.nextInt(3) == 0) {
        statement.execute("ROLLBACK PREPARED '" + gid + "'");
        return;
      }
      statement.execute("COMMIT PREPARED '" + gid + "'");
    } else {
      statement.execute("COMMIT");
    }
    noteAcknowledged();
    load.noteDecrements(taken);
  }

  private void step(Statement statement) throws SQLException {
    switch (random.nextInt(6)) {
      case 0 -> {
        // Taken back: others must not rely on it, nor be kept from what it frees.
        statement.execute("SAVEPOINT s");
        try {
          operate(statement, key(), amount());
        } catch (SQLException e) {
          if (!OUT_OF_BOUNDS.equals(e.getSQLState())) {
            throw e;
          }
        }
        taken = 0;
        statement.execute("ROLLBACK TO SAVEPOINT s");
        operate(statement, key(), amount());
      }
      case 1 -> {
        statement.execute("SAVEPOINT s");
        operate(statement, key(), amount());
        statement.execute("RELEASE SAVEPOINT s");
      }
      default -> operate(statement, key(), amount());
    }
  }

  private void operate(Statement statement, int key, int amount) throws SQLException {
    String condition =
        "WHERE id = %d ".formatted(key) + shop.guard().formatted(Math.abs(amount), key);
    boolean alone = random.nextInt(100) < shop.percentAlone();
    String change = "UPDATE stocks SET stock = stock + (%d) ".formatted(amount);
    if (alone && random.nextBoolean()) {
      change = "UPDATE stocks SET stock = stock + (%d), note = note + 1 ".formatted(amount);
    } else if (alone) {
      change = "UPDATE stocks SET stock = (stock + (%d)) * 1 ".formatted(amount);
    }
    String note =
        "INSERT INTO journal VALUES (%d, %d, %d, %d)".formatted(seller, number, key, amount);
    if (shop.guard().isEmpty()) {
      statement.execute(change + condition + "; " + note);
    } else if (statement.executeUpdate(change + condition) == 1) {
      statement.execute(note);
    }
    taken += amount < 0 ? 1 : 0;
  }

  private int amount() {
    int amount = 1 + random.nextInt(shop.most());
    return random.nextInt(100) < shop.percentTaken() ? -amount : amount;
  }

  private int key() {
    return 1 + random.nextInt(shop.stocks());
  }
}
