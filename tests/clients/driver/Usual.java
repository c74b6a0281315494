import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Map;

/**
 * What programs with plain JDBC do: batches, generated keys, savepoints, cursors, metadata. The class path has the driver's jar, pgjdbc and
 * slf4j-api. With --first it prints how many milliseconds the first connection and statement take instead.
 */
class Usual {
  public static void main(String[] arguments) throws SQLException {
    Map<String, String> environment = System.getenv();
    long start = System.nanoTime();
    try (Connection connection =
        DriverManager.getConnection(
            environment.get("JDBC_URL"), environment.get("PGUSER"), environment.get("PGPASSWORD"))) {
      if (arguments.length > 0) {
        read(connection, "SELECT 1");
        System.out.println((System.nanoTime() - start) / 1_000_000);
        return;
      }
      create(connection, !environment.get("PLACES").isEmpty());
      write(connection);
      transact(connection);
      read(connection, "SELECT count(*), sum(likes), max(title) FROM cl_jdbc");
      read(connection, "SELECT id, title, likes FROM cl_jdbc ORDER BY id DESC LIMIT 3");
      browse(connection);
      describe(connection);
    }
  }

  private static void create(Connection connection, boolean places) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS cl_jdbc");
      statement.execute(
          "CREATE TABLE cl_jdbc (id bigint PRIMARY KEY, title text NOT NULL, likes abelian.counter DEFAULT 0)");
      if (places) {
        statement.execute("SELECT create_distributed_table('cl_jdbc', 'id')");
      }
    }
  }

  private static void write(Connection connection) throws SQLException {
    String insert = "INSERT INTO cl_jdbc (id, title) VALUES (?, ?)";
    try (PreparedStatement statement =
        connection.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
      for (int i = 0; i < 100; i++) {
        statement.setLong(1, i);
        statement.setString(2, "page " + i);
        statement.addBatch();
      }
      System.out.println(statement.executeBatch().length);
      statement.setLong(1, 100);
      statement.setString(2, null);
      statement.executeUpdate();
    } catch (BatchUpdateException e) {
      throw e;
    } catch (SQLException e) {
      System.out.println(e.getSQLState());
    }
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE cl_jdbc SET likes = likes + ? WHERE id = ?")) {
      for (int i = 0; i < 50; i++) {
        statement.setInt(1, i);
        statement.setLong(2, i % 10);
        System.out.print(statement.executeUpdate());
      }
      System.out.println();
    }
  }

  private static void transact(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      System.out.println(statement.executeUpdate("UPDATE cl_jdbc SET likes = likes + 1"));
      Savepoint savepoint = connection.setSavepoint();
      try {
        statement.executeUpdate("INSERT INTO cl_jdbc VALUES (1, 'twice')");
      } catch (SQLException e) {
        System.out.println(e.getSQLState());
        connection.rollback(savepoint);
      }
      connection.commit();
      System.out.println(statement.executeUpdate("DELETE FROM cl_jdbc"));
      connection.rollback();
    } finally {
      connection.setAutoCommit(true);
    }
  }

  /** By a cursor of the protocol, ten rows at a time. */
  private static void browse(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(10);
      long sum = 0;
      try (ResultSet rows = statement.executeQuery("SELECT id FROM cl_jdbc")) {
        while (rows.next()) {
          sum += rows.getLong(1);
        }
      }
      System.out.println(sum);
    } finally {
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  private static void describe(Connection connection) throws SQLException {
    try (ResultSet columns = connection.getMetaData().getColumns(null, "public", "cl_jdbc", null)) {
      while (columns.next()) {
        System.out.println(columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME"));
      }
    }
  }

  private static void read(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        StringBuilder line = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          line.append(rows.getString(i)).append(' ');
        }
        System.out.println(line.toString().trim());
      }
    }
  }
}
