package org.abelian.histories.program;

/** The isolation levels that PostgreSQL distinguishes. */
public enum Level {
  READ_COMMITTED("READ COMMITTED"),
  REPEATABLE_READ("REPEATABLE READ"),
  SERIALIZABLE("SERIALIZABLE");

  private final String sql;

  Level(String sql) {
    this.sql = sql;
  }

  public String sql() {
    return sql;
  }

  /** Whether all statements of a transaction read from the snapshot of its first one. */
  public boolean keepsSnapshot() {
    return this != READ_COMMITTED;
  }
}
