package org.abelian.histories.ranked;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.abelian.histories.load.Crew;
import org.abelian.histories.load.Member;

/** Likes and dislikes pages, most often few of them; also overwrites, deletes and inserts them. */
final class RankedWriter extends Member {
  private static final int HOT = 12;

  private final Random random;

  RankedWriter(Crew crew, long seed) {
    super(crew);
    this.random = new Random(seed);
  }

  @Override
  protected void open(Statement statement) throws SQLException {
    statement.execute("SET abelian.split = " + (random.nextBoolean() ? "always" : "auto"));
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    statement.execute("BEGIN");
    change(statement, random);
    if (random.nextInt(4) == 0) {
      statement.execute("SAVEPOINT s");
      change(statement, random);
      statement.execute("ROLLBACK TO SAVEPOINT s");
    }
    if (random.nextInt(10) == 0) {
      statement.execute("ROLLBACK");
      return;
    }
    beginCommit();
    statement.execute("COMMIT");
    noteAcknowledged();
  }

  @Override
  protected boolean isExpected(SQLException error) {
    return false;
  }

  /** One statement that changes pages. */
  static void change(Statement statement, Random random) throws SQLException {
    int page =
        random.nextInt(4) > 0 ? 1 + random.nextInt(HOT) : 1 + random.nextInt(RankedPages.PAGES);
    int amount = random.nextInt(400) - 190;
    statement.execute(
        switch (random.nextInt(12)) {
          case 0 -> "UPDATE page SET likes = %d WHERE id = %d".formatted(amount, page);
          case 1 -> "DELETE FROM page WHERE id = " + page;
          case 2 ->
              "INSERT INTO page VALUES (%d, 1, 'new', %d) ON CONFLICT (id) DO UPDATE SET likes = page.likes + 1"
                  .formatted(page, amount);
          case 3 ->
              "UPDATE page SET likes = likes + %d, kind = 2 - kind WHERE id = %d"
                  .formatted(amount, page);
          default -> "UPDATE page SET likes = likes + %d WHERE id = %d".formatted(amount, page);
        });
  }
}
