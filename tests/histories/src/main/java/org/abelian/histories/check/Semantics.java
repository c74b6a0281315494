package org.abelian.histories.check;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Assignment.Kind;
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
      int asked = update.asked() == null ? ColumnSet.NONE : update.asked().reads();
      int reads = update.where().reads() | columns(update.returning()) | asked;
      return change(row, update.set(), reads);
    }
    int reads =
        statement instanceof Statement.Select ? ColumnSet.ALL : condition(statement).reads();
    boolean deletes = statement instanceof Statement.Delete;
    Footprint footprint =
        deletes
            ? new Footprint(
                row.id(), row.incarnation(), reads, ColumnSet.ALL, ColumnSet.NONE, true, false)
            : Footprint.reading(row, reads);
    return new Effect(footprint, null, deletes, List.of());
  }

  /**
   * What a plain read relies on in a row within its reach, whether it matches or not.
   *
   * @param changed the columns that its transaction has changed
   */
  static Effect reading(Statement.Select select, Row row, int changed) {
    int reads = select.where().reads();
    if (select.where().matches(row)) {
      reads |= columns(select.columns());
    }
    return new Effect(Footprint.reading(row, reads & changed), null, false, List.of());
  }

  /**
   * The effect of assignments, all of which see the row as it was before. Adding to NULL changes
   * nothing; nor does giving a plain column the value that it has, except that the row is locked.
   */
  static Effect change(Row row, List<Assignment> assignments, int conditionReads) {
    int reads = conditionReads | ColumnSet.EXISTENCE;
    int sets = ColumnSet.NONE;
    int adds = ColumnSet.NONE;
    boolean overwrites = false;
    List<Effect.Change> changes = new ArrayList<>();
    for (Assignment assignment : assignments) {
      Column column = assignment.target();
      Object operand = assignment.evaluate(row);
      reads |= assignment.reads();
      if (!assignment.isOperation()) {
        overwrites = true;
        if (column.isAbelian() || !Objects.equals(operand, row.get(column))) {
          sets |= ColumnSet.of(column);
        }
      } else if (assignment.kind() == Kind.PUT || assignment.kind() == Kind.REMOVE) {
        // That it changes nothing depends on the element as much as what it changes.
        reads |= ColumnSet.of(column, assignment.element());
        if (!assignment.after(row.get(column), operand).equals(row.get(column))) {
          sets |= ColumnSet.of(column, assignment.element());
        }
      } else if (row.get(column) != null && !isNothing(column, operand)) {
        adds |= ColumnSet.of(column, assignment.element());
      }
      changes.add(new Effect.Change(assignment, operand));
    }
    return new Effect(
        new Footprint(row.id(), row.incarnation(), reads, sets, adds, overwrites, false),
        null,
        false,
        changes);
  }

  /** Whether adding it changes no value, so that whoever reads the sum need not know of it. */
  private static boolean isNothing(Column column, Object operand) {
    return column.isSum() && operand instanceof BigDecimal number && number.signum() == 0;
  }

  static Effect insertion(Row row, String incarnation) {
    return new Effect(
        new Footprint(
            row.id(), incarnation, ColumnSet.EXISTENCE, ColumnSet.ALL, ColumnSet.NONE, true, true),
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
    Condition.Element asked = statement instanceof Statement.Update update ? update.asked() : null;
    return columns == null
        || rows.stream()
            .map(row -> row.project(columns, asked))
            .sorted(ORDER)
            .toList()
            .equals(answer.rows().stream().sorted(ORDER).toList());
  }
}
