package org.abelian.workloads.tpcc.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.concurrent.atomic.LongAdder;

/** Rows on their way into one table: sent in bounded batches, one transaction each. */
final class Batch implements AutoCloseable {
  private static final int ROWS = 1024;

  private final Connection connection;
  private final PreparedStatement insert;
  private final LongAdder progress;
  private int pending;

  /**
   * @param columns comma-separated column names
   * @param progress counts the rows that are committed
   */
  Batch(Connection connection, String table, String columns, LongAdder progress)
      throws SQLException {
    this.connection = connection;
    this.progress = progress;
    int count = columns.split(",").length;
    String marks = String.join(", ", Collections.nCopies(count, "?"));
    insert =
        connection.prepareStatement(
            "INSERT INTO %s (%s) VALUES (%s)".formatted(table, columns, marks));
  }

  /** Adds one row; its values in the order of the columns. */
  void add(Object... row) throws SQLException {
    for (int i = 0; i < row.length; i++) {
      insert.setObject(i + 1, row[i]);
    }
    insert.addBatch();
    if (++pending == ROWS) {
      flush();
    }
  }

  /** Adds a row that has a NULL of the given {@link java.sql.Types type} at one position from 1. */
  void addWithNull(int nullAt, int sqlType, Object... row) throws SQLException {
    for (int i = 0; i < row.length; i++) {
      if (i + 1 == nullAt) {
        insert.setNull(i + 1, sqlType);
      } else {
        insert.setObject(i + 1, row[i]);
      }
    }
    insert.addBatch();
    if (++pending == ROWS) {
      flush();
    }
  }

  private void flush() throws SQLException {
    if (pending == 0) {
      return;
    }
    insert.executeBatch();
    connection.commit();
    progress.add(pending);
    pending = 0;
  }

  /**
   * Sends what is pending. After an error the connection is closed by its owner, the rest is lost.
   */
  void finish() throws SQLException {
    flush();
  }

  @Override
  public void close() throws SQLException {
    insert.close();
  }
}
