package org.abelian.workloads.evaluate;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * A profile of what sessions do: looks again and again at what each active session of some
 * databases waits for. Only one measurement at a time may be sampled.
 */
final class WaitSampler implements AutoCloseable {
  private static final long EVERY_MILLIS = 50;
  private static final int MOST_KINDS = 6;
  private static final double PERCENT = 100;
  private static final String WAITS =
      """
      SELECT CASE WHEN state = 'active' THEN coalesce(wait_event_type || ': ' || wait_event, 'running')
                  ELSE 'waiting for the client' END, count(*)
        FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND usename = current_user
         AND (state = 'active' OR state LIKE 'idle in transaction%')
       GROUP BY 1\
      """;

  private final List<JdbcPool> pools = new ArrayList<>();
  private final Map<String, Long> seen = new TreeMap<>();
  private final Thread thread = new Thread(this::run, "wait-sampler");
  private volatile boolean over;

  /**
   * Begins to look.
   *
   * @param servers each a PostgreSQL, past the router
   */
  WaitSampler(List<Database> servers) {
    servers.forEach(server -> pools.add(server.pool(1)));
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (!over) {
        for (JdbcPool pool : pools) {
          look(pool);
        }
        Thread.sleep(EVERY_MILLIS);
      }
    } catch (SQLException | InterruptedException ended) {
      // A profile that ends early is one of the time before.
    }
  }

  private void look(JdbcPool pool) throws SQLException {
    try (Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(WAITS)) {
      while (row.next()) {
        seen.merge(row.getString(1), row.getLong(2), Long::sum);
      }
    }
  }

  /** Stops looking. What was seen most, in percent of all sessions that were seen. */
  Map<String, Double> stop() {
    close();
    double all = seen.values().stream().mapToLong(Long::longValue).sum();
    Map<String, Double> percents = new LinkedHashMap<>();
    seen.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(MOST_KINDS)
        .forEach(
            kind -> percents.put(kind.getKey(), Math.round(PERCENT * kind.getValue() / all) * 1.0));
    return percents;
  }

  @Override
  public void close() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    pools.forEach(JdbcPool::close);
  }
}
