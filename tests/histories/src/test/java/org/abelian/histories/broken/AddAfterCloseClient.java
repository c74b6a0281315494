package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** Checks the status in its snapshot and adds without checking again: closed rows get bids. */
public final class AddAfterCloseClient extends BrokenClient {
  public AddAfterCloseClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!isBlindAddition(statement)) {
      return super.run(statement);
    }
    Statement.Update update = (Statement.Update) statement;
    List<Integer> open = read(update.where()).stream().map(Tuple::id).toList();
    return open.isEmpty() ? Answer.count(0) : super.run(update(Condition.ids(open), update.set()));
  }
}
