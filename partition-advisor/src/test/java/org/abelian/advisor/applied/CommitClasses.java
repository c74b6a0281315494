package org.abelian.advisor.applied;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** How many transactions of several nodes a connection's router has committed, by class. */
final class CommitClasses {
  private CommitClasses() {}

  static Map<String, Long> of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW abelian.commit_statistics")) {
      row.next();
      JsonNode classes = new ObjectMapper().readTree(row.getString(1)).path("classes");
      Map<String, Long> counts = new TreeMap<>();
      classes.properties().forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
      return counts;
    } catch (JsonProcessingException notOurs) {
      throw new AssertionError(notOurs);
    }
  }

  /** How many more there are, of all classes. */
  static long several(Map<String, Long> before, Map<String, Long> after) {
    return after.entrySet().stream()
        .mapToLong(each -> each.getValue() - before.get(each.getKey()))
        .sum();
  }
}
