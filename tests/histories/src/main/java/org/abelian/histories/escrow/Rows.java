package org.abelian.histories.escrow;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The rows of a query as texts. */
final class Rows {
  private Rows() {}

  static List<String> read(Statement statement, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          row.append(rows.getString(i)).append(' ');
        }
        found.add(row.toString());
      }
    }
    return found;
  }
}
