package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Assignment.Kind;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/**
 * Operates on an element by writing the whole collection, made of the one that it has read, so that
 * what others do to other elements meanwhile is lost.
 */
public final class RewritingClient extends BrokenClient {
  private final Column column;

  public RewritingClient(Connection connection, String table, long offset, Column column) {
    super(connection, table, offset);
    this.column = column;
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Update update)
        || update.returning() != null
        || update.set().size() > 1
        || update.set().get(0).element() == null
        || update.set().get(0).target() != column) {
      return super.run(statement);
    }
    Assignment operation = update.set().get(0);
    int count = 0;
    for (Tuple row : read(update.where())) {
      Object after = operation.after(row.values().get(column.ordinal()), operation.operand());
      count +=
          super.run(
                  update(
                      Condition.ids(List.of(row.id())),
                      List.of(new Assignment(column, Kind.SET, after))))
              .count();
    }
    return Answer.count(count);
  }
}
