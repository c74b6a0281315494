package org.abelian.workloads.evaluate;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/** What results are measured on. */
public final class Machine {
  private static final double MEGABYTE = 1 << 20;

  private Machine() {}

  /**
   * Describes it, as for JSON.
   *
   * @param server whose version is told
   */
  public static Map<String, Object> describe(Database server) throws SQLException {
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    machine.put("processors", system.getAvailableProcessors());
    if (system instanceof com.sun.management.OperatingSystemMXBean own) {
      machine.put("memory_mb", Math.round(own.getTotalMemorySize() / MEGABYTE));
    }
    machine.put("system", "%s %s".formatted(system.getName(), system.getVersion()));
    machine.put("java", System.getProperty("java.version"));
    machine.put("load_average_before", system.getSystemLoadAverage());
    try (JdbcPool pool = server.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('server_version'), current_setting('fsync'),"
                    + " current_setting('shared_buffers')")) {
      row.next();
      machine.put("postgresql", row.getString(1));
      machine.put("fsync", row.getString(2));
      machine.put("shared_buffers", row.getString(3));
    }
    return machine;
  }
}
