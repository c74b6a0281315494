package org.abelian.workloads.router;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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

  private final Database server;
  private final List<Database> nodes;
  private final Database plain;
  private final String pid;
  private final ConnectionsOptions options;
  private final RouterTable table;
  private IdleSessions idle;

  /**
   * @param server the cluster through our server
   * @param nodes of the cluster, past the router
   * @param plain one PostgreSQL beside the cluster, for as many idle sessions; null to leave it out
   * @param pid of the server's process; null to leave out its memory
   */
  public ConnectionsBench(
      Database server,
      List<Database> nodes,
      Database plain,
      String pid,
      ConnectionsOptions options) {
    this.server = server;
    this.plain = plain;
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
      IdleCost cost = new IdleCost(nodes, pid, options.idle());
      cost.openThroughServer(idle);
      if (plain != null) {
        openOnPlain(cost);
      }
      progress.accept("an idle session takes " + cost.taken());
      Measurements measured = new Interleaving(variants(clients), options.rounds()).run(progress);
      return result(measured, cost);
    } finally {
      table.drop();
    }
  }

  private List<WarmUp.Step> warmUps(Clients clients) {
    return OPERATIONS.stream()
        .<WarmUp.Step>map(operation -> time -> clients.measure(operation, time, -1))
        .toList();
  }

  /** As many sessions of one PostgreSQL, over a table like that of the cluster. */
  private void openOnPlain(IdleCost cost) throws SQLException {
    RouterTable like = RouterTable.undistributed(plain, options.rows());
    like.create();
    try (IdleSessions sessions =
        new IdleSessions(
            plain, options.idle(), IntStream.rangeClosed(1, options.rows()).toArray())) {
      cost.openOn(plain, sessions);
    } finally {
      like.drop();
    }
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

  private BenchResult result(Measurements measured, IdleCost cost) {
    Map<String, Double> ratios = new LinkedHashMap<>();
    for (Operation operation : OPERATIONS) {
      ratios.put(
          "beside_idle_over_alone_" + operation.name().toLowerCase(Locale.ROOT),
          measured.ratio(name(operation, true), name(operation, false)));
    }
    if (cost.plainOverRouter() != null) {
      ratios.put("idle_bytes_plain_over_router", cost.plainOverRouter());
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("busy", options.busy());
    parameters.put("idle", options.idle());
    parameters.put("warm_up_s", options.warmUp().toSeconds());
    parameters.put("seconds", options.time().toSeconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    return new BenchResult(
        "connections", parameters, measured.rows(), ratios, Map.of("idle_session", cost.taken()));
  }
}
