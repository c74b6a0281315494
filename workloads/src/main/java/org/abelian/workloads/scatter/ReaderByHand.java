package org.abelian.workloads.scatter;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Worker;

/**
 * Asks one node after the other with a connection to each, and puts their rows together itself.
 * Nothing makes the answers fit together: it is what such a read costs at least, not a way to read.
 */
final class ReaderByHand implements Worker {
  private final List<JdbcPool> pools = new ArrayList<>();
  private final List<PreparedStatement> parts = new ArrayList<>();
  private final Map<String, Long> failures;
  private final Read read;
  private final int rows;
  private final SplittableRandom random;
  private long failed;

  private ReaderByHand(
      Map<String, Long> failures, Read read, ScatterTable table, SplittableRandom random) {
    this.failures = failures;
    this.read = read;
    this.random = random;
    rows = table.rows();
  }

  static ReaderByHand connect(
      List<Database> nodes,
      Map<String, Long> failures,
      Read read,
      ScatterTable table,
      SplittableRandom random)
      throws SQLException {
    ReaderByHand reader = new ReaderByHand(failures, read, table, random);
    try {
      for (Database node : nodes) {
        JdbcPool pool = node.pool(1);
        reader.pools.add(pool);
        reader.parts.add(read.prepare(pool.connection(), table.name()));
      }
      return reader;
    } catch (SQLException e) {
      reader.close();
      throw e;
    }
  }

  @Override
  public boolean once(long end) throws SQLException {
    try {
      read.execute(parts, random, rows);
      return true;
    } catch (SQLException error) {
      if (SqlStates.isConnectionLost(error)) {
        throw error;
      }
      failed++;
      failures.merge(SqlStates.stateOf(error), 1L, Long::sum);
      return false;
    }
  }

  @Override
  public long failures() {
    return failed;
  }

  @Override
  public void close() {
    pools.forEach(JdbcPool::close);
  }
}
