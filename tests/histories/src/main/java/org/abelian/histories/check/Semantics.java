package org.abelian.histories.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.ColumnSet;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** What a statement means on one row over plain columns, without any concurrency. */
final class Semantics {
  private static final Comparator<Tuple> ORDER =
      Comparator.comparingInt(Tuple::id).thenComparing(Tuple::toString);

  private Semantics() {}

  /** The condition of a statement that works on existing rows, else null. */
  static Condition condition(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.where();
    } else if (statement instanceof Statement.Update update) {
      return update.where();
    } else if (statement instanceof Statement.Delete delete) {
      return delete.where();
    }
    return null;
  }

  static boolean isPlainRead(Statement statement) {
    return statement instanceof Statement.Select select && !select.forUpdate();
  }

  static List<Row> matching(Condition condition, State view) {
    return view.rows().values().stream().filter(condition::matches).toList();
  }

  /** The effect of UPDATE, DELETE or SELECT FOR UPDATE on a row that it matches. */
  static Effect onRow(Statement statement, Row row) {
    if (statement instanceof Statement.Update update) {
      return change(row, update.set(), update.where().reads() | columns(update.returning()));
    }
    int reads =
        statement instanceof Statement.Select ? ColumnSet.ALL : condition(statement).reads();
    boolean deletes = statement instanceof Statement.Delete;
    return new Effect(
        new Footprint(
            row.id(),
            row.incarnation(),
            reads,
            deletes ? ColumnSet.ALL : ColumnSet.NONE,
            ColumnSet.NONE,
            false),
        null,
        deletes,
        List.of());
  }

  /** What a plain read depends on in a row within its reach, whether it matches or not. */
  static Effect reading(Statement.Select select, Row row) {
    int reads = select.where().reads();
    if (select.where().matches(row)) {
      reads |= columns(select.columns());
    }
    Footprint footprint =
        new Footprint(row.id(), row.incarnation(), reads, ColumnSet.NONE, ColumnSet.NONE, false);
    return new Effect(footprint, null, false, List.of());
  }

  /** The effect of assignments, all of which see the row as it was before. */
  static Effect change(Row row, List<Assignment> assignments, int conditionReads) {
    int reads = conditionReads | ColumnSet.EXISTENCE;
    int sets = ColumnSet.NONE;
    int adds = ColumnSet.NONE;
    List<Effect.Change> changes = new ArrayList<>();
    for (Assignment assignment : assignments) {
      reads |= assignment.reads();
      int target = ColumnSet.of(assignment.target());
      if (assignment.isOperation()) {
        adds |= target;
      } else {
        sets |= target;
      }
      changes.add(
          new Effect.Change(
              assignment.target(), assignment.isOperation(), assignment.evaluate(row)));
    }
    return new Effect(
        new Footprint(row.id(), row.incarnation(), reads, sets, adds, false), null, false, changes);
  }

  static Effect insertion(Row row, String incarnation) {
    return new Effect(
        new Footprint(
            row.id(), incarnation, ColumnSet.EXISTENCE, ColumnSet.ALL, ColumnSet.NONE, true),
        new Row(row.id(), incarnation, row.values()),
        false,
        List.of());
  }

  private static int columns(List<Column> columns) {
    int set = ColumnSet.NONE;
    if (columns != null) {
      for (Column column : columns) {
        set |= ColumnSet.of(column);
      }
    }
    return set;
  }

  /** The columns that a statement returns, null if it returns only a count. */
  private static List<Column> returned(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.columns();
    } else if (statement instanceof Statement.Update update) {
      return update.returning();
    } else if (statement instanceof Statement.Delete delete) {
      return delete.returning();
    }
    return null;
  }

  /** Whether the answer is what the statement says after affecting or reading these rows. */
  static boolean explains(Statement statement, List<Row> rows, Answer answer) {
    if (answer.count() != rows.size()) {
      return false;
    }
    List<Column> columns = returned(statement);
    return columns == null
        || rows.stream()
            .map(row -> row.project(columns))
            .sorted(ORDER)
            .toList()
            .equals(answer.rows().stream().sorted(ORDER).toList());
  }
}
