package org.abelian.workloads.queries.tpch;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.queries.Suite;

/** The 22 queries of TPC-H. */
public final class TpchSuite implements Suite {
  private final TpchScale scale;
  private final TpchRows rows;

  /**
   * @param scale 1 means 6,000,000 lineitems
   * @param seed of the rows
   */
  public TpchSuite(double scale, long seed) {
    this.scale = new TpchScale(scale);
    this.rows = new TpchRows(this.scale, seed);
  }

  @Override
  public String name() {
    return "tpch";
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of("fraction", BigDecimal.valueOf(scale.fraction()).toPlainString());
  }

  @Override
  public void create(Database database, boolean placed, Consumer<String> progress)
      throws SQLException {
    execute(database, TpchTables.create());
    if (placed) {
      execute(database, TpchTables.place());
    }
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      rows.load(connection, progress);
    }
    execute(database, TpchTables.finish());
  }

  private static void execute(Database database, List<String> statements) throws SQLException {
    database.execute(statements.toArray(String[]::new));
  }

  @Override
  public long orders() {
    return scale.orders();
  }
}
