package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Reports an addition as applied to every row of its snapshot, also to deleted ones. */
public final class AddToDeletedClient extends BrokenClient {
  public AddToDeletedClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!isBlindAddition(statement)) {
      return super.run(statement);
    }
    int seen = read(((Statement.Update) statement).where()).size();
    super.run(statement);
    return Answer.count(seen);
  }
}
