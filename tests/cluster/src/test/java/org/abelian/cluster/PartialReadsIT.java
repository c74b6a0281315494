package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A read of two nodes of three sees transactions that also have the third in their order: where it
 * sees the second of two that follow each other on the third node, it sees the first.
 */
@WithCluster
class PartialReadsIT {
  private static final int CHAINS = 3;
  private static final int READERS = 4;
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 3);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalCluster cluster;
  private final RouterServer router;

  PartialReadsIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  /** What a step is: a block, a call of an independent procedure, or either. */
  private enum Steps {
    BLOCKS,
    CALLS,
    BOTH
  }

  /** Three rows, one on each node. */
  private record Chain(long first, long second, long between) {}

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @CsvSource({
    "driver, int, BLOCKS",
    "server, int, BLOCKS",
    "driver, abelian.counter, BLOCKS",
    "server, abelian.counter, BLOCKS",
    "driver, int, CALLS",
    "server, int, BOTH"
  })
  void aReadThatSeesTheSecondOfTwoSeesTheFirst(String face, String type, Steps way)
      throws Exception {
    List<Chain> chains = create(face, type);
    AtomicBoolean stopping = new AtomicBoolean();
    AtomicInteger steps = new AtomicInteger();
    AtomicInteger reads = new AtomicInteger();
    AtomicReference<String> wrong = new AtomicReference<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < CHAINS; i++) {
      Chain chain = chains.get(i);
      boolean calls = way == Steps.CALLS || way == Steps.BOTH && i % 2 == 0;
      all.add(beside(face, stopping, statement -> goOn(statement, chain, calls, steps)));
    }
    for (int i = 0; i < READERS; i++) {
      Random random = new Random(SEED + i);
      all.add(
          beside(
              face,
              stopping,
              statement -> {
                read(statement, chains.get(random.nextInt(CHAINS)), random.nextBoolean(), wrong);
                reads.incrementAndGet();
              }));
    }
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    while (System.nanoTime() < end && wrong.get() == null) {
      Thread.sleep(20);
      if (all.stream().anyMatch(CompletableFuture::isDone)) {
        break; // One has failed.
      }
    }
    stopping.set(true);
    for (CompletableFuture<Void> one : all) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new AssertionError("seed " + SEED, e.getCause());
      }
    }
    assertNull(wrong.get(), "seed " + SEED);
    assertTrue(steps.get() > 0 && reads.get() > 0, steps + " steps, " + reads + " reads");
    System.out.println(
        face + ", " + type + ", " + way + ": " + reads + " reads beside " + steps + " steps");
  }

  private List<Chain> create(String face, String type) throws SQLException {
    try (Connection connection = connect(face);
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS chained");
      statement.execute("CREATE TABLE chained (id bigint PRIMARY KEY, n " + type + " NOT NULL)");
      statement.execute("SELECT create_distributed_table('chained', 'id')");
      statement.execute("INSERT INTO chained SELECT i, 0 FROM generate_series(1, 60) i");
      statement.execute(
          "CREATE OR REPLACE PROCEDURE go_on(a bigint, b bigint) LANGUAGE sql AS"
              + " 'UPDATE chained SET n = n + 1 WHERE id = a; UPDATE chained SET n = n + 1"
              + " WHERE id = b'");
      statement.execute(
          "SELECT create_distributed_procedure('go_on(bigint, bigint)', 'a, b', colocate_with =>"
              + " 'chained', class => 'independent', unsafe => true)");
    }
    List<List<Long>> keys = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      keys.add(keys(node));
    }
    List<Chain> chains = new ArrayList<>();
    for (int i = 0; i < CHAINS; i++) {
      chains.add(new Chain(keys.get(0).get(i), keys.get(1).get(i), keys.get(2).get(i)));
    }
    return chains;
  }

  private List<Long> keys(int node) throws SQLException {
    List<Long> keys = new ArrayList<>();
    try (Connection connection = cluster.node(node).connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM chained ORDER BY id LIMIT 3")) {
      while (rows.next()) {
        keys.add(rows.getLong(1));
      }
    }
    return keys;
  }

  /** Something that is done again and again. */
  private interface Repeated {
    void run(Statement statement) throws SQLException;
  }

  private CompletableFuture<Void> beside(String face, AtomicBoolean stopping, Repeated work) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection connection = connect(face);
              Statement statement = connection.createStatement()) {
            while (!stopping.get()) {
              work.run(statement);
            }
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        task -> new Thread(task).start());
  }

  /** One transaction after the other, which have a row of the third node in common. */
  private static void goOn(Statement statement, Chain chain, boolean calls, AtomicInteger steps)
      throws SQLException {
    add(statement, chain.first(), chain.between(), calls);
    add(statement, chain.between(), chain.second(), calls);
    steps.incrementAndGet();
  }

  private static void add(Statement statement, long one, long other, boolean calls)
      throws SQLException {
    if (calls) {
      statement.execute("CALL go_on(" + one + ", " + other + ")");
      return;
    }
    statement.execute("BEGIN");
    statement.execute("UPDATE chained SET n = n + 1 WHERE id = " + one);
    statement.execute("UPDATE chained SET n = n + 1 WHERE id = " + other);
    statement.execute("COMMIT");
  }

  private static void read(
      Statement statement, Chain chain, boolean block, AtomicReference<String> wrong)
      throws SQLException {
    String both =
        "SELECT max(n::bigint) FILTER (WHERE id = %1$d), max(n::bigint) FILTER (WHERE id = %2$d)"
            + " FROM chained WHERE id IN (%1$d, %2$d)";
    if (block) {
      statement.execute("BEGIN");
    }
    String query = both.formatted(chain.first(), chain.second());
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      if (rows.getLong(1) < rows.getLong(2)) {
        wrong.set(rows.getLong(1) + " of the first, " + rows.getLong(2) + " of the second");
      }
    }
    if (block) {
      statement.execute("COMMIT");
    }
  }

  private Connection connect(String face) throws SQLException {
    return face.equals("driver") ? cluster.connect() : router.connect();
  }
}
