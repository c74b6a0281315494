package org.abelian.workloads.micro;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.pgbench.Pgbench;
import org.abelian.workloads.pgbench.PgbenchRun;
import org.abelian.workloads.pgbench.Server;

/**
 * Runs every variety at every point, interleaved.
 *
 * <p>Transactions that fail with 40001 or 40P01 are tried again with the same objects; their
 * latency includes that.
 */
public final class MicroBench {
  private static final int HALF = 50;
  private static final int MOST_TRIES = 1000;

  private final Database database;
  private final Pgbench pgbench;
  private final MicroOptions options;
  private final Map<String, Long> retries = new LinkedHashMap<>();

  /**
   * @param bindir folder of pgbench
   */
  public MicroBench(Database database, Path bindir, MicroOptions options) {
    if (options.skews().isEmpty()) {
      throw new IllegalArgumentException("the benchmark needs a skew");
    }
    this.database = database;
    this.pgbench = new Pgbench(bindir, Server.of(database));
    this.options = options;
  }

  /**
   * Makes the tables, measures, and drops the tables.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    createTables();
    try {
      return result(new Interleaving(variants(), options.rounds()).run(progress));
    } finally {
      dropTables();
    }
  }

  /** The experiments meet at half operations, half reads and the greatest skew. */
  private Set<Point> points(Objects objects) {
    Set<Point> points = new LinkedHashSet<>();
    if (objects.variesMix()) {
      options.mixes().forEach(adds -> points.add(new Point(adds, greatestSkew())));
    }
    options.skews().forEach(zipf -> points.add(new Point(HALF, zipf)));
    return points;
  }

  private double greatestSkew() {
    return Collections.max(options.skews());
  }

  private List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Objects objects : options.objects()) {
      for (Point point : points(objects)) {
        for (Variety variety : Variety.values()) {
          variants.add(variant(objects, variety, point));
        }
      }
    }
    return variants;
  }

  private Variant variant(Objects objects, Variety variety, Point point) {
    String name = name(objects, variety, point);
    String script =
        TransactionScript.of(objects, variety, point, options.size(), options.roundTrip());
    return new Variant(
        name,
        options.clients(),
        round -> {
          PgbenchRun run =
              pgbench.run(
                  script, options.clients(), options.seconds(), variety.settings(), MOST_TRIES);
          retries.merge(name, run.retries(), Long::sum);
          return run.sample();
        });
  }

  /** The name of a row of the result. */
  public static String name(Objects objects, Variety variety, Point point) {
    return objects.label() + ": " + variety.label() + ", " + point.label();
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Objects objects : options.objects()) {
      String prefix = objects == options.objects().get(0) ? "" : objects.label() + "_";
      ratios.put(prefix + "phaser_over_row_locks", ratio(measured, objects, Variety.ROW_LOCKS));
      ratios.put(prefix + "phaser_over_retrying", ratio(measured, objects, Variety.RETRYING));
      ratios.put(prefix + "phaser_over_locks", ratio(measured, objects, Variety.LOCKS));
      ratios.put(prefix + "phaser_over_none", ratio(measured, objects, Variety.NONE));
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("objects", options.objects().stream().map(Objects::name).toList());
    parameters.put("size", options.size());
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("mixes", options.mixes());
    parameters.put("skews", options.skews());
    parameters.put("synchronous_commit", "on");
    parameters.put("round_trip_us", options.roundTrip());
    parameters.put("isolation", "read committed but where the variant says serializable");
    return new BenchResult(
        "micro", parameters, measured.rows(), ratios, Map.of("retries", retries));
  }

  /** Of the phaser to another variety, at half operations, half reads and the greatest skew. */
  private double ratio(Measurements measured, Objects objects, Variety other) {
    Point hot = new Point(HALF, greatestSkew());
    return measured.ratio(name(objects, Variety.PHASER, hot), name(objects, other, hot));
  }

  private void createTables() throws SQLException {
    dropTables();
    for (Objects objects : options.objects()) {
      for (Variety variety : List.of(Variety.ROW_LOCKS, Variety.LOCKS)) {
        String table = objects.table(variety);
        execute(
            "CREATE TABLE %s (id integer PRIMARY KEY, v %s)"
                .formatted(table, objects.form(variety).column()),
            "INSERT INTO %s (id) SELECT generate_series(1, %d)".formatted(table, options.size()),
            "VACUUM ANALYZE " + table);
      }
    }
  }

  private void dropTables() throws SQLException {
    for (Objects objects : options.objects()) {
      for (Variety variety : List.of(Variety.ROW_LOCKS, Variety.LOCKS)) {
        String table = objects.table(variety);
        execute("DROP TABLE IF EXISTS " + table);
      }
    }
  }

  private void execute(String... statements) throws SQLException {
    database.execute(statements);
  }
}
