package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.histories.program.Level;

/** Says SERIALIZABLE and gives REPEATABLE READ. */
public final class WriteSkewClient extends BrokenClient {
  public WriteSkewClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public void begin(Level level) throws SQLException {
    super.begin(Level.REPEATABLE_READ);
  }
}
