package org.abelian.histories.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalNode;

/**
 * Writers that add to the rows of table {@code sums} and record every addition in table {@code
 * journal} within the same transaction.
 */
public final class JournalledLoad {
  static final int ROWS = 4;
  private static final long END_SECONDS_MAX = 60;

  private final Crew crew;

  private JournalledLoad(Crew crew) {
    this.crew = crew;
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
    return new JournalledLoad(new Crew(node, "writer", END_SECONDS_MAX));
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
    crew.start(count, seed, (number, own) -> new Writer(crew, number, own, transfers));
  }

  /** The writers. */
  public Crew crew() {
    return crew;
  }

  /** Commits what was prepared and not finished when the node was killed. */
  public void resolvePrepared() throws SQLException {
    crew.resolvePrepared(n -> true);
  }
}
