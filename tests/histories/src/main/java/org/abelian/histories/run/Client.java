package org.abelian.histories.run;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.SqlText;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;

/** Sends the statements of one session faithfully. Subclasses in the tests break promises. */
public class Client {
  private final Connection connection;
  private final SqlText text;
  private final long offset;

  /**
   * A client on an open connection in autocommit mode.
   *
   * @param offset added to the program's keys to get those of the table
   */
  public Client(Connection connection, String table, long offset) {
    this.connection = connection;
    this.text = new SqlText(table, offset);
    this.offset = offset;
  }

  protected final Connection connection() {
    return connection;
  }

  public void begin(Level level) throws SQLException {
    execute("BEGIN ISOLATION LEVEL " + level.sql());
  }

  public void commit() throws SQLException {
    execute("COMMIT");
  }

  public void rollback() throws SQLException {
    execute("ROLLBACK");
  }

  public void prepare(String gid) throws SQLException {
    execute("PREPARE TRANSACTION '" + gid + "'");
  }

  public void commitPrepared(String gid) throws SQLException {
    execute("COMMIT PREPARED '" + gid + "'");
  }

  public void rollbackPrepared(String gid) throws SQLException {
    execute("ROLLBACK PREPARED '" + gid + "'");
  }

  private void execute(String sql) throws SQLException {
    try (java.sql.Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  public Answer run(Statement statement) throws SQLException {
    String sql = text.render(statement);
    try (PreparedStatement prepared = connection.prepareStatement(sql)) {
      int index = 0;
      for (Object parameter : text.parameters()) {
        prepared.setObject(++index, parameter);
      }
      if (!prepared.execute()) {
        return Answer.count(prepared.getUpdateCount());
      }
      try (ResultSet rows = prepared.getResultSet()) {
        return read(statement, rows);
      }
    }
  }

  private Answer read(Statement statement, ResultSet rows) throws SQLException {
    List<Column> columns = columns(statement);
    if (columns == null) {
      rows.next();
      return Answer.count(rows.getInt(1));
    }
    List<Tuple> tuples = new ArrayList<>();
    while (rows.next()) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        values.add(value(columns.get(i), rows, i + 2));
      }
      if (statement instanceof Statement.Update update && update.asked() != null) {
        values.add(rows.getBoolean(columns.size() + 2));
      }
      tuples.add(new Tuple((int) (rows.getLong(1) - offset), values));
    }
    return Answer.rows(tuples);
  }

  private static List<Column> columns(Statement statement) {
    if (statement instanceof Statement.Select select) {
      return select.columns();
    } else if (statement instanceof Statement.Update update) {
      return update.returning();
    } else if (statement instanceof Statement.Delete delete) {
      return delete.returning();
    }
    return null;
  }

  /** Elements are letters, so neither arrays nor keys of JSON need more than this. */
  private static Object elements(Column column, String text) {
    String[] parts = text.substring(1, text.length() - 1).split(",");
    Set<String> tags = new TreeSet<>();
    Map<String, Object> entries = new TreeMap<>();
    for (String part : parts) {
      String[] pair = part.split(":");
      if (pair.length == 2) {
        String value = pair[1].trim();
        Object entry =
            column == Column.ENTRIES ? unquoted(value) : Column.number(new BigDecimal(value));
        entries.put(unquoted(pair[0].trim()), entry);
      } else if (!part.isEmpty()) {
        tags.add(part);
      }
    }
    return column == Column.TAGS ? tags : entries;
  }

  private static String unquoted(String text) {
    return text.substring(1, text.length() - 1);
  }

  private static Object value(Column column, ResultSet rows, int index) throws SQLException {
    if (column.hasElements()) {
      return elements(column, rows.getString(index));
    }
    if (!column.isNumber()) {
      return rows.getString(index);
    }
    BigDecimal number = rows.getBigDecimal(index);
    return number == null ? null : Column.number(number);
  }
}
