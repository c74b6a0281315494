package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Additions outlive the ROLLBACK, as if they had been made on an autocommit connection. */
public final class NonAtomicAbortClient extends BrokenClient {
  private final List<Statement> additions = new ArrayList<>();

  public NonAtomicAbortClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public void begin(Level level) throws SQLException {
    additions.clear();
    super.begin(level);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    Answer answer = super.run(statement);
    if (isBlindAddition(statement) && answer.count() > 0) {
      additions.add(statement);
    }
    return answer;
  }

  @Override
  public void rollback() throws SQLException {
    super.rollback();
    for (Statement addition : additions) {
      super.run(addition);
    }
  }
}
