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

  private CommitCounts() {}

  /** Calls that shared a transaction with others', since the router of the connection started. */
  public static long shared(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW abelian.commit_statistics")) {
      rows.next();
      Matcher number = SHARED.matcher(rows.getString(1));
      if (!number.find()) {
        throw new AssertionError("no count of shared calls in " + rows.getString(1));
      }
      return Long.parseLong(number.group(1));
    }
  }
}
