package org.abelian.workloads.queries.ch;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.queries.Suite;
import org.abelian.workloads.tpcc.load.Loader;
import org.abelian.workloads.tpcc.load.Past;
import org.abelian.workloads.tpcc.load.TableCreator;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import org.abelian.workloads.tpcc.schema.TpccSchema;

/** The 22 queries of CH-benCHmark. */
public final class ChSuite implements Suite {
  /** Before it lie all dates that the queries ask for. */
  private static final LocalDateTime LOADED = LocalDateTime.of(2011, 12, 1, 12, 0);

  private static final int LEAST_WAREHOUSES = 6;
  private static final int WAREHOUSES_OF_SCALE_1 = 20;
  private static final int SUPPLIERS = 10_000;
  private static final int LOADING_THREADS = 2;

  private final Scale scale;
  private final ColumnKind columns;
  private final long seed;

  /**
   * @param scale 1 means 20 warehouses, which have 6,000,000 order lines; small databases have six
   *     warehouses that are smaller than specified
   * @param columns of TPC-C's tables on a cluster
   * @param seed of the rows
   */
  public ChSuite(double scale, ColumnKind columns, long seed) {
    this.scale = sizeOf(scale);
    this.columns = columns;
    this.seed = seed;
  }

  private static Scale sizeOf(double scale) {
    double wanted = scale * WAREHOUSES_OF_SCALE_1;
    int warehouses = Math.max(LEAST_WAREHOUSES, (int) Math.round(wanted));
    double share = Math.min(1, wanted / warehouses);
    Scale full = Scale.specified(warehouses);
    return new Scale(
        warehouses,
        (int) Math.round(full.items() * share),
        (int) Math.round(full.customersPerDistrict() * share));
  }

  @Override
  public String name() {
    return "ch";
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of();
  }

  @Override
  public void create(Database database, boolean placed, Consumer<String> progress)
      throws SQLException, InterruptedException {
    TableCreator creator = new TableCreator(database);
    creator.create(new TpccSchema(placed ? columns : ColumnKind.PLAIN), placed);
    execute(database, ChTables.create());
    if (placed) {
      execute(database, ChTables.place());
    }
    try (PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      Loader loader = new Loader(database, scale, seed, Past.until(LOADED));
      progress.accept("  TPC-C: %,d rows".formatted(loader.load(LOADING_THREADS, quiet)));
    }
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      loadRegions(connection);
      loadNations(connection);
      loadSuppliers(connection);
    }
    execute(database, ChTables.plant(scale.customersPerDistrict()));
    execute(database, ChTables.finish());
    creator.finish();
  }

  private static void execute(Database database, List<String> statements) throws SQLException {
    database.execute(statements.toArray(String[]::new));
  }

  private void loadRegions(Connection connection) throws SQLException {
    TpccRandom random = TpccRandom.forTask(seed, "regions");
    try (CopyInto copy = new CopyInto(connection, "region")) {
      for (int key = 1; key <= Nations.REGIONS.size(); key++) {
        copy.row(key, Nations.REGIONS.get(key - 1), random.alphanumeric(31, 115));
      }
      copy.finish();
    }
  }

  private void loadNations(Connection connection) throws SQLException {
    TpccRandom random = TpccRandom.forTask(seed, "nations");
    try (CopyInto copy = new CopyInto(connection, "nation")) {
      Nations.forEach(
          (key, name, region) -> copy.row(key, name, region, random.alphanumeric(31, 114)));
      copy.finish();
    }
  }

  private void loadSuppliers(Connection connection) throws SQLException {
    TpccRandom random = TpccRandom.forTask(seed, "suppliers");
    try (CopyInto copy = new CopyInto(connection, "supplier")) {
      for (int key = 0; key < SUPPLIERS; key++) {
        int nation = nation(key, random);
        copy.row(
            key,
            "Supplier#%09d".formatted(key),
            random.alphanumeric(10, 40),
            nation,
            random.numeric(15, 15),
            random.uniform(-999, 9_999),
            random.chance(1) ? "a bad " + random.alphanumeric(25, 90) : comment(random));
      }
      copy.finish();
    }
  }

  private static String comment(TpccRandom random) {
    return random.alphanumeric(25, 100);
  }

  /** The supplier of the items that the queries look for is German, whatever the chance. */
  private static int nation(int supplier, TpccRandom random) {
    int drawn = Nations.key(random.uniform(0, Nations.count() - 1));
    return supplier >= 1 && supplier <= 3 ? Nations.keyOf("Germany") : drawn;
  }

  @Override
  public long orders() {
    return (long) scale.warehouses() * Scale.DISTRICTS * scale.customersPerDistrict();
  }
}
