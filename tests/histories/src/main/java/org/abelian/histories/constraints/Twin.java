package org.abelian.histories.constraints;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A schema in which scenarios are run, with one type for the columns that are compared. */
public class Twin {
  private static final String ROLLED_BACK = "25P02";

  private final Connection connection;
  private final String schema;
  private final String type;

  /**
   * @param connection in autocommit mode; scenarios begin and end their transactions themselves
   */
  public Twin(Connection connection, String schema, String type) {
    this.connection = connection;
    this.schema = schema;
    this.type = type;
  }

  /** The outcomes: one text for each command that makes the schema, each step, and each table. */
  public List<String> run(Scenario scenario, boolean withSettings) throws SQLException {
    List<String> outcomes = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
      statement.execute("CREATE SCHEMA " + schema);
      statement.execute("SET search_path = " + schema);
      for (String command : scenario.schema()) {
        outcomes.add(outcome(statement, command));
      }
      if (withSettings) {
        for (String setting : scenario.settings()) {
          statement.execute(setting);
        }
      }
      for (Step step : scenario.steps()) {
        outcomes.add(step.kept() ? kept(statement, step.sql()) : outcome(statement, step.sql()));
        if (step.sql().equals("COMMIT")) {
          outcomes.add(content(statement));
        }
      }
      outcome(statement, "ROLLBACK");
      outcomes.add(content(statement));
      statement.execute("RESET ALL");
    }
    return outcomes;
  }

  /**
   * Rolls back to where the step began, if it fails. A step that ends savepoints takes this one
   * with it.
   */
  private String kept(Statement statement, String sql) throws SQLException {
    String begun = outcome(statement, "SAVEPOINT step");
    String outcome = outcome(statement, sql);
    boolean failed = outcome.startsWith("error");
    if (failed && !begun.endsWith(ROLLED_BACK)) {
      outcome(statement, "ROLLBACK TO step");
    }
    return outcome;
  }

  /** Whether the statement gave rows. */
  protected boolean execute(Statement statement, String text) throws SQLException {
    return statement.execute(text);
  }

  private String outcome(Statement statement, String sql) throws SQLException {
    String text = sql.replace(Scenario.TYPE, type).replace(Scenario.SCHEMA, schema);
    try {
      if (!execute(statement, text)) {
        return "rows " + statement.getUpdateCount();
      }
      boolean ordered = sql.toLowerCase(Locale.ROOT).contains("order by");
      return rows(statement.getResultSet(), ordered).toString();
    } catch (SQLException e) {
      return "error " + e.getSQLState();
    }
  }

  private String content(Statement statement) {
    List<String> tables = new ArrayList<>();
    for (String table : List.of("parent", "child", "key", "log")) {
      try (ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
        tables.add(table + rows(rows, false));
      } catch (SQLException e) {
        tables.add(table + " error " + e.getSQLState());
      }
    }
    return String.join(" ", tables);
  }

  private static List<String> rows(ResultSet result, boolean ordered) throws SQLException {
    List<String> rows = new ArrayList<>();
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        String value = result.getString(i);
        row.append(i == 1 ? "" : " ").append(value != null && value.length() > 99 ? "long" : value);
      }
      rows.add(row.toString());
    }
    if (!ordered) {
      rows.sort(null);
    }
    return rows;
  }
}
