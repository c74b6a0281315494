package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Statements that are sent together, without BEGIN, are one transaction: also that of the first
 * one, which its node has run before it was known that others would follow elsewhere.
 */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImplicitTransactionIT {
  private static final int KEYS = 9;
  private static final int GROUPS = 60;

  private final LocalNode node;
  private final RouterServer router;

  ImplicitTransactionIT(LocalNode node, RouterServer router) {
    this.node = node;
    this.router = router;
  }

  /** How statements are sent together. */
  enum Way {
    /** One simple query. */
    QUERY {
      @Override
      List<String> send(WireClient client, List<String> statements) throws IOException {
        return ParityFixture.ask(client, String.join("; ", statements));
      }
    },
    /** The extended protocol, up to one Sync. */
    PIPELINE {
      @Override
      List<String> send(WireClient client, List<String> statements) throws IOException {
        for (String sql : statements) {
          client.parse("", sql).bind("", "", 0).execute("", 0);
        }
        return ParityFixture.answers(client.sync().untilReady());
      }
    };

    abstract List<String> send(WireClient client, List<String> statements) throws IOException;
  }

  @BeforeAll
  void create() throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      for (Connection connection : List.of(bare, routed)) {
        run(connection, "DROP TABLE IF EXISTS ticket, tally, log");
        run(connection, "CREATE TABLE ticket (id int, UNIQUE (id) DEFERRABLE INITIALLY DEFERRED)");
        run(connection, "CREATE TABLE tally (id int PRIMARY KEY, n bigint DEFAULT 0)");
        run(connection, "CREATE TABLE log (id int)");
      }
      for (String table : List.of("ticket", "tally", "log")) {
        run(routed, "SELECT create_distributed_table('%s', 'id')".formatted(table));
      }
      run(routed, "INSERT INTO tally SELECT g FROM generate_series(1, %d) g".formatted(KEYS));
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      run(bare, "DROP TABLE ticket, tally, log");
      run(routed, "DROP TABLE ticket, tally, log");
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Whichever node it is on which the commit fails, and at whichever place it came. */
  @ParameterizedTest
  @EnumSource
  void nothingIsKeptWhenOneNodeCannotCommit(Way way) throws IOException {
    try (WireClient alone = ParityFixture.wire(node.port());
        WireClient routed = ParityFixture.wire(router.port())) {
      for (int first = 1; first <= KEYS; first++) {
        for (List<Integer> order :
            List.of(
                List.of(first, first + 1, first + 1),
                List.of(first + 1, first, first + 1),
                List.of(first, first + 1, first + 2, first + 1))) {
          List<String> inserts =
              order.stream().map(id -> "INSERT INTO ticket VALUES (%d)".formatted(id)).toList();
          assertEquals(
              ends(way.send(alone, inserts)), ends(way.send(routed, inserts)), order.toString());
          String rows = "SELECT id FROM ticket";
          assertEquals(
              ParityFixture.ask(alone, rows), ParityFixture.ask(routed, rows), order.toString());
        }
      }
    }
  }

  /** Of a Query, PostgreSQL tells the last tag when it has committed. */
  private static List<String> ends(List<String> answers) {
    return answers.stream().filter(answer -> !answer.startsWith("C ")).toList();
  }

  /** What is told as done is done once, what fails is not done: other sessions' DDL or not. */
  @ParameterizedTest
  @EnumSource
  void groupsBesideChangesOfTheSchemaAreDoneOnceOrNotAtAll(Way way) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (WireClient client = ParityFixture.wire(router.port())) {
      ParityFixture.ask(client, "UPDATE tally SET n = 0");
      Future<?> changing = pool.submit(() -> changeSchema(way, over));
      List<String> updates =
          IntStream.rangeClosed(1, KEYS)
              .mapToObj(id -> "UPDATE tally SET n = n + 1 WHERE id = %d".formatted(id))
              .collect(Collectors.toList());
      updates.add("INSERT INTO log SELECT 1 FROM pg_sleep(0.005)");
      int done = 0;
      for (int i = 0; i < GROUPS; i++) {
        List<String> answers = way.send(client, updates);
        done += answers.stream().anyMatch(answer -> answer.startsWith("E ")) ? 0 : 1;
        List<String> counts = ParityFixture.ask(client, "SELECT min(n), max(n) FROM tally");
        assertEquals("[%1$d, %1$d]".formatted(done), counts.get(0), answers.toString());
      }
      over.set(true);
      changing.get();
    } finally {
      over.set(true);
      pool.shutdownNow();
    }
  }

  private Void changeSchema(Way way, AtomicBoolean over) throws SQLException {
    String table = "passing_" + way.name().toLowerCase(Locale.ROOT);
    try (Connection connection = router.connect()) {
      while (!over.get()) {
        run(connection, "CREATE TABLE %s (id int)".formatted(table));
        run(connection, "DROP TABLE %s".formatted(table));
      }
    }
    return null;
  }
}
