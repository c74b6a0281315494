package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.histories.constraints.Twin;

/**
 * Plain columns whose additions are not told to deferred checks, as if they were done behind
 * PostgreSQL's back.
 */
public final class UncheckedTwin extends Twin {
  /**
   * @param connection of a superuser
   */
  public UncheckedTwin(Connection connection, String schema) {
    super(connection, schema, "bigint");
  }

  @Override
  protected boolean execute(Statement statement, String text) throws SQLException {
    if (!text.matches("UPDATE child SET n = n [+] \\d+ WHERE id = \\d+")
        || !role(statement, "replica")) {
      return super.execute(statement, text);
    }
    boolean rows;
    try {
      rows = super.execute(statement, text);
    } catch (SQLException e) {
      role(statement, "origin");
      throw e;
    }
    try (Statement other = statement.getConnection().createStatement()) {
      role(other, "origin");
    }
    return rows;
  }

  /** False in a transaction that has failed. Its end takes the setting back. */
  private static boolean role(Statement statement, String role) {
    try {
      statement.execute("SET session_replication_role = " + role);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }
}
