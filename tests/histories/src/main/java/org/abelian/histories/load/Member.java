package org.abelian.histories.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** One of a {@link Crew}; ends when told to or when its connection breaks. */
public abstract class Member implements Runnable {
  private final Crew crew;
  private boolean committing;

  /** A member of this crew. */
  protected Member(Crew crew) {
    this.crew = crew;
  }

  /** What the session begins with. */
  protected void open(Statement statement) throws SQLException {}

  /** Runs one transaction, up to its end: COMMIT, PREPARE or ROLLBACK. */
  protected abstract void transact(Statement statement) throws SQLException;

  /**
   * Whether the error is among those that the transaction may meet; it is then counted, if at all.
   */
  protected abstract boolean isExpected(SQLException error);

  /**
   * From here on until the transaction is over, nobody knows its outcome if the connection breaks.
   */
  protected final void beginCommit() {
    committing = true;
  }

  /** The COMMIT was answered. */
  protected final void noteAcknowledged() {
    crew.noteAcknowledged();
  }

  @Override
  public final void run() {
    try (Connection connection = crew.connect();
        Statement statement = connection.createStatement()) {
      open(statement);
      while (!crew.isStopping()) {
        if (!attempt(statement)) {
          return;
        }
      }
    } catch (SQLException e) {
      // The connection could not be opened or closed because the node is down.
      if (!isLost(e)) {
        crew.noteSurprise(e);
      }
    }
  }

  /** One transaction; false if the connection is gone. */
  private boolean attempt(Statement statement) throws SQLException {
    committing = false;
    try {
      transact(statement);
      return true;
    } catch (SQLException e) {
      if (isLost(e)) {
        if (committing) {
          crew.noteUnknown();
        }
        return false;
      }
      boolean retriable = "40001".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
      if (!retriable && !isExpected(e)) {
        crew.noteSurprise(e);
      }
      statement.execute("ROLLBACK");
      return true;
    }
  }

  private static boolean isLost(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }
}
