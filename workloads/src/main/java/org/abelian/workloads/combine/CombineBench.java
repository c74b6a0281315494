package org.abelian.workloads.combine;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Sessions that add 1 to one counter, each by an autocommit UPDATE through the router server: many,
 * a few, and one. After the measurement the counter must equal the additions that were
 * acknowledged: a benchmark that loses or doubles some fails.
 */
public final class CombineBench {
  private static final String TABLE = "bench_combine";
  private static final String SCRIPT =
      "UPDATE " + TABLE + " SET n = n + 1 WHERE id = 1;" + System.lineSeparator();

  private final Database server;
  private final List<Database> nodes;
  private final Pgbench pgbench;
  private final CombineOptions options;
  private long added;
  private long combinedOperations;
  private long combinedTransactions;

  /**
   * @param server the cluster through the router server
   * @param nodes the cluster's nodes, past the router
   * @param bindir folder of pgbench
   */
  public CombineBench(Database server, List<Database> nodes, Path bindir, CombineOptions options) {
    this.server = server;
    this.nodes = List.copyOf(nodes);
    this.pgbench = new Pgbench(bindir, Server.of(server));
    this.options = options;
  }

  /**
   * Makes the table, measures, compares the counter, and drops the table.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    server.execute(
        "DROP TABLE IF EXISTS " + TABLE,
        "CREATE TABLE " + TABLE + " (id integer PRIMARY KEY, n abelian.counter NOT NULL)",
        "SELECT create_distributed_table('" + TABLE + "', 'id')",
        "INSERT INTO " + TABLE + " VALUES (1, 0)");
    try {
      Database home = home();
      Measurements measured = new Interleaving(variants(home), options.rounds()).run(progress);
      checkSum();
      return result(measured);
    } finally {
      server.execute("DROP TABLE IF EXISTS " + TABLE);
    }
  }

  private Set<Integer> sizes() {
    return new LinkedHashSet<>(List.of(1, options.few(), options.clients()));
  }

  private List<Variant> variants(Database home) {
    List<Variant> variants = new ArrayList<>();
    for (int clients : sizes()) {
      for (boolean combined : new boolean[] {false, true}) {
        variants.add(
            new Variant(
                name(clients, combined),
                clients,
                round -> measure(home, clients, combined).sample()));
      }
    }
    return variants;
  }

  private static String name(int clients, boolean combined) {
    return (combined ? "combined" : "plain")
        + (clients == 1 ? ", 1 session" : ", " + clients + " sessions");
  }

  private PgbenchRun measure(Database home, int clients, boolean combined) throws Exception {
    long before = transactions(home);
    PgbenchRun run =
        pgbench.run(
            SCRIPT,
            clients,
            options.seconds(),
            "-c abelian.combine=" + (combined ? "on" : "off"),
            1);
    added += run.committed();
    if (combined && clients == options.clients()) {
      combinedOperations += run.committed();
      combinedTransactions += transactions(home) - before;
    }
    return run;
  }

  /** Grows by one with each transaction that writes on the node. */
  private static long transactions(Database node) throws SQLException {
    return number(node, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  }

  private Database home() throws SQLException {
    for (Database node : nodes) {
      if (number(node, "SELECT count(*) FROM " + TABLE) == 1) {
        return node;
      }
    }
    throw new SQLException("no node has the row: the table is not of this cluster", "55000");
  }

  private BenchResult result(Measurements measured) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put("combined_over_plain", ratio(measured, options.clients()));
    ratios.put("few_sessions_combined_over_plain", ratio(measured, options.few()));
    ratios.put("single_session_combined_over_plain", ratio(measured, 1));
    ratios.put("statements_per_operation", (double) combinedTransactions / combinedOperations);
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("clients", options.clients());
    parameters.put("few", options.few());
    parameters.put("seconds", options.seconds());
    parameters.put("rounds", options.rounds());
    return new BenchResult("combine", parameters, measured.rows(), ratios, Map.of());
  }

  private static double ratio(Measurements measured, int clients) {
    return measured.ratio(name(clients, true), name(clients, false));
  }

  private void checkSum() throws SQLException {
    long sum = number(server, "SELECT n::bigint FROM " + TABLE);
    if (sum != added) {
      throw new IllegalStateException(
          "the counter is %d, but %d additions were acknowledged".formatted(sum, added));
    }
  }

  private static long number(Database database, String query) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
