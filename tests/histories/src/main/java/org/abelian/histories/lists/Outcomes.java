package org.abelian.histories.lists;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;

/** Asks what became of transactions whose clients were not told. */
final class Outcomes {
  private static final Pattern TOKEN = Pattern.compile("transaction_outcome\\('([^']+)'\\)");

  private Outcomes() {}

  /** The token that the error carries; empty when it has none. */
  static String token(SQLException error) {
    if (error instanceof PSQLException answered && answered.getServerErrorMessage() != null) {
      Matcher matcher = TOKEN.matcher(answered.getServerErrorMessage().toString());
      return matcher.find() ? matcher.group(1) : "";
    }
    return "";
  }

  /** The same transaction with the ending that the router tells, when it knows. */
  static Recorded resolved(Connection connection, Recorded recorded) throws SQLException {
    if (recorded.ending() != Ending.UNKNOWN || recorded.token().isEmpty()) {
      return recorded;
    }
    try (PreparedStatement ask =
        connection.prepareStatement("SELECT abelian.transaction_outcome(?)")) {
      ask.setString(1, recorded.token());
      try (ResultSet row = ask.executeQuery()) {
        row.next();
        return switch (row.getString(1)) {
          case "committed" -> recorded.with(Ending.COMMITTED_WITH_WARNING);
          case "aborted" -> recorded.with(Ending.ROLLED_BACK);
          default -> recorded;
        };
      }
    }
  }
}
