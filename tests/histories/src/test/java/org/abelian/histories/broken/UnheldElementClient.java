package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Does not hold the single elements that it asks for, though whatever else it reads. */
public final class UnheldElementClient extends BrokenClient {
  public UnheldElementClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    boolean onElement =
        statement instanceof Statement.Select select && !select.forUpdate() && !isWholeRead(select);
    if (!onElement) {
      return super.run(statement);
    }
    try (java.sql.Statement setting = connection().createStatement()) {
      setting.execute("SET abelian.strict_reads = off");
      Answer answer = super.run(statement);
      setting.execute("SET abelian.strict_reads = on");
      return answer;
    }
  }
}
