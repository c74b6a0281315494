package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transfers between nodes move nothing in or out of the total, whenever it is read. */
@WithCluster
class ScatterReadsIT {
  private static final int ACCOUNTS = 30;
  private static final int WRITERS = 4;
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 2);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalCluster cluster;
  private final RouterServer router;

  ScatterReadsIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  /** Who transfers: blocks, calls of an independent procedure, or some of each. */
  private enum Transfers {
    BLOCKS,
    CALLS,
    BOTH
  }

  @ParameterizedTest(name = "{0}, balance {1}, {2}, {3}")
  @CsvSource({
    "driver, int, SELECT sum(balance) FROM torn, BLOCKS",
    "server, int, SELECT sum(balance) FROM torn, BLOCKS",
    "driver, abelian.counter, SELECT sum(balance) FROM torn, BLOCKS",
    "server, abelian.counter, SELECT sum(balance) FROM torn, BLOCKS",
    "driver, int, SELECT total(), BLOCKS",
    "driver, int, SELECT sum(balance) FROM torn, CALLS",
    "server, int, SELECT sum(balance) FROM torn, BOTH",
    "driver, abelian.counter, SELECT sum(balance) FROM torn, BOTH"
  })
  void sumsOverSeveralNodesAreNeverTorn(String face, String type, String read, Transfers transfer)
      throws Exception {
    try (Connection connection = connect(face);
        Statement statement = connection.createStatement()) {
      create(statement, type);
      AtomicInteger reads = new AtomicInteger();
      AtomicInteger transfers =
          besideTransfers(
              face,
              transfer,
              SECONDS,
              () -> {
                assertEquals(ACCOUNTS * 100, sum(statement, read), "torn, seed " + SEED);
                reads.incrementAndGet();
                return false;
              });
      System.out.println(
          face + ", " + type + ", " + transfer + ": " + reads + " reads, " + transfers);
    }
  }

  /** Something that is done again and again; true when it need not be any more. */
  private interface Repeated {
    boolean run() throws SQLException;
  }

  /** Gives how many transfers there were meanwhile. */
  private AtomicInteger besideTransfers(String face, Transfers transfer, int seconds, Repeated work)
      throws Exception {
    AtomicBoolean stopping = new AtomicBoolean();
    AtomicInteger transfers = new AtomicInteger();
    AtomicReference<Exception> failure = new AtomicReference<>();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Random random = new Random(SEED + i);
      boolean calls = transfer == Transfers.CALLS || transfer == Transfers.BOTH && i % 2 == 0;
      Thread writer =
          new Thread(() -> write(face, calls, random, stopping, transfers, failure), "writer " + i);
      writer.start();
      writers.add(writer);
    }
    try {
      long end = System.nanoTime() + seconds * 1_000_000_000L;
      while (!work.run() && System.nanoTime() < end) {
        // Once more.
      }
    } finally {
      stopping.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }
    assertEquals(null, failure.get());
    assertTrue(transfers.get() > 0, "no transfer succeeded, seed " + SEED);
    return transfers;
  }

  @ParameterizedTest(name = "{0}, balance {1}, {2}")
  @CsvSource({
    "driver, int, BLOCKS",
    "server, int, BOTH",
    "driver, abelian.counter, BOTH",
  })
  void aRepeatableReadTransactionSeesAllNodesAtOneMoment(
      String face, String type, Transfers transfer) throws Exception {
    try (Connection connection = connect(face);
        Statement statement = connection.createStatement()) {
      create(statement, type);
      Random random = new Random(SEED);
      AtomicInteger reads = new AtomicInteger();
      AtomicInteger transfers =
          besideTransfers(
              face,
              transfer,
              SECONDS,
              () -> {
                assertEquals(Set.of(), differences(statement, random), "seed " + SEED);
                reads.incrementAndGet();
                return false;
              });
      System.out.println(
          face + ", " + type + ", " + transfer + ": " + reads + " snapshots, " + transfers);
      // The same, with a snapshot for each node: what is looked for can be found.
      statement.execute("SET abelian.distributed_isolation = 'per_node'");
      AtomicBoolean found = new AtomicBoolean();
      besideTransfers(
          face,
          transfer,
          10 * SECONDS, // It ends when one is found.
          () -> {
            found.set(found.get() || !differences(statement, random).isEmpty());
            return found.get();
          });
      assertTrue(found.get(), "snapshots of each node seem to be of one moment, seed " + SEED);
    }
  }

  /** Reads everything in several ways in one transaction, and tells what was not as before. */
  private static Set<String> differences(Statement statement, Random random) throws SQLException {
    Set<String> differences = new TreeSet<>();
    Map<Integer, Long> seen = new TreeMap<>();
    statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
    for (int i = 0; i < 6; i++) {
      int way = random.nextInt(3);
      if (way == 0) {
        look(statement, "id = " + (1 + random.nextInt(ACCOUNTS)), seen, differences);
      } else if (way == 1) {
        look(statement, "true", seen, differences);
      } else {
        String read =
            "SELECT sum(a.balance::bigint) FROM torn a JOIN torn b ON b.id = "
                + ACCOUNTS
                + " + 1 - a.id";
        long sum = sum(statement, read);
        if (sum != ACCOUNTS * 100) {
          differences.add("a sum of " + sum);
        }
      }
    }
    statement.execute("COMMIT");
    long sum = seen.values().stream().mapToLong(value -> value).sum();
    if (seen.size() == ACCOUNTS && sum != ACCOUNTS * 100) {
      differences.add("rows with a sum of " + sum);
    }
    return differences;
  }

  private static void look(
      Statement statement, String which, Map<Integer, Long> seen, Set<String> differences)
      throws SQLException {
    try (ResultSet rows =
        statement.executeQuery("SELECT id, balance::bigint FROM torn WHERE " + which)) {
      while (rows.next()) {
        Long before = seen.put(rows.getInt(1), rows.getLong(2));
        if (before != null && before != rows.getLong(2)) {
          differences.add("account " + rows.getInt(1) + ": " + before + ", " + rows.getLong(2));
        }
      }
    }
  }

  private static void create(Statement statement, String type) throws SQLException {
    statement.execute("DROP TABLE IF EXISTS torn CASCADE");
    statement.execute("CREATE TABLE torn (id int PRIMARY KEY, balance " + type + ")");
    statement.execute("SELECT create_distributed_table('torn', 'id')");
    statement.execute(
        "CREATE OR REPLACE FUNCTION total() RETURNS numeric LANGUAGE sql STABLE AS 'SELECT"
            + " sum(balance::bigint) FROM torn'");
    statement.execute(
        "SELECT create_distributed_procedure('total()', NULL, colocate_with => 'torn', merge =>"
            + " 'sum')");
    statement.execute(
        "CREATE OR REPLACE PROCEDURE transfer(a int, b int, amount int) LANGUAGE sql AS 'UPDATE"
            + " torn SET balance = balance - amount WHERE id = a; UPDATE torn SET balance ="
            + " balance + amount WHERE id = b'");
    statement.execute(
        "SELECT create_distributed_procedure('transfer(int, int, int)', 'a, b', colocate_with =>"
            + " 'torn', class => 'independent', unsafe => true)");
    for (int id = 1; id <= ACCOUNTS; id++) {
      statement.execute("INSERT INTO torn VALUES (" + id + ", 100)");
    }
  }

  private Connection connect(String face) throws SQLException {
    return face.equals("driver") ? cluster.connect() : router.connect();
  }

  private static long sum(Statement statement, String read) throws SQLException {
    try (ResultSet rows = statement.executeQuery(read)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private void write(
      String face,
      boolean calls,
      Random random,
      AtomicBoolean stopping,
      AtomicInteger transfers,
      AtomicReference<Exception> failure) {
    try (Connection connection = connect(face);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(calls);
      while (!stopping.get()) {
        int amount = 1 + random.nextInt(50);
        int from = 1 + random.nextInt(ACCOUNTS);
        int to = 1 + random.nextInt(ACCOUNTS);
        try {
          if (calls) {
            statement.execute("CALL transfer(" + from + ", " + to + ", " + amount + ")");
          } else {
            add(statement, from, -amount);
            add(statement, to, amount);
            connection.commit();
          }
          transfers.incrementAndGet();
        } catch (SQLException e) {
          if (!"40P01".equals(e.getSQLState()) && !"40001".equals(e.getSQLState())) {
            throw e;
          }
          if (!calls) {
            connection.rollback();
          }
        }
      }
    } catch (SQLException e) {
      failure.set(e);
    }
  }

  private static void add(Statement statement, int id, int amount) throws SQLException {
    statement.execute("UPDATE torn SET balance = balance + (" + amount + ") WHERE id = " + id);
  }
}
