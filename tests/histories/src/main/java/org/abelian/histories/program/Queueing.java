package org.abelian.histories.program;

import java.util.List;

/**
 * Programs in which transactions over plain columns only queue, so that an error is needless.
 *
 * <p>At READ COMMITTED, an UPDATE or a locking read of one row waits for that row, and fails only
 * in a circle of waits. If each transaction locks one row alone, there is none, whatever it does
 * with that. Abelian columns promise the same as far as a transaction that comes back to the row
 * reads it, or changes numbers; an overwritten numeric may fail for its digits.
 * docs/design/waits.md lists the rest.
 */
public final class Queueing {
  private static final List<Column> NUMBERS =
      List.of(Column.COUNTER, Column.DECIMAL, Column.HIGHEST);
  private static final List<Column> SEEN =
      List.of(Column.STATUS, Column.NOTE, Column.COUNTER, Column.DECIMAL);

  private Queueing() {}

  /** Whether no statement of the program may fail. */
  public static boolean isAllOf(Program program) {
    return program.level() == Level.READ_COMMITTED
        && program.sessions().stream().flatMap(List::stream).allMatch(Queueing::queues);
  }

  private static boolean queues(Transaction transaction) {
    Integer row = null;
    boolean held = false;
    for (Statement statement : transaction.statements()) {
      if (statement instanceof Statement.Select select && !select.forUpdate()) {
        continue;
      }
      Condition where = where(statement);
      if (where == null
          || where.ids().size() != 1
          || row != null && !row.equals(where.ids().get(0))
          || held && !mayComeBack(statement)) {
        return false;
      }
      row = where.ids().get(0);
      held |= where.equals(Condition.ids(where.ids()));
    }
    return true;
  }

  private static Condition where(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.where();
    }
    return statement instanceof Statement.Update update ? update.where() : null;
  }

  private static boolean mayComeBack(Statement statement) {
    if (!(statement instanceof Statement.Update update)) {
      return true;
    }
    boolean sees = update.returning() == null || SEEN.containsAll(update.returning());
    return sees
        && update.asked() == null
        && update.where().status() == null
        && update.where().contained() == null
        && update.set().stream().allMatch(Queueing::worksOnNumber);
  }

  private static boolean worksOnNumber(Assignment assignment) {
    return switch (assignment.kind()) {
      case ADD -> NUMBERS.contains(assignment.target());
      case SET -> assignment.target() == Column.COUNTER && assignment.operand() != null;
      case DOUBLE -> true;
      default -> false;
    };
  }
}
