package org.abelian.workloads.pair;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;

/** What the router tells of the class that a commit takes. */
public final class CommitNotice {
  private CommitNotice() {}

  /** Has it tell from now on. */
  public static void ask(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_notice = on");
    }
  }

  /**
   * Fails unless the class was told.
   *
   * @param way what the class belongs to
   * @param last the statement that may have been told
   */
  public static void require(String commitClass, Object way, Statement last) throws SQLException {
    String told = texts(last.getWarnings()) + texts(last.getConnection().getWarnings());
    if (!told.contains("commit class " + commitClass)) {
      throw new SQLException(way + " takes another class: " + told, "XX001");
    }
  }

  private static String texts(SQLWarning first) {
    StringBuilder text = new StringBuilder();
    for (SQLWarning next = first; next != null; next = next.getNextWarning()) {
      text.append(next.getMessage()).append("; ");
    }
    return text.toString();
  }
}
