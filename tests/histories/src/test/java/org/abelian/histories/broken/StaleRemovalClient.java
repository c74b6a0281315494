package org.abelian.histories.broken;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Assignment.Kind;
import org.abelian.histories.program.Assignment.Score;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/**
 * Gives an element a score by adding the difference to the one that it has read, without keeping
 * others from the element meanwhile.
 */
public final class StaleRemovalClient extends BrokenClient {
  public StaleRemovalClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Update update)
        || update.returning() != null
        || update.set().size() > 1
        || update.set().get(0).kind() != Kind.PUT
        || update.set().get(0).target() != Column.SCORES) {
      return super.run(statement);
    }
    Score wanted = (Score) update.set().get(0).operand();
    int count = 0;
    for (Tuple row : read(update.where())) {
      Map<?, ?> scores = (Map<?, ?>) row.values().get(Column.SCORES.ordinal());
      BigDecimal there = (BigDecimal) scores.get(wanted.element());
      BigDecimal difference = there == null ? wanted.number() : wanted.number().subtract(there);
      Score added = new Score(wanted.element(), difference);
      count +=
          super.run(
                  update(
                      Condition.ids(List.of(row.id())),
                      List.of(new Assignment(Column.SCORES, Kind.ADD, added))))
              .count();
    }
    return Answer.count(count);
  }
}
