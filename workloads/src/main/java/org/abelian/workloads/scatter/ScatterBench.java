package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;
import org.abelian.workloads.pair.Keys;
import org.abelian.workloads.pair.PairProcedure;

/**
 * Reads that need all nodes, against the same on one PostgreSQL and against a client that asks each
 * node itself; and sums beside transfers between nodes, against each alone. A sum that is not that
 * of all transfers is an error.
 */
public final class ScatterBench {
  static final String READERS_KEEP = "reads_beside_writers_over_alone";
  static final String WRITERS_KEEP = "writers_beside_readers_over_alone";

  private static final String READ = "bench_scatter";
  private static final String WRITTEN = "bench_transfer";

  private final ScatterTable plain;
  private final ScatterTable read;
  private final ScatterTable written;
  private final List<Database> nodes;
  private final ScatterOptions options;

  /**
   * @param plain one PostgreSQL
   * @param cluster through our driver
   * @param nodes of the cluster, past the router; none to leave out who asks them itself
   */
  public ScatterBench(
      Database plain, Database cluster, List<Database> nodes, ScatterOptions options) {
    this.plain = new ScatterTable(plain, READ, options.rows());
    this.read = new ScatterTable(cluster, READ, options.rows());
    this.written = new ScatterTable(cluster, WRITTEN, options.rows());
    this.nodes = List.copyOf(nodes);
    this.options = options;
  }

  /**
   * Makes the tables, measures, and drops them.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    try {
      create();
      return measure(progress);
    } finally {
      drop();
    }
  }

  private BenchResult measure(Consumer<String> progress) throws Exception {
    Keys keys = Keys.of(written.database(), WRITTEN, options.rows());
    Crews crews = new Crews(written, keys, options.writers());
    Reads reads = new Reads(crews, options, plain, read, nodes);
    List<Transfers> ways = new ArrayList<>(List.of(Transfers.values()));
    ways.remove(Transfers.INDEPENDENT_CALL);
    Beside beside = new Beside(crews, options, ways, nodes, "");
    // What lanes have once ordered, reads are compared with for ever: these come last.
    Beside independent =
        new Beside(
            crews,
            options,
            List.of(Transfers.INDEPENDENT_CALL),
            nodes,
            ", after independent calls");
    beside.requireClasses();
    WarmUp.run(reads.warmUps(), options.warmUp(), progress);
    WarmUp.run(beside.warmUps(), options.warmUp(), progress);
    List<Variant> variants = new ArrayList<>(reads.variants());
    variants.addAll(beside.variants());
    Measurements measured =
        beside.withReaders(new Interleaving(variants, options.rounds()).run(progress));
    independent.requireClasses();
    WarmUp.run(independent.warmUps(), options.warmUp(), progress);
    measured = measured.and(independent.measure(progress));
    requireTotals();
    return result(measured, reads, List.of(beside, independent), crews);
  }

  private BenchResult result(
      Measurements measured, Reads reads, List<Beside> besides, Crews crews) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    reads.addRatios(ratios, measured);
    Map<String, Double> kept = new LinkedHashMap<>();
    besides.forEach(beside -> beside.addRatios(kept, measured));
    for (String name : List.of(READERS_KEEP, WRITERS_KEEP)) {
      ratios.put(
          name,
          kept.entrySet().stream()
              .filter(ratio -> ratio.getKey().startsWith(name))
              .mapToDouble(Map.Entry::getValue)
              .min()
              .orElseThrow());
    }
    ratios.putAll(kept);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("many", options.many());
    parameters.put("writers", options.writers());
    parameters.put("warm_up_s", options.warmUp().toSeconds());
    parameters.put("seconds", options.time().toSeconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    return new BenchResult(
        "scatter",
        parameters,
        measured.rows(),
        ratios,
        Map.of("failures_by_sqlstate", crews.failures()));
  }

  /** What was transferred is neither lost nor there twice. */
  private void requireTotals() throws SQLException {
    try (JdbcPool pool = written.database().pool(1);
        Connection connection = pool.connection();
        PreparedStatement sum = Read.SUM.prepare(connection, WRITTEN)) {
      Read.SUM.execute(List.of(sum), null, options.rows());
    }
  }

  private void create() throws SQLException {
    plain.create(false);
    dropProcedures();
    read.create(true);
    written.create(true);
    for (PairProcedure procedure : procedures()) {
      written.database().execute(procedure.create(), procedure.declare());
    }
  }

  private static List<PairProcedure> procedures() {
    return Stream.of(Transfers.values())
        .filter(Transfers::isCall)
        .map(way -> way.procedure(WRITTEN))
        .toList();
  }

  private void dropProcedures() throws SQLException {
    written
        .database()
        .execute(procedures().stream().map(PairProcedure::drop).toArray(String[]::new));
  }

  private void drop() throws SQLException {
    plain.drop();
    dropProcedures();
    read.drop();
    written.drop();
  }
}
