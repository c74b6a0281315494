package org.abelian.histories.lists;

import java.sql.Connection;
import java.sql.SQLException;

/** Asks again what needs every node: after faults, connections are left that fail once. */
final class Retries {
  private static final int ATTEMPTS = 60;
  private static final long PAUSE_MILLIS = 500;

  private Retries() {}

  /** What is asked; asking twice does no harm. */
  interface Question<T> {
    T ask(Connection connection) throws SQLException;
  }

  /** The first answer. */
  static <T> T ask(Connector connector, Question<T> question)
      throws SQLException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = connector.connect()) {
        return question.ask(connection);
      } catch (SQLException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }
}
