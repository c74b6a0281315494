package org.abelian.workloads.hotrow;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.pgbench.Pgbench;
import org.abelian.workloads.pgbench.PgbenchRun;
import org.abelian.workloads.pgbench.Server;

/**
 * All clients add to one row, or to rows chosen at random; or read.
 *
 * <p>Reads go to tables of their own, in which nothing is ever written but the slices of one row.
 *
 * <p>Dead versions of the plain row pile up in its pages faster than vacuum removes them; that is
 * part of what the plain row costs, and nothing is done about it here. After the measurement the
 * sum of each table must equal the commits that pgbench was told of: a benchmark that loses updates
 * fails.
 */
public final class HotRowBench {
  private static final String READ_COMMITTED = "read committed";
  private static final String SERIALIZABLE = "serializable";

  /** Rows whose counters are split while all rows are read. */
  private static final int SPLIT_ROWS = 100;

  private final Database database;
  private final Pgbench pgbench;
  private final HotRowOptions options;
  private final Map<String, Long> added = new HashMap<>();

  /**
   * @param bindir folder of pgbench
   */
  public HotRowBench(Database database, Path bindir, HotRowOptions options) {
    this.database = database;
    this.pgbench = new Pgbench(bindir, Server.of(database));
    this.options = options;
  }

  /**
   * Makes the tables, measures, compares the sums, and drops the tables.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    createTables();
    try {
      Measurements measured = new Interleaving(variants(), options.rounds()).run(progress);
      for (String table : tables().keySet()) {
        checkSum(table);
      }
      return result(measured);
    } finally {
      dropTables();
    }
  }

  private List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Load load : Load.values()) {
      for (Column column : Column.values()) {
        variants.add(variant(column, load, READ_COMMITTED));
      }
    }
    for (Column column : Column.values()) {
      variants.add(variant(column, Load.HOT, SERIALIZABLE));
    }
    return variants;
  }

  private Variant variant(Column column, Load load, String isolation) {
    return new Variant(
        name(column, load, isolation),
        options.clients(),
        round -> {
          String table = column.table(load);
          if (load == Load.READ_SPLIT && column == Column.COUNTER) {
            try (SplitRow split = SplitRow.split(database, table, options.clients())) {
              added.merge(table, (long) split.slices(), Long::sum);
              return run(column, load, isolation).sample();
            }
          }
          if (load == Load.SUM && column == Column.COUNTER) {
            added.merge(table, splitSome(table), Long::sum);
          }
          PgbenchRun run = run(column, load, isolation);
          if (!load.isRead()) {
            added.merge(table, run.committed(), Long::sum);
          }
          return run.sample();
        });
  }

  /** Splits the counters of some rows by adding 1 to each; tells how much that is in all. */
  private long splitSome(String table) throws SQLException {
    execute(
        "SET abelian.split = always",
        "UPDATE %s SET n = n + 1 WHERE id <= %d".formatted(table, SPLIT_ROWS));
    return Math.min(SPLIT_ROWS, options.rows());
  }

  private PgbenchRun run(Column column, Load load, String isolation) throws Exception {
    String script = load.script(column.table(load), options.rows());
    String settings = "-c default_transaction_isolation=" + isolation.replace(" ", "\\ ");
    return pgbench.run(script, options.clients(), options.seconds(), settings, 1);
  }

  private static String name(Column column, Load load, String isolation) {
    String type = column == Column.PLAIN ? "bigint" : "counter";
    String suffix = isolation.equals(SERIALIZABLE) ? ", serializable" : "";
    return type + " " + load.label() + suffix;
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put("hot_over_plain", overPlain(measured, Load.HOT));
    ratios.put(
        "hot_over_uniform",
        measured.ratio(rc(Column.COUNTER, Load.HOT), rc(Column.COUNTER, Load.UNIFORM)));
    ratios.put("uniform_over_plain", overPlain(measured, Load.UNIFORM));
    ratios.put("hot_over_plain_2ms", overPlain(measured, Load.HOT_2MS));
    ratios.put("read_over_plain", overPlain(measured, Load.READ));
    ratios.put("split_read_over_plain", overPlain(measured, Load.READ_SPLIT));
    ratios.put("sum_over_plain", overPlain(measured, Load.SUM));
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    parameters.put("synchronous_commit", "on");
    parameters.put("isolation", READ_COMMITTED);
    return new BenchResult("hotrow", parameters, measured.rows(), ratios, Map.of());
  }

  private static double overPlain(Measurements measured, Load load) {
    return measured.ratio(rc(Column.COUNTER, load), rc(Column.PLAIN, load));
  }

  private static String rc(Column column, Load load) {
    return name(column, load, READ_COMMITTED);
  }

  /** The tables with the type of their counter. */
  private static Map<String, String> tables() {
    Map<String, String> tables = new LinkedHashMap<>();
    for (Column column : Column.values()) {
      tables.put(column.table(false), column.sqlType());
      tables.put(column.table(true), column.sqlType());
    }
    return tables;
  }

  private void createTables() throws SQLException {
    for (Map.Entry<String, String> table : tables().entrySet()) {
      execute(
          "DROP TABLE IF EXISTS " + table.getKey(),
          "CREATE TABLE %s (id integer PRIMARY KEY, n %s NOT NULL)"
              .formatted(table.getKey(), table.getValue()),
          "INSERT INTO %s SELECT i, 0 FROM generate_series(1, %d) i"
              .formatted(table.getKey(), options.rows()),
          "VACUUM ANALYZE " + table.getKey());
    }
  }

  private void dropTables() throws SQLException {
    for (String table : tables().keySet()) {
      execute("DROP TABLE IF EXISTS " + table);
    }
  }

  private void execute(String... statements) throws SQLException {
    database.execute(statements);
  }

  private void checkSum(String table) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT sum(n::bigint) FROM " + table)) {
      row.next();
      long sum = row.getLong(1);
      long expected = added.getOrDefault(table, 0L);
      if (sum != expected) {
        throw new IllegalStateException(
            "%s has %d, but %d additions were committed".formatted(table, sum, expected));
      }
    }
  }
}
