package org.abelian.histories.cells;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs transactions from a seed, one after the other, and records those that commit. */
public final class CellClient {
  /** What a transaction that meets others may fail with. */
  private static final Set<String> EXPECTED = Set.of("40001", "40P01");

  private static final int STEPS_MAX = 4;

  private final Random random;
  private final int client;
  private final int cells;
  private final List<CellRecord> committed = new ArrayList<>();
  private int failed;

  /**
   * Prepares.
   *
   * @param cells how many there are, numbered from 1
   */
  public CellClient(long seed, int client, int cells) {
    this.random = new Random(seed * 31 + client);
    this.client = client;
    this.cells = cells;
  }

  /** Those that have committed. */
  public List<CellRecord> committed() {
    return committed;
  }

  /** How many have failed by others. */
  public int failed() {
    return failed;
  }

  /** Runs that many transactions at the connection's level. */
  public CellClient run(Connection connection, int each) throws SQLException {
    for (int number = 1; number <= each; number++) {
      Attempt attempt = new Attempt(client * 1_000_000L + number);
      try {
        attempt.run(connection, random.nextInt(4) > 0);
        committed.add(attempt.record());
      } catch (SQLException error) {
        if (!EXPECTED.contains(error.getSQLState())) {
          throw error;
        }
        failed++;
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      } finally {
        connection.setAutoCommit(true);
      }
    }
    return this;
  }

  private final class Attempt {
    private final long name;
    private final Map<Integer, List<Long>> seen = new HashMap<>();
    private final List<Integer> appended = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();

    Attempt(long name) {
      this.name = name;
    }

    CellRecord record() {
      return new CellRecord(name, seen, appended, text.toString());
    }

    void run(Connection connection, boolean block) throws SQLException {
      connection.setAutoCommit(!block);
      int steps = block ? 1 + random.nextInt(STEPS_MAX) : 1;
      try (Statement statement = connection.createStatement()) {
        for (int step = 0; step < steps; step++) {
          step(statement, block);
        }
        if (block) {
          connection.commit();
        }
      }
    }

    private void step(Statement statement, boolean block) throws SQLException {
      int cell = 1 + random.nextInt(cells);
      switch (random.nextInt(block ? 10 : 4)) {
        case 0, 4, 5 -> read(statement, Set.of(cell), "WHERE id = " + cell);
        case 1, 6, 7, 8 -> append(statement, cell);
        case 2 -> {
          int other = 1 + random.nextInt(cells);
          Set<Integer> both = new HashSet<>(List.of(cell, other));
          read(statement, both, "WHERE id IN (" + cell + ", " + other + ")");
        }
        case 9 -> read(statement, Set.of(cell), "WHERE id = " + cell + " FOR SHARE");
        default -> read(statement, all(), "");
      }
    }

    private void append(Statement statement, int cell) throws SQLException {
      if (!appended.contains(cell)) {
        execute(
            statement,
            "INSERT INTO cell VALUES (%d, ARRAY[%d]) ON CONFLICT (id) DO UPDATE SET log = cell.log || excluded.log"
                .formatted(cell, name));
        appended.add(cell);
      }
    }

    private void execute(Statement statement, String sql) throws SQLException {
      text.append(sql).append("; ");
      statement.execute(sql);
    }

    private Set<Integer> all() {
      return IntStream.rangeClosed(1, cells).boxed().collect(Collectors.toSet());
    }

    /** A cell that is not there is an empty list. */
    private void read(Statement statement, Set<Integer> asked, String where) throws SQLException {
      execute(statement, "SELECT id, log FROM cell " + where);
      Map<Integer, List<Long>> found = new HashMap<>();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          found.put(rows.getInt(1), list(rows.getArray(2)));
        }
      }
      asked.forEach(cell -> see(cell, found.getOrDefault(cell, List.of())));
    }

    private void see(int cell, List<Long> log) {
      boolean own = log.contains(name);
      List<Long> others = own ? log.subList(0, log.size() - 1) : log;
      if (own != appended.contains(cell) || others.contains(name)) {
        throw new IllegalStateException(name + " does not see what it did: " + log + " by " + text);
      }
      List<Long> before = seen.putIfAbsent(cell, List.copyOf(others));
      if (before != null && !before.equals(others)) {
        throw new IllegalStateException(name + " saw " + before + ", then " + others + ": " + text);
      }
    }
  }

  /** The numbers of a list. */
  public static List<Long> list(Array log) throws SQLException {
    return Arrays.asList((Long[]) log.getArray());
  }
}
