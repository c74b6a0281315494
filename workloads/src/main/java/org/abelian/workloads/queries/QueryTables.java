package org.abelian.workloads.queries;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * The tables of a suite in one database, in a schema of their own.
 *
 * @param placed whether they are placed over a cluster's nodes
 */
record QueryTables(Suite suite, Database outside, boolean placed) {
  /** The database with the tables' schema as search path. */
  Database database() {
    return outside.within(suite.schema());
  }

  void create(Consumer<String> progress) throws SQLException, InterruptedException {
    progress.accept("loading %s into %s".formatted(suite.name(), outside));
    drop();
    outside.execute("CREATE SCHEMA " + suite.schema());
    suite.create(database(), placed, progress);
  }

  void drop() throws SQLException {
    outside.execute("DROP SCHEMA IF EXISTS " + suite.schema() + " CASCADE");
  }

  /** Fails when the tables of an earlier load are not there, or have another size. */
  void requireLoaded() throws SQLException {
    try (JdbcPool pool = outside.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet count =
            statement.executeQuery("SELECT count(*) FROM " + suite.schema() + ".orders")) {
      count.next();
      if (count.getLong(1) != suite.orders()) {
        throw new SQLException(
            "%s has tables of another scale: load them anew".formatted(outside), "55000");
      }
    }
  }
}
