package org.abelian.histories.broken;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** Adds by reading the value and writing the sum: additions in between are lost. */
public final class LostUpdateClient extends BrokenClient {
  public LostUpdateClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!isBlindAddition(statement)) {
      return super.run(statement);
    }
    Statement.Update update = (Statement.Update) statement;
    int count = 0;
    for (Tuple row : read(update.where())) {
      List<Assignment> overwrites = update.set().stream().map(a -> overwrite(a, row)).toList();
      count += super.run(update(Condition.ids(List.of(row.id())), overwrites)).count();
    }
    return Answer.count(count);
  }

  private static Assignment overwrite(Assignment addition, Tuple row) {
    BigDecimal value = (BigDecimal) row.values().get(addition.target().ordinal());
    return new Assignment(
        addition.target(),
        Assignment.Kind.SET,
        Assignment.sum(value, (BigDecimal) addition.operand()));
  }
}
