package org.abelian.workloads.queries;

import java.sql.SQLException;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;

/** The tables of a benchmark of queries. The texts of its queries are resources. */
public interface Suite {
  /** As in the names of the resources and of results. */
  String name();

  /** What stands for {@code ${name}} in the texts. */
  Map<String, String> parameters();

  /**
   * Makes and fills the tables in an empty schema, which the search path names.
   *
   * @param placed true to place them over a cluster's nodes
   * @param progress told lines now and then
   */
  void create(Database database, boolean placed, Consumer<String> progress)
      throws SQLException, InterruptedException;

  /** How many rows the table of orders has. */
  long orders();

  /** The schema with the tables. */
  default String schema() {
    return "bench_" + name();
  }
}
