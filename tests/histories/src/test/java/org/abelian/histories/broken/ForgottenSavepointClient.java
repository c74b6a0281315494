package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Additions survive ROLLBACK TO SAVEPOINT. */
public final class ForgottenSavepointClient extends BrokenClient {
  private final List<Statement> additions = new ArrayList<>();

  public ForgottenSavepointClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    Answer answer = super.run(statement);
    if (statement instanceof Statement.Savepoint savepoint) {
      if (savepoint.action() == Statement.Savepoint.Action.ROLLBACK_TO) {
        repeatAdditions(savepoint);
      }
      additions.clear();
    } else if (isBlindAddition(statement)) {
      additions.add(statement);
    }
    return answer;
  }

  /** Each may meet others and be told of a deadlock; then nothing survives this time. */
  private void repeatAdditions(Statement.Savepoint rollback) throws SQLException {
    try {
      for (Statement addition : additions) {
        super.run(addition);
      }
    } catch (SQLException e) {
      super.run(rollback);
    }
  }
}
