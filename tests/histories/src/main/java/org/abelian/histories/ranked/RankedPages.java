package org.abelian.histories.ranked;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.harness.LocalNode;
import org.abelian.histories.load.Crew;

/** Pages that are ranked by their likes while many like them. */
public final class RankedPages {
  static final int PAGES = 3000;
  private static final long END_SECONDS_MAX = 60;
  private static final int FAULTS_MAX = 5;

  /** How readers write the value in the query that goes by the indexes. */
  public enum Way {
    /** As users do. */
    VALUE("likes"),
    /** A fault: objects with slices are not looked for. */
    BASE_ALONE("abelian.base(likes)");

    private final String value;

    Way(String value) {
      this.value = value;
    }

    String value() {
      return value;
    }
  }

  private final Way way;
  private final Crew writers;
  private final Crew readers;
  private final AtomicLong comparisons = new AtomicLong();
  private final List<String> faults = new CopyOnWriteArrayList<>();

  private RankedPages(LocalNode node, Way way) {
    this.way = way;
    this.writers = new Crew(node, "writer", END_SECONDS_MAX);
    this.readers = new Crew(node, "reader", END_SECONDS_MAX);
  }

  /** Creates the table anew. */
  public static RankedPages create(LocalNode node, Way way) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS page");
      // A page for each row: PostgreSQL lets the slice table grow by many pages at once where
      // writers wait to extend it, and indexes are used in tables that are larger alone.
      statement.execute(
          "CREATE TABLE page (id int PRIMARY KEY, kind int, filler text, likes abelian.counter)"
              + " WITH (fillfactor = 10)");
      statement.execute(
          "INSERT INTO page SELECT i, i %% 3, repeat('x', 1500), i * 7919 %% 211 FROM generate_series(1, %d) i"
              .formatted(PAGES));
      statement.execute("CREATE INDEX ON page (abelian.base(likes))");
      statement.execute("CREATE INDEX ON page (abelian.counter_object(likes))");
      statement.execute("ANALYZE page");
    }
    return new RankedPages(node, way);
  }

  /** Whether the readers' first query goes by the indexes. */
  public static boolean goesByIndexes(Statement statement) throws SQLException {
    String query = "EXPLAIN SELECT id FROM page ORDER BY likes DESC, id LIMIT 10";
    boolean ordered = false;
    boolean joined = false;
    try (ResultSet plan = statement.executeQuery(query)) {
      while (plan.next()) {
        ordered |= plan.getString(1).contains("page_base_idx");
        joined |= plan.getString(1).contains("page_counter_object_idx");
      }
    }
    return ordered && joined;
  }

  /** Starts writers and readers. */
  public void start(int writing, int reading, long seed) {
    writers.start(writing, seed, (number, own) -> new RankedWriter(writers, own));
    readers.start(reading, ~seed, (number, own) -> new RankedReader(this, readers, own));
  }

  /** Lets all end. */
  public void stop() throws InterruptedException {
    readers.stop();
    writers.stop();
  }

  /** Transactions of writers that committed. */
  public long written() {
    return writers.acknowledged();
  }

  /** How often a reader compared. */
  public long comparisons() {
    return comparisons.get();
  }

  /** Queries that gave something else by the indexes; the first ones. */
  public List<String> faults() {
    return List.copyOf(faults);
  }

  Way way() {
    return way;
  }

  void note(String query, boolean same) {
    comparisons.incrementAndGet();
    if (!same && faults.size() < FAULTS_MAX) {
      faults.add(query);
    }
  }
}
