package org.abelian.workloads.hotrow;

/** What a client does again and again. */
enum Load {
  /** One statement on the one row. */
  HOT("hot") {
    @Override
    String script(String table, int rows) {
      return "UPDATE %s SET n = n + 1 WHERE id = 1;%n".formatted(table);
    }
  },
  /** The same, with 2 ms between the statement and COMMIT. */
  HOT_2MS("hot, 2 ms think time") {
    @Override
    String script(String table, int rows) {
      return """
      BEGIN;
      UPDATE %s SET n = n + 1 WHERE id = 1;
      \\sleep 2 ms
      SELECT 1;
      END;
      """
          .formatted(table);
    }
  },
  /** One statement on a row chosen at random. */
  UNIFORM("uniform") {
    @Override
    String script(String table, int rows) {
      return """
      \\set k random(1, %d)
      UPDATE %s SET n = n + 1 WHERE id = :k;
      """
          .formatted(rows, table);
    }
  },
  /** Reading a row chosen at random, never the first. */
  READ("read") {
    @Override
    String script(String table, int rows) {
      return """
      \\set k random(2, %d)
      SELECT n FROM %s WHERE id = :k;
      """
          .formatted(rows, table);
    }
  },
  /** Reading the first row, whose counter has a slice for each client. */
  READ_SPLIT("read of one row, split") {
    @Override
    String script(String table, int rows) {
      return "SELECT n FROM %s WHERE id = 1;%n".formatted(table);
    }
  },
  /** Reading all rows. */
  SUM("sum of all rows") {
    @Override
    String script(String table, int rows) {
      return "SELECT sum(n) FROM %s;%n".formatted(table);
    }
  };

  private final String label;

  Load(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** Whether it changes nothing. */
  boolean isRead() {
    return compareTo(READ) >= 0;
  }

  /** The pgbench script. */
  abstract String script(String table, int rows);
}
