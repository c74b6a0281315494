package org.abelian.cluster.statements;

import java.sql.Connection;
import java.sql.SQLException;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;

/**
 * The tables of a test class, on one PostgreSQL and through the router: made anew only after a test
 * that has changed them, since making them takes longer than most of the tests.
 */
final class TwinTables {
  private final LocalNode single;
  private final RouterServer router;
  private final Making making;
  private final String drop;
  private boolean made;

  /** What makes the tables and fills them. */
  interface Making {
    void of(Twins twins) throws SQLException;
  }

  /**
   * @param drop statements that remove them, also when they are not there, with semicolons between
   */
  TwinTables(LocalNode single, RouterServer router, Making making, String drop) {
    this.single = single;
    this.router = router;
    this.making = making;
    this.drop = drop;
  }

  /** New connections to both, where the tables are as they were made. */
  Twins open() throws SQLException {
    Twins twins = new Twins(single, router, "");
    if (!made) {
      remove(twins);
      making.of(twins);
      made = true;
    }
    return twins;
  }

  /**
   * Ends the connections.
   *
   * @param kept whether the tables are still as they were made
   */
  void close(Twins twins, boolean kept) throws SQLException {
    for (Connection connection : twins.both()) {
      Twins.run(connection, "ROLLBACK");
    }
    twins.same("RESET ROLE");
    if (!kept) {
      remove(twins);
      made = false;
    }
    twins.close();
  }

  /** Removes the tables at the end. */
  void remove() throws SQLException {
    Twins twins = new Twins(single, router, "");
    remove(twins);
    twins.close();
  }

  private void remove(Twins twins) {
    for (String statement : drop.split(";")) {
      twins.same(statement);
    }
  }
}
