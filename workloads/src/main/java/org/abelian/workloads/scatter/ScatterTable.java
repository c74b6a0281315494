package org.abelian.workloads.scatter;

import java.sql.SQLException;
import org.abelian.workloads.database.Database;

/**
 * A table whose totals are 0, in a column of PostgreSQL's and in a counter.
 *
 * @param rows whose keys begin with 1
 */
record ScatterTable(Database database, String name, int rows) {
  void create(boolean distributed) throws SQLException {
    drop();
    database.execute(
        "CREATE TABLE "
            + name
            + " (id integer PRIMARY KEY, name text NOT NULL, bal bigint NOT NULL,"
            + " n abelian.counter NOT NULL)",
        "CREATE INDEX ON " + name + " (name)");
    if (distributed) {
      database.execute("CALL create_distributed_table('" + name + "', 'id')");
    }
    database.load(
        "INSERT INTO " + name + " (id, name, bal, n) VALUES (?, ?, 0, 0)",
        rows,
        (insert, id) -> {
          insert.setInt(1, id);
          insert.setString(2, Read.name(id));
        });
    database.execute("VACUUM ANALYZE " + name);
  }

  void drop() throws SQLException {
    database.execute("DROP TABLE IF EXISTS " + name);
  }
}
