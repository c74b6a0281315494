package org.abelian.histories.load;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/** One writer of a {@link JournalledLoad}; mostly adds. */
final class Writer extends Member {
  private static final String[] LEVELS = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};

  private final long writer;
  private final Random random;
  private final boolean transfersOnly;
  private int number;

  Writer(Crew crew, long writer, long seed, boolean transfersOnly) {
    super(crew);
    this.writer = writer;
    this.random = new Random(seed);
    this.transfersOnly = transfersOnly;
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    number++;
    statement.execute("BEGIN ISOLATION LEVEL " + LEVELS[Math.max(0, random.nextInt(8) - 5)]);
    if (transfersOnly || random.nextInt(3) == 0) {
      transfer(statement);
    } else {
      add(statement);
    }
    end(statement);
  }

  @Override
  protected boolean isExpected(SQLException error) {
    return false;
  }

  private void end(Statement statement) throws SQLException {
    int dice = random.nextInt(20);
    if (dice == 0) {
      statement.execute("ROLLBACK");
      return;
    }
    String gid = "load_" + writer + "_" + number;
    if (dice == 1) {
      beginCommit();
      statement.execute("PREPARE TRANSACTION '" + gid + "'");
      statement.execute("COMMIT PREPARED '" + gid + "'");
    } else {
      beginCommit();
      statement.execute("COMMIT");
    }
    noteAcknowledged();
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
