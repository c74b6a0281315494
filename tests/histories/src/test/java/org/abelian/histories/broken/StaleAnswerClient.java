package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** Answers what RETURNING asks of an element by what it has read before it changes the row. */
public final class StaleAnswerClient extends BrokenClient {
  public StaleAnswerClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Update update) || update.asked() == null) {
      return super.run(statement);
    }
    List<Tuple> before = read(Condition.ids(update.where().ids()));
    Answer answer = super.run(statement);
    List<Tuple> changed = new ArrayList<>();
    for (Tuple row : answer.rows()) {
      List<Object> values = new ArrayList<>(row.values());
      for (Tuple old : before) {
        if (old.id() == row.id()) {
          values.set(values.size() - 1, update.asked().isIn(after(update, old)));
        }
      }
      changed.add(new Tuple(row.id(), values));
    }
    return Answer.rows(changed);
  }

  private static Row after(Statement.Update update, Tuple before) {
    Row old = new Row(before.id(), "", before.values());
    Row row = old;
    for (Assignment assignment : update.set()) {
      Object value = assignment.after(old.get(assignment.target()), assignment.evaluate(old));
      row = row.with(assignment.target(), value);
    }
    return row;
  }
}
