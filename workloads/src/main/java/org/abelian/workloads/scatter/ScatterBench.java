package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;

/**
 * Reads that need all nodes, against the same on one PostgreSQL; and sums beside transfers between
 * nodes, against each alone. A sum that is not that of all transfers is an error.
 */
public final class ScatterBench {
  private static final String TABLE = "bench_scatter";
  private static final List<Work> READS = List.of(Work.LOOKUP, Work.RANGE, Work.SUM);
  private static final String READERS_ALONE = "readers alone";
  private static final String READERS_BESIDE = "readers beside writers";
  private static final String WRITERS_ALONE = "writers alone";
  private static final String WRITERS_BESIDE = "writers beside readers";

  private final Database plain;
  private final Database cluster;
  private final ScatterOptions options;
  private final Map<String, Long> failures = new TreeMap<>();

  /**
   * @param plain one PostgreSQL
   * @param cluster through our driver
   */
  public ScatterBench(Database plain, Database cluster, ScatterOptions options) {
    this.plain = plain;
    this.cluster = cluster;
    this.options = options;
  }

  /**
   * Makes the tables, measures, and drops them.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    create(plain, false);
    create(cluster, true);
    try {
      return result(new Interleaving(variants(), options.rounds()).run(progress));
    } finally {
      execute(plain, "DROP TABLE IF EXISTS " + TABLE);
      execute(cluster, "DROP TABLE IF EXISTS " + TABLE);
    }
  }

  private List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Work read : READS) {
      for (int clients : new int[] {1, options.clients()}) {
        for (boolean block : new boolean[] {false, true}) {
          variants.add(alone(name("plain", read, clients, block), plain, read, clients, block));
          variants.add(alone(name("cluster", read, clients, block), cluster, read, clients, block));
        }
      }
    }
    Crew readers = new Crew(cluster, Work.SUM, 2, false, options.rows());
    Crew writers = new Crew(cluster, Work.TRANSFER, options.writers(), true, options.rows());
    variants.add(beside(READERS_ALONE, readers, null));
    variants.add(beside(READERS_BESIDE, readers, writers));
    variants.add(beside(WRITERS_ALONE, writers, null));
    variants.add(beside(WRITERS_BESIDE, writers, readers));
    return variants;
  }

  private Variant alone(String name, Database database, Work read, int clients, boolean block) {
    return beside(name, new Crew(database, read, clients, block, options.rows()), null);
  }

  private Variant beside(String name, Crew crew, Crew others) {
    return new Variant(
        name,
        crew.clients(),
        round -> crew.measure(others, options.seconds(), round + 1L, failures));
  }

  private static String name(String where, Work read, int clients, boolean block) {
    return "%s %s, %d%s".formatted(where, read.title(), clients, block ? ", block" : "");
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Work read : READS) {
      for (boolean block : new boolean[] {false, true}) {
        String suffix = "_" + read.title() + (block ? "_block" : "");
        ratios.put(
            "scatter_over_plain" + suffix,
            measured.ratio(
                name("cluster", read, options.clients(), block),
                name("plain", read, options.clients(), block)));
        ratios.put(
            "latency_over_plain" + suffix,
            measured.ratio(name("plain", read, 1, block), name("cluster", read, 1, block)));
      }
    }
    ratios.put("reads_beside_writers_over_alone", measured.ratio(READERS_BESIDE, READERS_ALONE));
    ratios.put("writers_beside_readers_over_alone", measured.ratio(WRITERS_BESIDE, WRITERS_ALONE));
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("writers", options.writers());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    return new BenchResult(
        "scatter", parameters, measured.rows(), ratios, Map.of("failures_by_sqlstate", failures));
  }

  private void create(Database database, boolean distributed) throws SQLException {
    execute(
        database,
        "DROP TABLE IF EXISTS " + TABLE,
        "CREATE TABLE "
            + TABLE
            + " (id integer PRIMARY KEY, name text NOT NULL, balance bigint NOT NULL)",
        "CREATE INDEX ON " + TABLE + " (name)");
    if (distributed) {
      execute(database, "CALL create_distributed_table('" + TABLE + "', 'id')");
    }
    try (Connection connection = database.connectForLoading();
        PreparedStatement row =
            connection.prepareStatement(
                "INSERT INTO " + TABLE + " (id, name, balance) VALUES (?, ?, 0)")) {
      connection.setAutoCommit(false);
      for (int id = 1; id <= options.rows(); id++) {
        row.setInt(1, id);
        row.setString(2, "n" + id);
        row.addBatch();
      }
      row.executeBatch();
      connection.commit();
    }
    execute(database, "VACUUM ANALYZE " + TABLE);
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
