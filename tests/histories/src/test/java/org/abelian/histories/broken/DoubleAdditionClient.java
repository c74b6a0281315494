package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Applies an addition twice, like a retry after an answer that got lost. */
public final class DoubleAdditionClient extends BrokenClient {
  public DoubleAdditionClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (isBlindAddition(statement)) {
      super.run(statement);
    }
    return super.run(statement);
  }
}
