package org.abelian.workloads.tpcc.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.schema.TpccSchema;

/** Replaces the tables of a TPC-C database by empty ones. */
public final class TableCreator {
  private final Database database;

  public TableCreator(Database database) {
    this.database = database;
  }

  /**
   * Drops existing tables and creates empty ones.
   *
   * @param schema which column types
   * @param placed true to place the tables over a cluster's nodes
   */
  public void create(TpccSchema schema, boolean placed) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      execute(connection, TpccSchema.drop());
      execute(connection, schema.create());
      if (placed) {
        execute(connection, TpccSchema.place());
      }
    }
  }

  /** Adds indexes and foreign keys and collects statistics: the last step of a load. */
  public void finish() throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      execute(connection, TpccSchema.finish());
    }
  }

  private static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
