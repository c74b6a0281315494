package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;

/** Busy sessions of the router server alone, and beside many that do nothing. */
public final class ConnectionsBench {
  private static final List<Operation> OPERATIONS = List.of(Operation.SELECT, Operation.UPDATE);
  private static final String CONNECTIONS =
      "SELECT count(*) FROM pg_stat_activity"
          + " WHERE datname = current_database() AND backend_type = 'client backend'"
          + " AND pid <> pg_backend_pid()";

  private final Database server;
  private final List<Database> nodes;
  private final String pid;
  private final ConnectionsOptions options;
  private final RouterTable table;
  private IdleSessions idle;

  /**
   * @param server the cluster through our server
   * @param nodes of the cluster, past the router
   * @param pid of the server's process; null to leave out its memory
   */
  public ConnectionsBench(
      Database server, List<Database> nodes, String pid, ConnectionsOptions options) {
    this.server = server;
    this.nodes = List.copyOf(nodes);
    this.pid = pid;
    this.options = options;
    table = new RouterTable(server, options.rows());
  }

  /**
   * Makes the table, measures, and drops it.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    table.create();
    try (IdleSessions sessions =
        new IdleSessions(server, options.idle(), table.keysOf(nodes.get(0)))) {
      idle = sessions;
      Clients clients = new Clients(server, options.busy(), table.keysOf(nodes.get(0)), () -> -1);
      WarmUp.run(Map.of("the server", warmUps(clients)), options.warmUp(), progress);
      Map<String, Double> taken = taken();
      progress.accept("an idle session takes " + taken);
      Measurements measured = new Interleaving(variants(clients), options.rounds()).run(progress);
      return result(measured, taken);
    } finally {
      table.drop();
    }
  }

  private List<WarmUp.Step> warmUps(Clients clients) {
    return OPERATIONS.stream()
        .<WarmUp.Step>map(operation -> time -> clients.measure(operation, time, -1))
        .toList();
  }

  /** What sessions take that do nothing: memory for each, connections to the nodes for all. */
  private Map<String, Double> taken() throws Exception {
    Map<String, Double> taken = new LinkedHashMap<>();
    ServerMemory before = pid == null ? null : ServerMemory.of(pid);
    int connections = nodeConnections();
    idle.open();
    taken.put("node_connections", (double) nodeConnections() - connections);
    if (before != null) {
      ServerMemory after = ServerMemory.of(pid);
      taken.put("heap_bytes", each(after.heapBytes() - before.heapBytes()));
      taken.put("resident_bytes", each(after.residentBytes() - before.residentBytes()));
    }
    return taken;
  }

  private double each(long bytes) {
    return (double) bytes / options.idle();
  }

  private int nodeConnections() throws SQLException {
    int sum = 0;
    for (Database node : nodes) {
      try (JdbcPool pool = node.pool(1);
          Connection connection = pool.connection();
          Statement statement = connection.createStatement();
          ResultSet count = statement.executeQuery(CONNECTIONS)) {
        count.next();
        sum += count.getInt(1);
      }
    }
    return sum;
  }

  private List<Variant> variants(Clients clients) {
    List<Variant> variants = new ArrayList<>();
    for (boolean beside : new boolean[] {true, false}) {
      for (Operation operation : OPERATIONS) {
        variants.add(
            new Variant(
                name(operation, beside),
                options.busy(),
                round -> measure(clients, operation, beside, round)));
      }
    }
    return variants;
  }

  private Sample measure(Clients clients, Operation operation, boolean beside, int round)
      throws Exception {
    if (beside) {
      idle.open();
    } else {
      idle.close();
    }
    return clients.measure(operation, options.time(), round).sample();
  }

  private String name(Operation operation, boolean beside) {
    return operation.name().toLowerCase(Locale.ROOT)
        + (beside ? " beside " + options.idle() + " idle" : " alone");
  }

  private BenchResult result(Measurements measured, Map<String, Double> taken) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Operation operation : OPERATIONS) {
      ratios.put(
          "beside_idle_over_alone_" + operation.name().toLowerCase(Locale.ROOT),
          measured.ratio(name(operation, true), name(operation, false)));
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("busy", options.busy());
    parameters.put("idle", options.idle());
    parameters.put("warm_up_s", options.warmUp().toSeconds());
    parameters.put("seconds", options.time().toSeconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    return new BenchResult(
        "connections", parameters, measured.rows(), ratios, Map.of("idle_session", taken));
  }
}
