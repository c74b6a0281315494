package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
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
  private final LocalCluster cluster;
  private final RouterServer router;

  ImplicitTransactionIT(LocalNode node, LocalCluster cluster, RouterServer router) {
    this.node = node;
    this.cluster = cluster;
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
      run(routed, "CREATE TABLE slow (id int)");
      run(routed, "SELECT create_distributed_table('slow', 'id')");
      run(
          routed,
          "CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_advisory_xact_lock(4242); RETURN NULL; END'");
      run(
          routed,
          "CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED"
              + " FOR EACH ROW EXECUTE FUNCTION waits()");
      run(routed, "INSERT INTO tally SELECT g FROM generate_series(1, %d) g".formatted(KEYS));
    }
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      run(bare, "DROP TABLE ticket, tally, log");
      run(routed, "DROP TABLE ticket, tally, log, slow");
      run(routed, "DROP FUNCTION waits()");
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

  /**
   * A row that is only locked serves as a mutex: its node must not let go of it before the others.
   */
  @ParameterizedTest
  @EnumSource
  void lockedRowsStayLockedUntilAllNodesHaveCommitted(Way way) throws Exception {
    List<Connection> holders = new ArrayList<>();
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (WireClient client = ParityFixture.wire(router.port());
        WireClient other = ParityFixture.wire(router.port())) {
      for (LocalNode each : cluster.nodes()) {
        holders.add(each.connectAsSuperuser());
        run(holders.get(holders.size() - 1), "SELECT pg_advisory_lock(4242)");
      }
      List<String> group = new ArrayList<>(List.of("SELECT n FROM tally WHERE id = 1 FOR UPDATE"));
      IntStream.rangeClosed(2, KEYS)
          .forEach(id -> group.add("INSERT INTO slow VALUES (%d)".formatted(id)));
      Future<List<String>> answers = pool.submit(() -> way.send(client, group));
      while (waiting(holders) == 0) {
        Thread.onSpinWait();
      }
      assertEquals(
          List.of("E 55P03", "Z I"),
          ParityFixture.ask(other, "SELECT n FROM tally WHERE id = 1 FOR UPDATE NOWAIT"));
      for (Connection holder : holders) {
        run(holder, "SELECT pg_advisory_unlock(4242)");
      }
      assertEquals("Z I", answers.get().get(answers.get().size() - 1));
      assertEquals("[8]", ParityFixture.ask(other, "SELECT count(*) FROM slow").get(0));
      ParityFixture.ask(other, "DELETE FROM slow");
    } finally {
      pool.shutdownNow();
      for (Connection holder : holders) {
        holder.close();
      }
    }
  }

  private static int waiting(List<Connection> holders) throws SQLException {
    int waiting = 0;
    for (Connection holder : holders) {
      try (Statement statement = holder.createStatement();
          ResultSet found =
              statement.executeQuery(
                  "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND"
                      + " objid = 4242")) {
        found.next();
        waiting += found.getInt(1);
      }
    }
    return waiting;
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
