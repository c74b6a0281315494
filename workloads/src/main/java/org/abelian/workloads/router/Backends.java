package org.abelian.workloads.router;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * The processes that serve a PostgreSQL server's clients.
 *
 * @param pids of all but the one that was asked
 */
record Backends(List<Long> pids) {
  private static final String CLIENTS =
      "SELECT pid FROM pg_stat_activity"
          + " WHERE datname = current_database() AND backend_type = 'client backend'"
          + " AND pid <> pg_backend_pid()";
  private static final String PROPORTIONAL = "Pss:";

  /** Those of a database at the moment. */
  static Backends of(Database database) throws SQLException {
    List<Long> pids = new ArrayList<>();
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(CLIENTS)) {
      while (found.next()) {
        pids.add(found.getLong(1));
      }
    }
    return new Backends(pids);
  }

  int count() {
    return pids.size();
  }

  /**
   * Their memory, with a share of what they have in common, such as the shared buffers. Empty where
   * they run on another machine, or as a user whose processes this one may not look at.
   */
  OptionalLong bytes() {
    long sum = 0;
    try {
      for (long pid : pids) {
        sum += proportional(pid);
      }
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(sum);
  }

  private static long proportional(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "smaps_rollup"))) {
      if (line.startsWith(PROPORTIONAL)) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("/proc does not tell the memory of process " + pid);
  }
}
