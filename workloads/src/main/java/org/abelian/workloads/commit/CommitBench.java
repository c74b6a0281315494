package org.abelian.workloads.commit;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.catalog.Node;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.IoContext;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnector;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;
import org.abelian.workloads.measure.Worker;
import org.abelian.workloads.pair.CommitNotice;
import org.abelian.workloads.pair.Keys;

/** Two additions in one transaction over three nodes, committed in different ways. */
public final class CommitBench {
  private static final String TABLE = Body.TABLE;
  private static final Duration NEAR = Duration.ZERO;
  private static final long CHECK_NANOS = 10_000_000_000L;
  private static final Duration FAR = Duration.ofMillis(1);

  private final List<Database> nodes;
  private final Database router;
  private final CommitOptions options;

  /**
   * @param nodes of the cluster, past the router
   * @param router the cluster through our driver
   */
  public CommitBench(List<Database> nodes, Database router, CommitOptions options) {
    this.nodes = List.copyOf(nodes);
    this.router = router;
    this.options = options;
  }

  /**
   * Makes the table, measures, checks that every addition is there once, and drops the table.
   *
   * @param progress told a line about each measurement
   */
  public BenchResult run(Consumer<String> progress) throws Exception {
    createTable();
    Node seed = Addresses.node(1, nodes.get(0).url());
    Database first = nodes.get(0);
    try (Committer committer =
        new Committer(seed, Addresses.database(first.url()), first.user(), first.password())) {
      List<Node> places =
          committer.catalog().nodes().stream().sorted(Comparator.comparing(Node::id)).toList();
      Keys keys = Keys.of(router, TABLE, options.rows());
      Clients clients =
          new Clients(
              router,
              keys,
              (pool, way, number) -> open(pool, committer, places, way, number),
              options.clients());
      requireClasses(clients);
      List<Variant> variants = variants(clients);
      warmUp(variants, clients, progress);
      Measurements measured = new Interleaving(variants, options.rounds()).run(progress);
      requireAll(2 * clients.committed());
      return result(measured);
    } finally {
      router.execute(drops());
    }
  }

  private static String[] drops() {
    return new String[] {
      Body.PLAIN.procedure().drop(),
      Body.COUNTER.procedure().drop(),
      "DROP TABLE IF EXISTS " + TABLE
    };
  }

  /** A transaction of each way, which must take the class that the way is named after. */
  private void requireClasses(Clients clients) throws Exception {
    for (Way way : Way.values()) {
      if (way.form() == Way.Form.HANDMADE) {
        continue;
      }
      try (JdbcPool pool = router.pool(1)) {
        Connection connection = pool.connection();
        CommitNotice.ask(connection);
        RouterClient client = new RouterClient(connection, way);
        try (Worker worker = clients.worker(client, new Load(100, false, NEAR), way.ordinal())) {
          worker.once(System.nanoTime() + CHECK_NANOS);
          client.requireClass(way);
        }
      }
    }
  }

  private void warmUp(List<Variant> variants, Clients clients, Consumer<String> progress)
      throws Exception {
    Load load = new Load(100, false, NEAR);
    Map<String, List<WarmUp.Step>> ways = new LinkedHashMap<>();
    for (Way way : Way.values()) {
      if (variants.stream().anyMatch(variant -> variant.name().endsWith(" " + way))) {
        ways.put(way.toString(), List.of(time -> clients.measure(way, load, time, way.ordinal())));
      }
    }
    WarmUp.run(ways, options.warmUp(), progress);
  }

  private List<Variant> variants(Clients clients) {
    List<Variant> variants = new ArrayList<>();
    for (Duration delay : List.of(NEAR, FAR)) {
      for (boolean hot : new boolean[] {false, true}) {
        for (int percent : new int[] {0, 10, 50, 100}) {
          Load load = new Load(percent, hot, delay);
          for (Way way : Way.values()) {
            if (isWanted(load, way) && options.only().matcher(name(load, way)).find()) {
              variants.add(
                  new Variant(
                      name(load, way),
                      options.clients(),
                      round -> clients.measure(way, load, options.time(), round)));
            }
          }
        }
      }
    }
    return variants;
  }

  private boolean isWanted(Load load, Way way) {
    boolean main = way == Way.INDEPENDENT || way == Way.COMMUTING;
    if (load.distributedPercent() == 0) {
      // Without distributed transactions all ways on a column are one, called single.
      return main && (!options.brief() || isFarAndUniform(load));
    } else if (options.brief()) {
      boolean compared =
          way.form() != Way.Form.STATEMENTS && load.delay().equals(FAR) && load.isAllDistributed();
      return compared || main && isFarAndUniform(load) && load.distributedPercent() == 10;
    }
    boolean inShares = way.form() == Way.Form.CALL;
    return inShares || load.isAllDistributed();
  }

  private static boolean isFarAndUniform(Load load) {
    return load.delay().equals(FAR) && !load.hot();
  }

  private static String name(Load load, Way way) {
    if (load.distributedPercent() > 0) {
      return load + " " + way;
    }
    return load + (way.body() == Body.PLAIN ? " single" : " single counters");
  }

  private BenchResult result(Measurements measured) {
    Load uniform = new Load(100, false, FAR);
    Load hot = new Load(100, true, FAR);
    Map<String, Double> ratios = new LinkedHashMap<>();
    ratios.put(
        "independent_over_coordinated",
        measured.ratio(name(uniform, Way.INDEPENDENT), name(uniform, Way.COORDINATED)));
    ratios.put(
        "commuting_over_coordinated",
        measured.ratio(name(uniform, Way.COMMUTING), name(uniform, Way.COORDINATED_COUNTERS)));
    ratios.put(
        "independent_over_handmade",
        measured.ratio(name(uniform, Way.INDEPENDENT), name(uniform, Way.HANDMADE)));
    ratios.put(
        "commuting_over_handmade",
        measured.ratio(name(uniform, Way.COMMUTING), name(uniform, Way.HANDMADE)));
    // The better form of two-phase commit counts: a call sends both additions at once.
    ratios.put("hot_independent_over_coordinated", overBest(measured, hot, Way.INDEPENDENT));
    ratios.put("hot_commuting_over_coordinated", overBest(measured, hot, Way.COMMUTING));
    ratios.put(
        "ten_percent_over_local",
        Math.max(ten(measured, Way.INDEPENDENT), ten(measured, Way.COMMUTING)));
    Map<String, Object> parameters = new LinkedHashMap<>();
    ratios.values().removeIf(ratio -> ratio.isNaN()); // something was not measured
    parameters.put("clients", options.clients());
    parameters.put("seconds", options.time().toSeconds());
    parameters.put("rounds", options.rounds());
    parameters.put("rows", options.rows());
    return new BenchResult("commit", parameters, measured.rows(), ratios, Map.of());
  }

  private static double overBest(Measurements measured, Load load, Way way) {
    return Math.min(
        measured.ratio(name(load, way), name(load, Way.COORDINATED)),
        measured.ratio(name(load, way), name(load, Way.HANDMADE)));
  }

  private static double ten(Measurements measured, Way way) {
    return measured.ratio(name(new Load(10, false, FAR), way), name(new Load(0, false, FAR), way));
  }

  private Client open(JdbcPool pool, Committer committer, List<Node> places, Way way, int number)
      throws SQLException, IOException {
    if (way.form() != Way.Form.HANDMADE) {
      return new RouterClient(pool.connection(), way);
    }
    List<NodeSession> sessions = new ArrayList<>();
    NodeIdentity identity =
        new NodeIdentity(
            Map.of("user", router.user(), "database", Addresses.database(nodes.get(0).url())),
            new ScramSecret.Password(router.password()));
    IoContext io = IoContext.of(MemoryBudget.unlimited(), committer.tls);
    for (Node place : places) {
      sessions.add(
          new NodeSession(
              place.id(),
              NodeConnector.open(new NodeAddress(place.host(), place.port()), identity, io)));
    }
    return new NodeClient(committer, way.body(), sessions, number);
  }

  private void createTable() throws SQLException {
    router.execute(drops());
    router.execute(
        "CREATE TABLE "
            + TABLE
            + " (k integer PRIMARY KEY, n abelian.counter NOT NULL, plain bigint NOT NULL)",
        "CALL create_distributed_table('" + TABLE + "', 'k')");
    for (Body body : Body.values()) {
      router.execute(body.procedure().create(), body.procedure().declare());
    }
    router.load(
        "INSERT INTO " + TABLE + " VALUES (?, 0, 0)",
        options.rows(),
        (insert, key) -> insert.setInt(1, key));
    router.execute("VACUUM ANALYZE " + TABLE);
  }

  /** A way that loses or repeats work is no way. */
  private void requireAll(long additions) throws SQLException {
    String sum = "SELECT sum(n)::bigint + sum(plain)::bigint FROM " + TABLE;
    try (JdbcPool pool = router.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sum)) {
      row.next();
      if (row.getLong(1) != additions) {
        throw new SQLException(
            "%d additions were committed, but the rows have %d"
                .formatted(additions, row.getLong(1)),
            "XX001");
      }
    }
  }
}
