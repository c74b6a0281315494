package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Gives up where it has to wait for a row, as if that were a deadlock. */
public final class ImpatientClient extends BrokenClient {
  public ImpatientClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    try (java.sql.Statement setting = connection().createStatement()) {
      setting.execute("SET LOCAL lock_timeout = 1");
    }
    try {
      return super.run(statement);
    } catch (SQLException e) {
      if ("55P03".equals(e.getSQLState())) {
        throw new SQLException(e.getMessage(), "40P01", e);
      }
      throw e;
    }
  }
}
