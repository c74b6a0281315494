package org.abelian.workloads.tpcc.load;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.schema.TpccProcedures;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Makes NewOrder and Payment distributed procedures in a loaded cluster. */
public final class ProcedureInstaller {
  private final Database database;

  public ProcedureInstaller(Database database) {
    this.database = database;
  }

  /** Creates them anew, and copies what they need on every node. */
  public void install(int warehouses) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement()) {
      for (String sql : TpccProcedures.create()) {
        statement.execute(sql);
      }
      CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
      for (int warehouse = 1; warehouse <= warehouses; warehouse++) {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        copy.copyOut(TpccProcedures.texts(warehouse), rows);
        copy.copyIn("COPY stock_info FROM STDIN", new ByteArrayInputStream(rows.toByteArray()));
      }
      statement.execute("ANALYZE stock_info");
    } catch (IOException impossible) {
      throw new SQLException("the rows could not be held in memory", impossible);
    }
  }
}
