package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.harness.Fault;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls of many sessions share transactions, whether they name one row or several: each call is
 * done once on both nodes or on none, as its own client was told, also when nodes and connections
 * die, and none waits for a lock that concerns another alone.
 */
class SharedCallsIT {
  private static final int CLIENTS = 16;
  private static final int CALLS = 20;
  private static final int KILLS = 3;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  /** The router gives a node up that has not answered for a minute. */
  private static final long HELD_UP_SECONDS = 30;

  private static final long NEARLY_FULL = Long.MAX_VALUE - 1;
  private static final String TRANSFER = "CALL shared_transfer(?, ?, ?, ?)";
  private static final String ENTRIES = "SELECT name FROM shared_entry WHERE side = ";

  private static ProxiedCluster cluster;

  /** Accounts of node 0, and of node 1. */
  private List<Integer> sources;

  private List<Integer> targets;

  /** The names of calls, by what their clients were told. */
  private final Set<String> acknowledged = new ConcurrentSkipListSet<>();

  private final Set<String> unknown = new ConcurrentSkipListSet<>();
  private final Set<String> refused = new ConcurrentSkipListSet<>();

  /** What else they were told. */
  private final Map<String, String> errors = new ConcurrentSkipListMap<>();

  @BeforeAll
  static void start() {
    cluster = ProxiedCluster.create(2);
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  @BeforeEach
  void create() throws SQLException {
    execute(
        "DROP PROCEDURE IF EXISTS shared_transfer(int, int, bigint, text)",
        "DROP TABLE IF EXISTS shared_entry, shared_account",
        "CREATE TABLE shared_account (id int PRIMARY KEY, balance abelian.counter NOT NULL)",
        "CREATE TABLE shared_entry (account int, side int, name text)",
        "SELECT create_distributed_table('shared_account', 'id')",
        "SELECT create_distributed_table('shared_entry', 'account', colocate_with =>"
            + " 'shared_account')",
        "INSERT INTO shared_account VALUES "
            + IntStream.rangeClosed(1, 200)
                .mapToObj(id -> "(" + id + ", 0)")
                .collect(Collectors.joining(", ")),
        "CREATE PROCEDURE shared_transfer(source int, target int, amount bigint, name text)"
            + " LANGUAGE plpgsql AS $$ BEGIN"
            + " UPDATE shared_account SET balance = balance - amount WHERE id = source;"
            + " UPDATE shared_account SET balance = balance + amount WHERE id = target;"
            + " INSERT INTO shared_entry VALUES (source, 0, name);"
            + " INSERT INTO shared_entry VALUES (target, 1, name); END $$",
        "SELECT create_distributed_procedure('shared_transfer(int, int, bigint, text)',"
            + " 'source, target', 'shared_account')");
    sources = accounts(0);
    targets = accounts(1);
  }

  private static List<Integer> accounts(int node) throws SQLException {
    return column(node, "SELECT id FROM shared_account").stream().map(Integer::valueOf).toList();
  }

  /** What is left to recovery would otherwise be done to the next test's rows. */
  @AfterEach
  void healAndAwaitRecovery() throws Exception {
    cluster.heal();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (intents() > 0 && System.nanoTime() - deadline < 0) {
      Thread.sleep(50);
    }
    assertEquals(0, intents(), "calls that are not over");
  }

  private static long intents() throws SQLException {
    String count = "SELECT count(*) FROM abelian.intent";
    return ProxiedCluster.number(cluster.node(0), count)
        + ProxiedCluster.number(cluster.node(1), count);
  }

  private static void execute(String... statements) throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> column(int node, String query) throws SQLException {
    try (Connection connection = cluster.node(node).connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  /** Calls; false after an error. */
  private boolean transfer(PreparedStatement call, int source, int target, String name)
      throws SQLException {
    call.setInt(1, source);
    call.setInt(2, target);
    call.setLong(3, 1);
    call.setString(4, name);
    try {
      call.execute();
      acknowledged.add(name);
      return true;
    } catch (SQLException e) {
      String state = String.valueOf(e.getSQLState());
      (state.equals("08007") ? unknown : refused).add(name);
      errors.put(name, state + " " + e.getMessage());
      return false;
    }
  }

  /** A client's calls, with a target of its own. */
  private void work(Connection connection, int client, int source) throws SQLException {
    work(connection, client, source, null);
  }

  private void work(Connection connection, int client, int source, AtomicBoolean stopped)
      throws SQLException {
    try (PreparedStatement call = connection.prepareStatement(TRANSFER)) {
      for (int i = 0; stopped == null ? i < CALLS : !stopped.get(); i++) {
        transfer(call, source, targets.get(client), client + "-" + i);
      }
    }
  }

  /** Half of the clients have one source together. */
  private int source(int client) {
    return sources.get(client % 2 == 0 ? 0 : client);
  }

  /** Both nodes have each call once or not at all, as the clients were told. */
  private void assertDoneAsTold() throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    List<String> here = column(0, ENTRIES + "0");
    List<String> there = column(1, ENTRIES + "1");
    while (!Set.copyOf(here).equals(Set.copyOf(there)) && System.nanoTime() - deadline < 0) {
      Thread.sleep(50); // Recovery is at it.
      here = column(0, ENTRIES + "0");
      there = column(1, ENTRIES + "1");
    }
    Set<String> done = new TreeSet<>(here);
    assertEquals(done, new TreeSet<>(there), "done on one node alone");
    assertEquals(0, strays(), "rows on a node that they do not belong to");
    assertEquals(done.size(), here.size(), "done twice");
    assertEquals(done.size(), there.size(), "done twice");
    Set<String> lost = new TreeSet<>(acknowledged);
    lost.removeAll(done);
    assertEquals(Set.of(), lost, "acknowledged, but not done");
    Set<String> undead = new TreeSet<>(refused);
    undead.retainAll(done);
    assertEquals(Set.of(), undead, "reported as rolled back, but done");
    String balance = "SELECT -sum(balance::bigint) FROM shared_account";
    assertEquals(done.size(), ProxiedCluster.number(cluster.node(0), balance));
  }

  private static long strays() throws SQLException {
    String count = "SELECT count(*) FROM shared_entry WHERE side = ";
    return ProxiedCluster.number(cluster.node(0), count + 1)
        + ProxiedCluster.number(cluster.node(1), count + 0);
  }

  private static long transactions() throws SQLException {
    return ProxiedCluster.number(
        cluster.node(0), "SELECT count(DISTINCT xmin::text) FROM shared_entry WHERE side = 0");
  }

  @Test
  void callsAtOneRowShareTransactions() throws Exception {
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      crew.run((connection, client) -> work(connection, client, sources.get(0)));
    }
    assertAllShared();
  }

  @Test
  void callsAtDifferentRowsShareTransactions() throws Exception {
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      crew.run((connection, client) -> work(connection, client, sources.get(client)));
    }
    assertAllShared();
  }

  private void assertAllShared() throws Exception {
    assertEquals(CLIENTS * CALLS, acknowledged.size());
    assertDoneAsTold();
    long transactions = transactions();
    assertTrue(transactions < CLIENTS * CALLS * 3 / 4, transactions + " transactions");
  }

  /**
   * The others' calls end while the row is still locked, and those at the row when it is free. They
   * come to it one after the other, so that those before are being completed by then; the others
   * may have another row in common with them.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRowThatAStrangerHasLockedHoldsUpOnlyWhoNamesIt(boolean oneSource) throws Exception {
    int waiting = 3;
    int locked = Collections.max(targets, Comparator.comparing(String::valueOf));
    long end = System.nanoTime() + 3_000_000_000L;
    try (Connection blocker = cluster.node(1).connectAsSuperuser();
        CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      blocker.setAutoCommit(false);
      blocker
          .createStatement()
          .execute("SELECT FROM shared_account WHERE id = " + locked + " FOR UPDATE");
      List<Future<Void>> clients =
          crew.start(
              (connection, client) -> {
                int source = sources.get(oneSource ? 0 : client);
                try (PreparedStatement call = connection.prepareStatement(TRANSFER)) {
                  if (client < waiting) {
                    Thread.sleep(400L * (client + 1));
                    transfer(call, source, locked, String.valueOf(client));
                  } else {
                    for (int i = 0; System.nanoTime() - end < 0; i++) {
                      transfer(call, source, targets.get(client), client + "-" + i);
                    }
                  }
                }
              });
      CombiningCrew.await(clients.subList(waiting, CLIENTS), HELD_UP_SECONDS);
      assertEquals(Map.of(), errors);
      blocker.rollback();
      CombiningCrew.await(clients.subList(0, waiting));
    }
    assertEquals(Map.of(), errors);
    assertDoneAsTold();
  }

  /** Without slices, so that who writes to a row waits for who has written to it. */
  @Test
  void sharedTransactionsThatMeetAtSeveralRowsDoNotWaitInACircle() throws Exception {
    int rows = 5;
    detectDeadlocks("'5ms'");
    long before = deadlocks();
    try (CombiningCrew crew =
        new CombiningCrew(CLIENTS, cluster.router()::connect, "SET abelian.split = never")) {
      crew.run(
          (connection, client) -> {
            try (PreparedStatement call = connection.prepareStatement(TRANSFER)) {
              for (int i = 0; i < 5 * CALLS; i++) {
                int source = sources.get((client + i) % rows);
                int target = targets.get((client * 3 + i * 2) % rows);
                transfer(call, source, target, client + "-" + i);
              }
            }
          });
    }
    assertDoneAsTold();
    assertEquals(5 * CLIENTS * CALLS, acknowledged.size());
    detectDeadlocks("DEFAULT");
    assertEquals(before, deadlocks());
  }

  /** Looks for them sooner than a shared transaction gives up. */
  private static void detectDeadlocks(String timeout) throws SQLException {
    for (int node = 0; node < 2; node++) {
      try (Connection connection = cluster.node(node).connectAsSuperuser();
          Statement statement = connection.createStatement()) {
        statement.execute("ALTER SYSTEM SET deadlock_timeout = " + timeout);
        statement.execute("SELECT pg_reload_conf()");
      }
    }
  }

  private static long deadlocks() {
    return IntStream.range(0, 2)
        .mapToLong(node -> cluster.node(node).log().split("deadlock detected", -1).length - 1)
        .sum();
  }

  @Test
  void whoDoesNotWantToCombineSharesNothing() throws Exception {
    try (CombiningCrew crew =
        new CombiningCrew(CLIENTS, cluster.router()::connect, "SET abelian.combine = off")) {
      crew.run((connection, client) -> work(connection, client, source(client)));
    }
    assertEquals(CLIENTS * CALLS, acknowledged.size());
    assertDoneAsTold();
    assertEquals(CLIENTS * CALLS, transactions());
  }

  /** One client's target is at the end of its range, so the node refuses whoever is with it. */
  @Test
  void whatCannotBeCompletedForOneCallIsCompletedForTheOthers() throws Exception {
    int full = targets.get(0);
    execute("UPDATE shared_account SET balance = " + NEARLY_FULL + " WHERE id = " + full);
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      crew.run(
          (connection, client) -> {
            try (PreparedStatement call = connection.prepareStatement(TRANSFER)) {
              for (int i = 0; i < 4; i++) {
                int target = client == 0 ? full : targets.get(client);
                transfer(call, source(client), target, client + "-" + i);
              }
            }
          });
    }
    assertEquals(Set.of(), refused);
    assertEquals(CLIENTS * 4, acknowledged.size());
    Set<String> others = new TreeSet<>(acknowledged);
    others.removeIf(name -> name.startsWith("0-"));
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!column(1, ENTRIES + "1").containsAll(others) && System.nanoTime() - deadline < 0) {
      Thread.sleep(50);
    }
    List<String> missing = new ArrayList<>(others);
    missing.removeAll(column(1, ENTRIES + "1"));
    assertEquals(List.of(), missing, "innocent, but not done");
    execute("UPDATE shared_account SET balance = 0 WHERE id = " + full);
    assertDoneAsTold();
  }

  @Test
  void aCancelledCallEndsAloneAndTheOthersAreDone() throws Exception {
    List<Statement> running = new ArrayList<>();
    try (Connection blocker = cluster.node(1).connectAsSuperuser();
        CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      blocker.setAutoCommit(false);
      blocker.createStatement().execute("LOCK TABLE shared_entry IN SHARE MODE");
      List<Future<Void>> clients =
          crew.start(
              (connection, client) -> {
                try (PreparedStatement call = connection.prepareStatement(TRANSFER)) {
                  synchronized (running) {
                    running.add(call);
                  }
                  transfer(call, source(client), targets.get(client), String.valueOf(client));
                }
              });
      awaitWaiting();
      synchronized (running) {
        running.get(CLIENTS - 1).cancel();
        running.get(0).cancel();
      }
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (refused.isEmpty() && acknowledged.isEmpty() && System.nanoTime() - deadline < 0) {
        Thread.sleep(20);
      }
      blocker.rollback();
      CombiningCrew.await(clients);
    }
    assertTrue(refused.size() <= 2, refused + " were refused");
    assertEquals(CLIENTS, refused.size() + acknowledged.size(), errors::toString);
    assertDoneAsTold();
  }

  /** Waits until calls stand at the lock, and the others have had the time to gather. */
  private static void awaitWaiting() throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'shared_entry'::regclass";
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (ProxiedCluster.number(cluster.node(1), waiting) < 3
        && System.nanoTime() - deadline < 0) {
      Thread.sleep(20);
    }
    Thread.sleep(200);
  }

  @Test
  void kill9OfANodeLeavesEachSharedCallDoneOnBothNodesOrOnNone() throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      List<Future<Void>> clients =
          crew.start((connection, client) -> work(connection, client, source(client), stopped));
      try {
        for (int i = 0; i < KILLS; i++) {
          awaitProgress();
          cluster.node(i % 2).kill();
          cluster.node(i % 2).start();
        }
        awaitProgress();
      } finally {
        stopped.set(true);
      }
      CombiningCrew.await(clients);
    }
    assertDoneAsTold();
    assertTrue(transactions() < acknowledged.size(), "nothing was shared");
  }

  private void awaitProgress() throws InterruptedException {
    int goal = acknowledged.size() + 5 * CLIENTS;
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (acknowledged.size() < goal && System.nanoTime() - deadline < 0) {
      Thread.sleep(20);
    }
    assertTrue(acknowledged.size() >= goal, "no progress: " + acknowledged.size());
  }

  @ParameterizedTest
  @EnumSource(Fault.Moment.class)
  void aMessageCutOffIsCompletedOrUndoneForEachOfItsCalls(Fault.Moment moment) throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      List<Future<Void>> clients =
          crew.start((connection, client) -> work(connection, client, source(client), stopped));
      try {
        for (int i = 0; i < 2 * KILLS; i++) {
          awaitProgress();
          Fault fault = cluster.proxy(i % 2).arm(Fault.cut(moment, "commit_intent("));
          awaitProgress();
          assertTrue(fault.hasStruck(10), "the fault did not strike");
        }
      } finally {
        stopped.set(true);
      }
      CombiningCrew.await(clients);
    }
    assertEquals(Set.of(), unknown, errors::toString);
    assertDoneAsTold();
    assertTrue(transactions() < acknowledged.size(), "nothing was shared");
  }
}
