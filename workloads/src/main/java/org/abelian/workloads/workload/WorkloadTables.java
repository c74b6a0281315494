package org.abelian.workloads.workload;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;

/**
 * The tables of a workload in one database, in a schema of their own.
 *
 * @param placed whether they are placed over the nodes of a cluster
 */
public record WorkloadTables(Workload workload, Database outside, boolean placed) {
  /** The database with the tables' schema as search path. */
  public Database database() {
    return outside.within(schema());
  }

  private String schema() {
    return "load_" + workload.name() + "_" + workload.columns().label();
  }

  /** Creates the tables and loads the rows. */
  public void create(long seed) throws SQLException {
    drop();
    outside.execute("CREATE SCHEMA " + schema());
    try (JdbcPool pool = database().pool(1);
        Connection connection = pool.connection()) {
      execute(connection, workload.create());
      if (placed) {
        execute(connection, workload.place());
      }
      workload.fill(connection, seed);
      execute(connection, workload.finish());
      for (Procedure procedure : workload.procedures()) {
        execute(connection, List.of(procedure.create()));
        if (placed) {
          execute(connection, List.of(procedure.declare()));
        }
      }
    }
  }

  private static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /**
   * Checks the rules; no client may be at work.
   *
   * @param committed transactions since the load, by type
   * @param onlyTransactions whether nothing has run without transactions since the load
   */
  public List<Finding> check(Map<String, Long> committed, boolean onlyTransactions)
      throws SQLException {
    List<Finding> findings = new ArrayList<>();
    try (JdbcPool pool = database().pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement()) {
      for (Rule rule : workload.rules(committed)) {
        if (rule.transactional() && !onlyTransactions) {
          continue;
        }
        try (ResultSet count = statement.executeQuery(rule.violations())) {
          count.next();
          findings.add(new Finding(rule.claim(), count.getLong(1)));
        }
      }
    }
    return findings;
  }

  /** Drops the tables. */
  public void drop() throws SQLException {
    outside.execute("DROP SCHEMA IF EXISTS " + schema() + " CASCADE");
  }
}
