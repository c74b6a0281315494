package org.abelian.histories.broken;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/**
 * RETURNING computes the new counter from the value before the UPDATE waited: two sessions that
 * number something so get the same number.
 */
public final class SharedNumberClient extends BrokenClient {
  public SharedNumberClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Update update)
        || update.returning() == null
        || update.asked() != null
        || !update.returning().contains(Column.COUNTER)
        || update.where().ids().size() > 1) {
      return super.run(statement);
    }
    List<Tuple> before = read(Condition.ids(update.where().ids()));
    Answer answer = super.run(statement);
    if (before.isEmpty() || answer.count() == 0) {
      return answer;
    }
    int place = update.returning().indexOf(Column.COUNTER);
    List<Object> values = new ArrayList<>(answer.rows().get(0).values());
    values.set(place, returned(update, before.get(0)));
    return Answer.rows(List.of(new Tuple(before.get(0).id(), values)));
  }

  private static Object returned(Statement.Update update, Tuple before) {
    Row row = new Row(before.id(), "", before.values());
    Object value = row.get(Column.COUNTER);
    for (Assignment assignment : update.set()) {
      if (assignment.target() == Column.COUNTER) {
        Object operand = assignment.evaluate(row);
        value =
            assignment.isOperation()
                ? Assignment.sum((BigDecimal) value, (BigDecimal) operand)
                : operand;
      }
    }
    return value;
  }
}
