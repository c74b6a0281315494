package org.abelian.harness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a router says about the commits that it has made. */
public final class CommitCounts {
  private static final Pattern SHARED = Pattern.compile("\"shared\":(\\d+)");

  private static final Pattern REFUSED =
      Pattern.compile("\"(?:lanes refused it|the gate of a lane)[^\"]*\":(\\d+)");

  private CommitCounts() {}

  /** Calls that shared a transaction with others', since the router of the connection started. */
  public static long shared(Connection connection) throws SQLException {
    String statistics = statistics(connection);
    Matcher number = SHARED.matcher(statistics);
    if (!number.find()) {
      throw new AssertionError("no count of shared calls in " + statistics);
    }
    return Long.parseLong(number.group(1));
  }

  /** Calls that became coordinated transactions since lanes refused them. */
  public static long refusedByLanes(Connection connection) throws SQLException {
    Matcher number = REFUSED.matcher(statistics(connection));
    long sum = 0;
    while (number.find()) { // a reason that never was is not listed
      sum += Long.parseLong(number.group(1));
    }
    return sum;
  }

  private static String statistics(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW abelian.commit_statistics")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
