package org.abelian.workloads.hotrow;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;

/**
 * All clients add to one row, or to rows chosen at random.
 *
 * <p>Dead versions of the plain row pile up in its pages faster than vacuum removes them; that is
 * part of what the plain row costs, and nothing is done about it here. After the measurement the
 * sum of each table must equal the commits that pgbench was told of: a benchmark that loses updates
 * fails.
 */
public final class HotRowBench {
  private static final String READ_COMMITTED = "read committed";
  private static final String SERIALIZABLE = "serializable";

  private final Database database;
  private final Pgbench pgbench;
  private final HotRowOptions options;
  private final Map<Column, Long> committed = new EnumMap<>(Column.class);

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
      for (Column column : Column.values()) {
        checkSum(column);
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
          String script = load.script(column.table(), options.rows());
          PgbenchRun run = pgbench.run(script, options.clients(), options.seconds(), isolation);
          committed.merge(column, run.committed(), Long::sum);
          return run.sample();
        });
  }

  private static String name(Column column, Load load, String isolation) {
    String type = column == Column.PLAIN ? "bigint" : "counter";
    String suffix = isolation.equals(SERIALIZABLE) ? ", serializable" : "";
    return type + " " + load.label() + suffix;
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put(
        "hot_over_plain", measured.ratio(rc(Column.COUNTER, Load.HOT), rc(Column.PLAIN, Load.HOT)));
    ratios.put(
        "hot_over_uniform",
        measured.ratio(rc(Column.COUNTER, Load.HOT), rc(Column.COUNTER, Load.UNIFORM)));
    ratios.put(
        "uniform_over_plain",
        measured.ratio(rc(Column.COUNTER, Load.UNIFORM), rc(Column.PLAIN, Load.UNIFORM)));
    ratios.put(
        "hot_over_plain_2ms",
        measured.ratio(rc(Column.COUNTER, Load.HOT_2MS), rc(Column.PLAIN, Load.HOT_2MS)));
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    parameters.put("synchronous_commit", "on");
    parameters.put("isolation", READ_COMMITTED);
    return new BenchResult("hotrow", parameters, measured.rows(), ratios, Map.of());
  }

  private static String rc(Column column, Load load) {
    return name(column, load, READ_COMMITTED);
  }

  private void createTables() throws SQLException {
    for (Column column : Column.values()) {
      execute(
          "DROP TABLE IF EXISTS " + column.table(),
          "CREATE TABLE %s (id integer PRIMARY KEY, n %s NOT NULL)"
              .formatted(column.table(), column.sqlType()),
          "INSERT INTO %s SELECT i, 0 FROM generate_series(1, %d) i"
              .formatted(column.table(), options.rows()),
          "VACUUM ANALYZE " + column.table());
    }
  }

  private void dropTables() throws SQLException {
    for (Column column : Column.values()) {
      execute("DROP TABLE IF EXISTS " + column.table());
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private void checkSum(Column column) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT sum(n::bigint) FROM " + column.table())) {
      row.next();
      long sum = row.getLong(1);
      long expected = committed.getOrDefault(column, 0L);
      if (sum != expected) {
        throw new IllegalStateException(
            "%s has %d, but %d additions were committed".formatted(column.table(), sum, expected));
      }
    }
  }
}
