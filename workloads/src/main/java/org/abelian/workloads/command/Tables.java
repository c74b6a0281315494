package org.abelian.workloads.command;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.load.Loader;
import org.abelian.workloads.tpcc.load.TableCreator;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import org.abelian.workloads.tpcc.schema.TpccSchema;
import picocli.CommandLine.Option;

/** Options and steps of creating and loading the TPC-C tables. */
final class Tables {
  @Option(
      names = "--columns",
      defaultValue = "COUNTER",
      description =
          "${COMPLETION-CANDIDATES}: types of the totals that only additions change; default:"
              + " ${DEFAULT-VALUE}")
  private ColumnKind columns;

  @Option(
      names = "--place",
      negatable = true,
      description =
          "call create_distributed_table and create_reference_table; default: for jdbc:abelian:"
              + " URLs")
  private Boolean place;

  @Option(
      names = "--threads",
      defaultValue = "4",
      description = "of the load; default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--node",
      paramLabel = "URL",
      description =
          "JDBC URL of a node, repeatable: asked which warehouses it has, to tell single from"
              + " coordinated commits; default: the local cluster's nodes")
  private List<String> nodes = new ArrayList<>();

  ColumnKind columns() {
    return columns;
  }

  boolean isPlaced(Database database) {
    return place == null ? database.url().startsWith("jdbc:abelian:") : place;
  }

  void load(Database database, Scale scale, ColumnKind kind, boolean placed, long seed)
      throws SQLException, InterruptedException {
    System.err.printf(
        "loading %d warehouse(s) into %s, columns %s%n", scale.warehouses(), database, kind);
    long start = System.nanoTime();
    TableCreator creator = new TableCreator(database);
    creator.create(new TpccSchema(kind), placed);
    long rows = new Loader(database, scale, seed).load(threads, System.err);
    creator.finish();
    System.err.printf("%,d rows in %.0f s%n", rows, (System.nanoTime() - start) / 1e9);
  }

  WarehouseLocations locations(Database database) throws SQLException {
    List<Database> asked = new ArrayList<>();
    for (String url : nodes) {
      asked.add(new Database(url, database.user(), database.password()));
    }
    if (asked.isEmpty() && isPlaced(database)) {
      asked.addAll(Environment.nodes());
    }
    return asked.isEmpty() ? WarehouseLocations.single() : WarehouseLocations.ask(asked);
  }
}
