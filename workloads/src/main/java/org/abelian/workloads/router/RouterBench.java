package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;

/**
 * Single-partition SELECT and UPDATE, and SELECT by a lookup index. All ways use keys of one node,
 * so that the same node does the same work for each.
 */
public final class RouterBench {
  private static final String TABLE = "bench_router";
  private static final String LOOKUP_TABLE = "bench_router_lookup";

  /** So many rows one INSERT of the loading has. */
  private static final int ROWS_PER_INSERT = 500;

  private static final String FILLER = "x".repeat(80);
  private static final String DRIVER = "driver";
  private static final String TRACED = "traced driver";

  private final Database direct;
  private final Database driver;
  private final Database server;
  private final Database traced;
  private final RouterOptions options;
  private final LongSupplier serverNanos;
  private final Map<String, List<Cost>> costs = new LinkedHashMap<>();

  /**
   * @param direct a node of the cluster, past the router
   * @param driver the cluster through our driver
   * @param server the cluster through our server
   * @param traced the cluster through our driver, which records all transactions; null to leave it
   *     out
   * @param serverNanos processor time that our server has used, in nanoseconds; negative when that
   *     cannot be known
   */
  public RouterBench(
      Database direct,
      Database driver,
      Database server,
      Database traced,
      RouterOptions options,
      LongSupplier serverNanos) {
    this.direct = direct;
    this.driver = driver;
    this.server = server;
    this.traced = traced;
    this.options = options;
    this.serverNanos = serverNanos;
  }

  /**
   * Makes the table through the driver, measures, and drops it.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    createTable();
    createLookupTable();
    try {
      int[] keys = keysOfNode();
      return result(new Interleaving(variants(keys), options.rounds()).run(progress));
    } finally {
      execute(driver, "DROP TABLE IF EXISTS " + TABLE, "DROP TABLE IF EXISTS " + LOOKUP_TABLE);
    }
  }

  private List<Variant> variants(int[] keys) {
    Map<String, Database> ways = new LinkedHashMap<>();
    ways.put("direct", direct);
    ways.put(DRIVER, driver);
    ways.put("server", server);
    if (traced != null) {
      ways.put(TRACED, traced);
    }
    List<Variant> variants = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      ways.forEach(
          (way, database) -> {
            if (operation == Operation.LOOKUP && database != driver && database != server) {
              return; // a node by itself does not know where a row is
            }
            LongSupplier nanos = database == server ? serverNanos : () -> -1;
            Clients clients = new Clients(database, options.clients(), keys, nanos);
            String name = name(operation, way);
            variants.add(
                new Variant(
                    name, options.clients(), round -> measure(clients, operation, name, round)));
          });
    }
    return variants;
  }

  private Sample measure(Clients clients, Operation operation, String name, int round)
      throws Exception {
    Clients.Measured measured = clients.measure(operation, options.seconds(), round);
    costs.computeIfAbsent(name, any -> new ArrayList<>()).add(measured.cost());
    return measured.sample();
  }

  private static String name(Operation operation, String way) {
    return operation.name().toLowerCase(Locale.ROOT) + " " + way;
  }

  private BenchResult result(Measurements measured) {
    double select = ratio(measured, Operation.SELECT, DRIVER);
    double update = ratio(measured, Operation.UPDATE, DRIVER);
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put("driver_over_direct", Math.min(select, update));
    ratios.put("driver_over_direct_select", select);
    ratios.put("driver_over_direct_update", update);
    ratios.put("server_over_direct_select", ratio(measured, Operation.SELECT, "server"));
    ratios.put("server_over_direct_update", ratio(measured, Operation.UPDATE, "server"));
    ratios.put("lookup_over_key", lookup(measured, DRIVER));
    ratios.put("lookup_over_key_server", lookup(measured, "server"));
    if (traced != null) {
      double tracedSelect = traced(measured, Operation.SELECT);
      double tracedUpdate = traced(measured, Operation.UPDATE);
      ratios.put("traced_over_untraced", Math.min(tracedSelect, tracedUpdate));
      ratios.put("traced_over_untraced_select", tracedSelect);
      ratios.put("traced_over_untraced_update", tracedUpdate);
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    Map<String, Cost> perStatement = new LinkedHashMap<>();
    costs.forEach((name, rounds) -> perStatement.put(name, Cost.median(rounds)));
    return new BenchResult(
        "router", parameters, measured.rows(), ratios, Map.of("per_statement", perStatement));
  }

  private static double lookup(Measurements measured, String way) {
    return measured.ratio(name(Operation.LOOKUP, way), name(Operation.SELECT, way));
  }

  private static double traced(Measurements measured, Operation operation) {
    return measured.ratio(name(operation, TRACED), name(operation, DRIVER));
  }

  private static double ratio(Measurements measured, Operation operation, String way) {
    return measured.ratio(name(operation, way), name(operation, "direct"));
  }

  private void createTable() throws SQLException {
    execute(
        driver,
        "DROP TABLE IF EXISTS " + TABLE,
        "CREATE TABLE " + TABLE + " (k integer PRIMARY KEY, v bigint NOT NULL, filler text)",
        "CALL create_distributed_table('" + TABLE + "', 'k')");
    String insert = "INSERT INTO " + TABLE + " (k, v, filler) VALUES (?, 0, ?)";
    try (Connection connection = driver.connectForLoading();
        PreparedStatement row = connection.prepareStatement(insert)) {
      connection.setAutoCommit(false);
      for (int key = 1; key <= options.rows(); key++) {
        row.setInt(1, key);
        row.setString(2, FILLER);
        row.addBatch();
        if (key % 1000 == 0 || key == options.rows()) {
          row.executeBatch();
          connection.commit();
        }
      }
    }
    execute(driver, "VACUUM ANALYZE " + TABLE);
  }

  /** The same rows, each with an alias that a lookup index knows. */
  private void createLookupTable() throws SQLException {
    execute(
        driver,
        "DROP TABLE IF EXISTS " + LOOKUP_TABLE,
        "CREATE TABLE "
            + LOOKUP_TABLE
            + " (k integer PRIMARY KEY, alias text, v bigint, filler text)",
        "CALL create_distributed_table('" + LOOKUP_TABLE + "', 'k')",
        "CALL create_lookup_index('" + LOOKUP_TABLE + "', 'alias')");
    try (Connection connection = driver.connectForLoading();
        Statement statement = connection.createStatement()) {
      for (int first = 1; first <= options.rows(); first += ROWS_PER_INSERT) {
        int last = Math.min(first + ROWS_PER_INSERT - 1, options.rows());
        statement.execute(
            IntStream.rangeClosed(first, last)
                .mapToObj(key -> "(%d, '%s', 0, '%s')".formatted(key, Operation.alias(key), FILLER))
                .collect(Collectors.joining(", ", "INSERT INTO " + LOOKUP_TABLE + " VALUES ", "")));
      }
    }
    execute(driver, "VACUUM ANALYZE " + LOOKUP_TABLE);
  }

  private int[] keysOfNode() throws SQLException {
    List<Integer> keys = new ArrayList<>();
    try (Connection connection = direct.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT k FROM " + TABLE)) {
      while (rows.next()) {
        keys.add(rows.getInt(1));
      }
    }
    if (keys.isEmpty() || keys.size() == options.rows()) {
      throw new SQLException(
          "the node has %d of %d rows: the table is not distributed over the cluster"
              .formatted(keys.size(), options.rows()),
          "55000");
    }
    return keys.stream().mapToInt(Integer::intValue).toArray();
  }

  private static void execute(Database database, String... statements) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
