package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Reads again and again. */
final class Reader extends SessionWorker {
  private final Read read;
  private final List<PreparedStatement> statement;
  private final SplittableRandom random;
  private final int rows;

  Reader(
      Connection connection,
      boolean block,
      Map<String, Long> failures,
      Read read,
      ScatterTable table,
      SplittableRandom random)
      throws SQLException {
    super(connection, block, failures);
    this.read = read;
    this.random = random;
    statement = List.of(read.prepare(connection, table.name()));
    rows = table.rows();
  }

  @Override
  void work() throws SQLException {
    read.execute(statement, random, rows);
  }
}
