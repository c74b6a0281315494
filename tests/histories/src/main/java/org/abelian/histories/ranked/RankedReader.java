package org.abelian.histories.ranked;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.abelian.histories.load.Crew;
import org.abelian.histories.load.Member;

/** Compares, in transactions of every isolation level, some of which have changed pages before. */
final class RankedReader extends Member {
  private static final String[] LEVELS = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};

  /** The same value, written so that no index is used. */
  private static final String UNINDEXED = "(likes::bigint + 0)";

  private final RankedPages pages;
  private final Random random;

  RankedReader(RankedPages pages, Crew crew, long seed) {
    super(crew);
    this.pages = pages;
    this.random = new Random(seed);
  }

  @Override
  protected void open(Statement statement) throws SQLException {
    statement.execute("SET abelian.split = " + (random.nextBoolean() ? "always" : "auto"));
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    statement.execute("BEGIN ISOLATION LEVEL " + LEVELS[random.nextInt(LEVELS.length)]);
    for (int i = random.nextInt(3); i > 0; i--) {
      if (random.nextInt(3) == 0) {
        RankedWriter.change(statement, random);
      }
      compare(statement, random.nextBoolean() ? first() : within());
    }
    statement.execute(random.nextBoolean() ? "COMMIT" : "ROLLBACK");
    noteAcknowledged();
  }

  @Override
  protected boolean isExpected(SQLException error) {
    return false;
  }

  /** Runs a query, with {@code VALUE} for the value, in two ways in one statement. */
  private void compare(Statement statement, String query) throws SQLException {
    String all = "(SELECT array_agg(r) FROM (%s) r)".formatted(query);
    String both =
        "SELECT %s IS NOT DISTINCT FROM %s"
            .formatted(all.replace("VALUE", pages.way().value()), all.replace("VALUE", UNINDEXED));
    try (ResultSet row = statement.executeQuery(both)) {
      row.next();
      pages.note(query, row.getBoolean(1));
    }
  }

  private String first() {
    String condition = random.nextInt(3) == 0 ? "WHERE kind = " + random.nextInt(3) : "";
    String direction = random.nextBoolean() ? "DESC" : "ASC";
    return "SELECT id, likes::bigint AS v FROM page %s ORDER BY VALUE %s, id LIMIT %d OFFSET %d"
        .formatted(condition, direction, 1 + random.nextInt(12), random.nextInt(3));
  }

  private String within() {
    int least = random.nextInt(230) - 10;
    String condition =
        random.nextBoolean()
            ? "VALUE > " + least
            : "VALUE BETWEEN %d AND %d".formatted(least, least + random.nextInt(9));
    return "SELECT id, likes::bigint AS v FROM page WHERE %s ORDER BY id".formatted(condition);
  }
}
