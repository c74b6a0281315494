package org.abelian.workloads.database;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.database.JdbcPool;

/** How many transactions a router has committed in which class, as it counts them itself. */
public final class CommitCounts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CommitCounts() {}

  /**
   * The counts since the router started: by class, by reason for coordinated ones, and of what
   * lanes refused.
   */
  public static Map<String, Long> of(Database database) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW abelian.commit_statistics")) {
      row.next();
      JsonNode counts = JSON.readTree(row.getString(1));
      Map<String, Long> found = new TreeMap<>();
      counts.get("classes").properties().forEach(e -> found.put(e.getKey(), e.getValue().asLong()));
      counts
          .get("coordinated_because")
          .properties()
          .forEach(e -> found.put("coordinated: " + e.getKey(), e.getValue().asLong()));
      counts
          .get("refused_by_lanes")
          .properties()
          .forEach(e -> found.put("refused by lanes: " + e.getKey(), e.getValue().asLong()));
      return found;
    } catch (JsonProcessingException unreadable) {
      throw new SQLException("the router's counts cannot be read", unreadable);
    }
  }

  /** What came between two readings; what did not change is left out. */
  public static Map<String, Long> between(Map<String, Long> before, Map<String, Long> after) {
    Map<String, Long> grown = new TreeMap<>();
    after.forEach(
        (name, count) -> {
          long more = count - before.getOrDefault(name, 0L);
          if (more != 0) {
            grown.put(name, more);
          }
        });
    return grown;
  }
}
