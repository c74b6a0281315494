package org.abelian.histories.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** One writer of a {@link JournalledLoad}; ends when told to or when its connection breaks. */
final class Writer implements Runnable {
  private static final String[] LEVELS = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};

  private final JournalledLoad load;
  private final long writer;
  private final Random random;
  private final boolean transfersOnly;
  private int number;
  private boolean committing;

  Writer(JournalledLoad load, long writer, long seed, boolean transfersOnly) {
    this.load = load;
    this.writer = writer;
    this.random = new Random(seed);
    this.transfersOnly = transfersOnly;
  }

  @Override
  public void run() {
    try (Connection connection = load.connect();
        Statement statement = connection.createStatement()) {
      while (!load.isStopping()) {
        if (!attempt(statement)) {
          return;
        }
      }
    } catch (SQLException e) {
      // The connection could not be opened or closed because the node is down.
      if (!isLost(e)) {
        load.noteSurprise(e);
      }
    }
  }

  /** One transaction; false if the connection is gone. */
  private boolean attempt(Statement statement) throws SQLException {
    number++;
    committing = false;
    try {
      statement.execute("BEGIN ISOLATION LEVEL " + LEVELS[Math.max(0, random.nextInt(8) - 5)]);
      if (transfersOnly || random.nextInt(3) == 0) {
        transfer(statement);
      } else {
        add(statement);
      }
      end(statement);
      return true;
    } catch (SQLException e) {
      if (isLost(e)) {
        if (committing) {
          load.noteUnknown();
        }
        return false;
      }
      if (!"40001".equals(e.getSQLState()) && !"40P01".equals(e.getSQLState())) {
        load.noteSurprise(e);
      }
      statement.execute("ROLLBACK");
      return true;
    }
  }

  private static boolean isLost(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }

  private void end(Statement statement) throws SQLException {
    int dice = random.nextInt(20);
    if (dice == 0) {
      statement.execute("ROLLBACK");
      return;
    }
    String gid = "load_" + writer + "_" + number;
    if (dice == 1) {
      committing = true;
      statement.execute("PREPARE TRANSACTION '" + gid + "'");
      statement.execute("COMMIT PREPARED '" + gid + "'");
    } else {
      committing = true;
      statement.execute("COMMIT");
    }
    load.noteAcknowledged();
  }

  private void transfer(Statement statement) throws SQLException {
    int from = key();
    int to = key();
    int amount = 1 + random.nextInt(9);
    add(statement, from, -amount);
    add(statement, to, amount);
  }

  private void add(Statement statement) throws SQLException {
    switch (random.nextInt(6)) {
      case 0 -> {
        statement.execute("SAVEPOINT s");
        statement.execute("UPDATE sums SET c = c + 1000, d = d + 1000 WHERE id = " + key());
        statement.execute("ROLLBACK TO SAVEPOINT s");
        add(statement, key(), 3);
      }
      case 1 -> {
        int amount = 1 + random.nextInt(5);
        statement.execute(
            "UPDATE sums SET c = c + %1$d, d = d + 0.0%1$d, note = note + 1 WHERE id = %2$d"
                .formatted(amount, journal(statement, key(), amount)));
      }
      case 2 -> {
        int key = journal(statement, key(), 7);
        statement.execute(
            ("INSERT INTO sums AS s VALUES (%d, 0, 0, 0)"
                    + " ON CONFLICT (id) DO UPDATE SET c = s.c + 7, d = s.d + 0.07")
                .formatted(key));
      }
      default -> add(statement, key(), 1 + random.nextInt(9));
    }
  }

  private void add(Statement statement, int key, int amount) throws SQLException {
    journal(statement, key, amount);
    statement.execute(
        "UPDATE sums SET c = c + (%1$d), d = d + %1$d * 0.01 WHERE id = %2$d"
            .formatted(amount, key));
  }

  private int journal(Statement statement, int key, int amount) throws SQLException {
    statement.execute(
        "INSERT INTO journal VALUES (%d, %d, %d, %d, %d * 0.01)"
            .formatted(writer, number, key, amount, amount));
    return key;
  }

  private int key() {
    return 1 + random.nextInt(JournalledLoad.ROWS);
  }
}
