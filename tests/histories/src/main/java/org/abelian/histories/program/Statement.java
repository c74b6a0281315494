package org.abelian.histories.program;

import java.util.List;

/** What a session asks for in one step of a transaction. */
public sealed interface Statement {
  /** How an UPDATE is written; the meaning is the same, the planner's tree is not. */
  enum Form {
    LITERAL,
    PARAMETERS,
    FROM_VALUES,
    DATA_MODIFYING_CTE
  }

  /** What an INSERT does when the key exists. */
  enum OnConflict {
    FAIL,
    DO_NOTHING,
    /** Adds to the counter and, if asked, overwrites the note. */
    DO_UPDATE
  }

  record Select(Condition where, List<Column> columns, boolean forUpdate) implements Statement {}

  /**
   * An UPDATE.
   *
   * @param returning columns of RETURNING beside the key, or null if there is none
   * @param asked what else RETURNING asks for, or null
   */
  record Update(
      Condition where,
      List<Assignment> set,
      List<Column> returning,
      Condition.Element asked,
      Form form)
      implements Statement {}

  record Delete(Condition where, List<Column> returning) implements Statement {}

  /**
   * An INSERT of one row.
   *
   * @param set assignments of DO UPDATE, empty for the other forms
   */
  record Insert(Row row, OnConflict onConflict, List<Assignment> set) implements Statement {}

  /** {@code INSERT ... SELECT} of one row under another key, ON CONFLICT DO NOTHING. */
  record Copy(int from, int to) implements Statement {
    /** What it reads. */
    public Select source() {
      return new Select(Condition.ids(List.of(from)), List.of(Column.values()), false);
    }
  }

  /** SAVEPOINT, ROLLBACK TO or RELEASE of a name. */
  record Savepoint(Action action, String name) implements Statement {
    public enum Action {
      SET,
      ROLLBACK_TO,
      RELEASE
    }
  }
}
