package org.abelian.workloads.database;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.IntFunction;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Rows on their way into one table by COPY, as text. */
public final class CopyInto implements AutoCloseable {
  private static final int BUFFERED = 1 << 16;

  private final CopyIn copy;
  private final StringBuilder pending = new StringBuilder();

  /** Begins; the connection is of no other use until the end. */
  public CopyInto(Connection connection, String table) throws SQLException {
    copy =
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + table + " FROM STDIN");
  }

  /**
   * Loads a table whose rows have numbers.
   *
   * @param rows how many; they are numbered from 1
   * @param row gives the values of the row of a number
   */
  public static void numbered(
      Connection connection, String table, int rows, IntFunction<Object[]> row)
      throws SQLException {
    try (CopyInto copy = new CopyInto(connection, table)) {
      for (int number = 1; number <= rows; number++) {
        copy.row(row.apply(number));
      }
      copy.finish();
    }
  }

  /**
   * Adds one row.
   *
   * @param values of all columns in their order, whose texts have neither tabs, line ends nor
   *     backslashes
   */
  public void row(Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      pending.append(i == 0 ? "" : "\t").append(values[i]);
    }
    pending.append('\n');
    if (pending.length() >= BUFFERED) {
      flush();
    }
  }

  private void flush() throws SQLException {
    byte[] bytes = pending.toString().getBytes(StandardCharsets.UTF_8);
    copy.writeToCopy(bytes, 0, bytes.length);
    pending.setLength(0);
  }

  /**
   * Ends: all rows are there.
   *
   * @return how many
   */
  public long finish() throws SQLException {
    flush();
    return copy.endCopy();
  }

  /** Gives up what was not finished. */
  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }
}
