package org.abelian.workloads.types;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
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
 * Many clients on one object, by each way of each idiom in turns. Afterwards the tables must hold
 * what the commits that pgbench was told of have made of them.
 */
public final class TypesBench {
  private static final String SCHEMA = "types_bench";

  /** A plain way may deadlock or fail where the type does not; then pgbench tries again. */
  private static final int TRIES = 10;

  private final Database database;
  private final Pgbench pgbench;
  private final TypesOptions options;
  private final List<Idiom> idioms;
  private final Map<String, Long> committed = new HashMap<>();

  /**
   * @param bindir folder of pgbench
   */
  public TypesBench(Database database, Path bindir, TypesOptions options) {
    this.database = database;
    this.pgbench = new Pgbench(bindir, Server.of(database));
    this.options = options;
    this.idioms = Idioms.of(options);
  }

  /**
   * Makes the tables, measures, checks, and drops the tables.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    database.execute("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE", "CREATE SCHEMA " + SCHEMA);
    try {
      for (Way way : ways()) {
        database.within(SCHEMA).execute(way.setUp().toArray(String[]::new));
      }
      List<Variant> variants = ways().stream().map(this::variant).toList();
      Measurements measured = new Interleaving(variants, options.rounds()).run(progress);
      for (Way way : ways()) {
        check(way);
      }
      return result(measured);
    } finally {
      database.execute("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
    }
  }

  private List<Way> ways() {
    return idioms.stream().flatMap(idiom -> idiom.ways().stream()).toList();
  }

  private Variant variant(Way way) {
    return new Variant(
        way.name(),
        options.clients(),
        round -> {
          if (!way.hasOthers()) {
            PgbenchRun run = run(way.script(), options.clients());
            committed.merge(way.name(), run.committed(), Long::sum);
            return run.sample();
          }
          int half = Math.max(1, options.clients() / 2);
          FutureTask<PgbenchRun> others = new FutureTask<>(() -> run(way.beside(), half));
          new Thread(others, "others").start();
          PgbenchRun run = run(way.script(), half);
          committed.merge(way.name(), others.get().committed(), Long::sum);
          return run.sample();
        });
  }

  private PgbenchRun run(String script, int clients) throws IOException, InterruptedException {
    String settings = "-c search_path=" + SCHEMA;
    return pgbench.run(script, clients, options.seconds(), settings, TRIES);
  }

  private void check(Way way) throws SQLException {
    long commits = committed.getOrDefault(way.name(), 0L);
    try (JdbcPool pool = database.within(SCHEMA).pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(way.check().formatted(commits))) {
      if (!row.next() || !row.getBoolean(1)) {
        throw new IllegalStateException(
            "%s does not hold what %d commits have made of it".formatted(way.name(), commits));
      }
    }
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Idiom idiom : idioms) {
      for (Idiom.Ratio ratio : idiom.ratios()) {
        ratios.put(ratio.name(), measured.ratio(ratio.over(), ratio.under()));
      }
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    parameters.put("synchronous_commit", "on");
    parameters.put("isolation", "read committed");
    return new BenchResult("types", parameters, measured.rows(), ratios, Map.of());
  }
}
