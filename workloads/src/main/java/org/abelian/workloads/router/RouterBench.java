package org.abelian.workloads.router;

import java.sql.Connection;
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
import java.util.stream.Stream;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;

/**
 * Single-partition SELECT and UPDATE, and SELECT by a lookup index; beside the ways to the cluster
 * a {@link Relay} to one node, below which no proxy can get. All ways use keys of one node, so that
 * the same node does the same work for each.
 */
public final class RouterBench {
  private static final String LOOKUP_TABLE = "bench_router_lookup";

  /** So many rows one INSERT of the loading has. */
  private static final int ROWS_PER_INSERT = 500;

  private static final String DIRECT = "direct";
  private static final String SERVER = "server";
  private static final String DRIVER = "driver";
  private static final String RELAY = "relay";
  private static final String TRACED = "traced driver";

  private final Database direct;
  private final Database driver;
  private final Database server;
  private final Database traced;
  private Database relayed;
  private final RouterOptions options;
  private final LongSupplier serverNanos;
  private final RouterTable table;
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
    table = new RouterTable(driver, options.rows());
  }

  /**
   * Makes the table through the driver, measures, and drops it.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    table.create();
    createLookupTable();
    try (Relay relay = Relay.start(direct)) {
      relayed = relay.database();
      int[] keys = table.keysOf(direct);
      WarmUp.run(warmUps(keys), options.warmUp(), progress);
      return result(new Interleaving(variants(keys), options.rounds()).run(progress));
    } finally {
      table.drop();
      driver.execute("DROP TABLE IF EXISTS " + LOOKUP_TABLE);
    }
  }

  private Map<String, Database> ways() {
    Map<String, Database> ways = new LinkedHashMap<>();
    ways.put(DIRECT, direct);
    ways.put(DRIVER, driver);
    ways.put(SERVER, server);
    ways.put(RELAY, relayed);
    if (traced != null) {
      ways.put(TRACED, traced);
    }
    return ways;
  }

  /** A node by itself does not know where a row is. */
  private static boolean can(String way, Operation operation) {
    return operation != Operation.LOOKUP || way.equals(DRIVER) || way.equals(SERVER);
  }

  private Map<String, List<WarmUp.Step>> warmUps(int[] keys) {
    Map<String, List<WarmUp.Step>> steps = new LinkedHashMap<>();
    ways()
        .forEach(
            (way, database) -> {
              Clients clients = new Clients(database, options.clients(), keys, () -> -1);
              steps.put(
                  way,
                  Stream.of(Operation.values())
                      .filter(operation -> can(way, operation))
                      .<WarmUp.Step>map(operation -> time -> clients.measure(operation, time, -1))
                      .toList());
            });
    return steps;
  }

  private List<Variant> variants(int[] keys) {
    List<Variant> variants = new ArrayList<>();
    for (boolean many : options.many() > 0 ? new boolean[] {false, true} : new boolean[] {false}) {
      int count = many ? options.many() : options.clients();
      for (Operation operation : Operation.values()) {
        ways()
            .forEach(
                (way, database) -> {
                  if (can(way, operation) && !(many && way.equals(TRACED))) {
                    LongSupplier nanos = database == server ? serverNanos : () -> -1;
                    Clients clients = new Clients(database, count, keys, nanos);
                    String name = name(operation, way, many);
                    variants.add(
                        new Variant(
                            name, count, round -> measure(clients, operation, name, round)));
                  }
                });
      }
    }
    return variants;
  }

  private Sample measure(Clients clients, Operation operation, String name, int round)
      throws Exception {
    Clients.Measured measured = clients.measure(operation, options.time(), round);
    costs.computeIfAbsent(name, any -> new ArrayList<>()).add(measured.cost());
    return measured.sample();
  }

  private String name(Operation operation, String way, boolean many) {
    return operation.name().toLowerCase(Locale.ROOT)
        + " "
        + way
        + (many ? " " + options.many() : "");
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    addRatios(ratios, measured, false);
    if (options.many() > 0) {
      addRatios(ratios, measured, true);
    }
    if (traced != null) {
      double select = over(measured, Operation.SELECT, TRACED, DRIVER, false);
      double update = over(measured, Operation.UPDATE, TRACED, DRIVER, false);
      ratios.put("traced_over_untraced", Math.min(select, update));
      ratios.put("traced_over_untraced_select", select);
      ratios.put("traced_over_untraced_update", update);
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("many", options.many());
    parameters.put("warm_up_s", options.warmUp().toSeconds());
    parameters.put("seconds", options.time().toSeconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    Map<String, Cost> perStatement = new LinkedHashMap<>();
    costs.forEach((name, rounds) -> perStatement.put(name, Cost.median(rounds)));
    return new BenchResult(
        "router", parameters, measured.rows(), ratios, Map.of("per_statement", perStatement));
  }

  private void addRatios(Map<String, Double> ratios, Measurements measured, boolean many) {
    String suffix = many ? "_" + options.many() : "";
    double select = over(measured, Operation.SELECT, DRIVER, DIRECT, many);
    double update = over(measured, Operation.UPDATE, DRIVER, DIRECT, many);
    ratios.put("driver_over_direct" + suffix, Math.min(select, update));
    ratios.put("driver_over_direct_select" + suffix, select);
    ratios.put("driver_over_direct_update" + suffix, update);
    ratios.put(
        "server_over_direct_select" + suffix,
        over(measured, Operation.SELECT, SERVER, DIRECT, many));
    ratios.put(
        "server_over_direct_update" + suffix,
        over(measured, Operation.UPDATE, SERVER, DIRECT, many));
    ratios.put(
        "relay_over_direct_select" + suffix, over(measured, Operation.SELECT, RELAY, DIRECT, many));
    ratios.put(
        "relay_over_direct_update" + suffix, over(measured, Operation.UPDATE, RELAY, DIRECT, many));
    ratios.put("lookup_over_key" + suffix, lookup(measured, DRIVER, many));
    ratios.put("lookup_over_key_server" + suffix, lookup(measured, SERVER, many));
  }

  private double lookup(Measurements measured, String way, boolean many) {
    return measured.ratio(name(Operation.LOOKUP, way, many), name(Operation.SELECT, way, many));
  }

  private double over(
      Measurements measured, Operation operation, String way, String base, boolean many) {
    return measured.ratio(name(operation, way, many), name(operation, base, many));
  }

  /** The same rows, each with an alias that a lookup index knows. */
  private void createLookupTable() throws SQLException {
    driver.execute(
        "DROP TABLE IF EXISTS " + LOOKUP_TABLE,
        "CREATE TABLE "
            + LOOKUP_TABLE
            + " (k integer PRIMARY KEY, alias text, v bigint, filler text)",
        "CALL create_distributed_table('" + LOOKUP_TABLE + "', 'k')",
        "CALL create_lookup_index('" + LOOKUP_TABLE + "', 'alias')");
    try (JdbcPool pool = driver.poolForLoading(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement()) {
      for (int first = 1; first <= options.rows(); first += ROWS_PER_INSERT) {
        int last = Math.min(first + ROWS_PER_INSERT - 1, options.rows());
        statement.execute(
            IntStream.rangeClosed(first, last)
                .mapToObj(
                    key ->
                        "(%d, '%s', 0, '%s')"
                            .formatted(key, Operation.alias(key), RouterTable.FILLER))
                .collect(Collectors.joining(", ", "INSERT INTO " + LOOKUP_TABLE + " VALUES ", "")));
      }
    }
    driver.execute("VACUUM ANALYZE " + LOOKUP_TABLE);
  }
}
