package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.abelian.harness.CaseShare;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A transfer between counters on two nodes, with a fault at each message of its commit: afterwards
 * both have changed once or neither has, as the client was told, and no intent is left.
 */
class CommutingFaultsIT {
  private static final String COMMIT = "abelian.commit_intent";
  private static final String APPLY = "abelian.apply_intent";
  private static final String UNKNOWN = "08007";
  private static final int SETTLED_SECONDS_MAX = 60;
  private static final int ANSWERED_SECONDS_MAX = 60;

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private static int from;
  private static int to;

  /** How the transfer reaches the nodes. */
  private enum By {
    /** Statement by statement; the nodes are told to commit when all have done their work. */
    STATEMENTS,
    /** The same, and each node gets a row as well, of which the client has been told the key. */
    KEYS,
    /** The call of a procedure, whose work and commit are one message to each node. */
    CALL
  }

  /** The keys that the client was told last, in the order of the nodes. */
  private static final List<String> KEYS = new ArrayList<>();

  /** Which of the nodes' connections have the fault. */
  private enum Where {
    FIRST,
    SECOND,
    BOTH;

    int[] nodes() {
      return this == BOTH ? new int[] {0, 1} : new int[] {ordinal()};
    }
  }

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, balance abelian.counter)");
      statement.execute("SELECT create_distributed_table('account', 'id')");
      statement.execute(
          "CREATE TABLE bill (account int, id uuid DEFAULT gen_random_uuid(), paid abelian.counter"
              + " DEFAULT 0, PRIMARY KEY (account, id))");
      statement.execute("SELECT create_distributed_table('bill', 'account')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO account VALUES (" + id + ", 0)");
      }
      statement.execute(
          "CREATE PROCEDURE transfer(source int, target int) LANGUAGE plpgsql AS $$ BEGIN"
              + " UPDATE account SET balance = balance - 1 WHERE id = source;"
              + " UPDATE account SET balance = balance + 1 WHERE id = target; END $$");
      statement.execute(
          "SELECT create_distributed_procedure('transfer(int, int)', 'source, target', 'account')");
    }
    List<Integer> keys = cluster.keyOfEachNode("account");
    from = keys.get(0);
    to = keys.get(1);
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  static Stream<Arguments> faults() {
    return CaseShare.of(
        Stream.concat(
            Stream.of(Where.values()).flatMap(where -> faults(By.STATEMENTS, where)),
            Stream.of(Where.SECOND, Where.BOTH)
                .flatMap(where -> Stream.of(By.KEYS, By.CALL).flatMap(by -> faults(by, where)))));
  }

  private static Stream<Arguments> faults(By by, Where where) {
    return Stream.of(Moment.values())
        .flatMap(
            moment ->
                Stream.of(Victim.values()).map(victim -> Arguments.of(moment, where, victim, by)));
  }

  @ParameterizedTest(name = "{0} the commit of {1}, {2} lost, by {3}")
  @MethodSource("faults")
  void aTransferIsWholeAfterAFault(Moment moment, Where where, Victim victim, By by)
      throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    List<Long> billsBefore = bills();
    Fault[] faults =
        IntStream.of(where.nodes())
            .mapToObj(
                i ->
                    cluster
                        .proxy(i)
                        .arm(Fault.cut(moment, COMMIT, () -> victim.strike(cluster, i))))
            .toArray(Fault[]::new);
    CompletableFuture<Told> told = CompletableFuture.supplyAsync(() -> transfer(by));
    if (victim == Victim.ROUTER) {
      assertAnyStruck(faults, told);
    } else {
      assertStruck(faults[0], told);
    }
    if (victim == Victim.NODE && !staysDown(moment, where, by)) {
      assertStruck(faults[faults.length - 1], told);
      cluster.heal();
    }
    Told answer = told.get(ANSWERED_SECONDS_MAX, TimeUnit.SECONDS);
    cluster.heal();
    assertWhole(answer, fromBefore, toBefore, billsBefore);
  }

  private static void assertStruck(Fault fault, CompletableFuture<Told> transfer)
      throws InterruptedException {
    assertTrue(
        fault.strikesDuring(transfer, ANSWERED_SECONDS_MAX),
        () -> fault + " has not struck; the client was told " + transfer.getNow(null));
  }

  /** A router that is killed at its message to one node may not send the other's any more. */
  private static void assertAnyStruck(Fault[] faults, CompletableFuture<Told> transfer)
      throws InterruptedException {
    for (Fault fault : faults) {
      if (fault.strikesDuring(transfer, ANSWERED_SECONDS_MAX)) {
        return;
      }
    }
    fail(faults[0] + " has not struck; the client was told " + transfer.getNow(null));
  }

  /**
   * Whether killed nodes come back only when the client has its answer, for which the router then
   * takes all of its patience: once where the answer is success with a warning, and where it is
   * that the outcome is unknown. Otherwise they come back while the router still tries.
   */
  private static boolean staysDown(Moment moment, Where where, By by) {
    return by == By.CALL ? where == Where.BOTH : where == Where.SECOND && moment == Moment.BEFORE;
  }

  static Stream<Arguments> completionFaults() {
    return CaseShare.of(
        Stream.of(Moment.values())
            .flatMap(
                moment ->
                    Stream.of(
                        Arguments.of(moment, Victim.CONNECTION, By.STATEMENTS),
                        Arguments.of(moment, Victim.CONNECTION, By.KEYS),
                        Arguments.of(moment, Victim.NODE, By.KEYS),
                        Arguments.of(moment, Victim.ROUTER, By.KEYS),
                        Arguments.of(moment, Victim.NODE, By.CALL),
                        Arguments.of(moment, Victim.NODE, By.STATEMENTS),
                        Arguments.of(moment, Victim.ROUTER, By.CALL),
                        Arguments.of(moment, Victim.ROUTER, By.STATEMENTS))));
  }

  @ParameterizedTest(name = "{0} the completion, {1} lost, by {2}")
  @MethodSource("completionFaults")
  void aCompletionThatIsInterruptedIsDoneOnce(Moment moment, Victim victim, By by)
      throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    List<Long> billsBefore = bills();
    Fault completion = Fault.cut(moment, APPLY, () -> victim.strike(cluster, 1));
    Fault loss = Fault.cut(Moment.BEFORE, COMMIT, () -> cluster.proxy(1).arm(completion));
    cluster.proxy(1).arm(loss);
    CompletableFuture<Told> pending = CompletableFuture.supplyAsync(() -> transfer(by));
    assertStruck(loss, pending);
    assertStruck(completion, pending);
    cluster.heal();
    Told told = pending.get(ANSWERED_SECONDS_MAX, TimeUnit.SECONDS);
    assertWhole(told, fromBefore, toBefore, billsBefore);
    assertEquals(fromBefore - 1, balance(0, from), "the first node had committed: " + told);
  }

  @Test
  void aReadOfBothNodesWaitsForTheOneThatHasNotCommittedYet() throws Exception {
    long total = total();
    CompletableFuture<Long> read = new CompletableFuture<>();
    long before = balance(0, from);
    Fault fault =
        Fault.hold(
            Moment.BEFORE,
            COMMIT,
            () -> {
              awaitCommitOnFirst(before);
              CompletableFuture.runAsync(() -> complete(read));
              // The commit passes while the read is at it, or after it has failed to wait.
              awaitReader(read);
            });
    cluster.proxy(1).arm(fault);
    Told told = transfer(By.STATEMENTS);
    assertTrue(told.success(), told.toString());
    assertTrue(fault.hasStruck(0), "nothing was held");
    assertEquals(total, read.get(60, TimeUnit.SECONDS), "a torn read");
  }

  private static void awaitCommitOnFirst(long before) {
    try {
      while (balance(0, from) == before) {
        Thread.sleep(5);
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void complete(CompletableFuture<Long> read) {
    try {
      read.complete(total());
    } catch (SQLException e) {
      read.completeExceptionally(e);
    }
  }

  /** Until the reader has looked at the gates of both nodes, or is done. */
  private static void awaitReader(CompletableFuture<Long> read) {
    try {
      String looks =
          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%abelian.visible_intents%'"
              + " AND pid <> pg_backend_pid()";
      while (!read.isDone() && ProxiedCluster.number(cluster.node(1), looks) == 0) {
        Thread.sleep(5);
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRowThatIsDeletedBeforeTheCompletionStaysDeleted() throws Exception {
    long fromBefore = balance(0, from);
    int victim = (int) ProxiedCluster.number(cluster.node(1), "SELECT max(id) FROM account");
    Fault loss =
        Fault.cut(
            Moment.BEFORE,
            COMMIT,
            () -> cluster.proxy(1).arm(Fault.hold(Moment.BEFORE, APPLY, () -> delete(victim))));
    cluster.proxy(1).arm(loss);
    Told told = transfer(from, victim);
    assertTrue(told.success(), told.toString());
    cluster.heal();
    awaitNoIntents();
    assertEquals(fromBefore - 1, balance(0, from));
    assertEquals(
        0,
        ProxiedCluster.number(cluster.node(1), "SELECT count(*) FROM account WHERE id=" + victim));
  }

  private static void delete(int id) {
    // The lost connection's backend ends when it notices, and lets go of the row then.
    try (Connection connection = cluster.node(1).connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM account WHERE id = " + id);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theClientIsToldTheClassAndWhyNotACheaperOne() throws Exception {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_notice = on");
      connection.setAutoCommit(false);
      String add = "UPDATE account SET balance = balance + 0 WHERE id = ";
      assertEquals(
          "commit class commuting: it wrote on several nodes",
          notice(connection, statement, add + from, add + to));
      assertEquals(
          "commit class coordinated: UPDATE: its RETURNING shows the row",
          notice(connection, statement, add + from + " RETURNING balance", add + to));
      assertEquals(
          "commit class coordinated: it locks rows",
          notice(
              connection,
              statement,
              "SELECT balance FROM account WHERE id = " + from + " FOR UPDATE",
              add + from,
              add + to));
      assertEquals(
          "commit class coordinated: it rolled back to a savepoint",
          notice(
              connection,
              statement,
              add + from,
              "SAVEPOINT s",
              add + from,
              "ROLLBACK TO SAVEPOINT s",
              add + to));
      assertEquals(
          "commit class coordinated: its isolation level is above READ COMMITTED",
          notice(
              connection,
              statement,
              "SET LOCAL abelian.distributed_isolation = 'per_node'",
              "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
              add + from,
              add + to));
    }
  }

  private static String notice(Connection connection, Statement statement, String... statements)
      throws SQLException {
    if (statements[0].startsWith("SET LOCAL abelian.distributed")) {
      connection.rollback();
      connection.setAutoCommit(true);
      statement.execute(statements[0].replace("LOCAL ", ""));
      connection.setAutoCommit(false);
      statements[0] = "SELECT 1";
      statements =
          Stream.of(statements).filter(text -> !text.equals("SELECT 1")).toArray(String[]::new);
    }
    for (String sql : statements) {
      statement.execute(sql);
    }
    connection.clearWarnings();
    connection.commit();
    SQLWarning warning = connection.getWarnings();
    return warning == null ? null : warning.getMessage();
  }

  private static Told transfer(By by) {
    KEYS.clear();
    if (by != By.CALL) {
      return transfer(from, to, by == By.KEYS);
    }
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CALL transfer(" + from + ", " + to + ")");
      return Told.SUCCESS;
    } catch (SQLException e) {
      return Told.of(e);
    }
  }

  private static Told transfer(int one, int other) {
    return transfer(one, other, false);
  }

  private static Told transfer(int one, int other, boolean bills) {
    try (Connection connection = cluster.router().connect()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("UPDATE account SET balance = balance - 1 WHERE id = " + one);
        statement.execute("UPDATE account SET balance = balance + 1 WHERE id = " + other);
        if (bills) {
          bill(statement, one);
          bill(statement, other);
        }
      }
      connection.commit();
      return Told.SUCCESS;
    } catch (SQLException e) {
      return Told.of(e);
    }
  }

  private static void bill(Statement statement, int account) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "INSERT INTO bill (account) VALUES (" + account + ") RETURNING id")) {
      rows.next();
      KEYS.add(rows.getString(1));
    }
    String key = "account = " + account + " AND id = '" + KEYS.get(KEYS.size() - 1) + "'";
    statement.execute("UPDATE bill SET paid = paid + 7 WHERE " + key);
  }

  /** The rows are there once under the keys that the client knows, and no others are. */
  private static void assertBilled(Told told, long transfers, List<Long> before)
      throws SQLException {
    for (int node = 0; node < 2; node++) {
      if (node < KEYS.size()) {
        String row = " WHERE paid = 7 AND id = '" + KEYS.get(node) + "'";
        assertEquals(
            transfers,
            ProxiedCluster.number(cluster.node(node), "SELECT count(*) FROM bill" + row),
            "the client's row on node " + node + ": " + told);
      }
      assertEquals(
          before.get(node) + (KEYS.isEmpty() ? 0 : transfers),
          bills().get(node),
          "rows on node " + node + ": " + told);
    }
  }

  private static List<Long> bills() throws SQLException {
    List<Long> counts = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      counts.add(ProxiedCluster.number(cluster.node(node), "SELECT count(*) FROM bill"));
    }
    return counts;
  }

  private static void assertWhole(Told told, long fromBefore, long toBefore, List<Long> billsBefore)
      throws Exception {
    awaitNoIntents();
    long moved = fromBefore - balance(0, from);
    assertEquals(moved, balance(1, to) - toBefore, "torn: " + told);
    assertTrue(moved == 0 || moved == 1, "moved " + moved);
    assertBilled(told, moved, billsBefore);
    if (told.success()) {
      assertEquals(1, moved, "an acknowledged commit is lost");
    } else if (told.rolledBack()) {
      assertEquals(0, moved, "applied although " + told);
    } else if (UNKNOWN.equals(told.sqlState())) {
      assertEquals(moved == 1 ? "committed" : "aborted", outcome(told), told.toString());
    }
  }

  /** The answer is definite when recovery has reached the nodes; a router waits for it a while. */
  private static String outcome(Told told) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLED_SECONDS_MAX);
    String outcome = ask(told);
    while (outcome.equals("unknown") && System.nanoTime() < deadline) {
      outcome = ask(told);
    }
    return outcome;
  }

  private static String ask(Told told) throws SQLException {
    int at = told.text().indexOf("SELECT abelian.transaction_outcome");
    assertTrue(at >= 0, "no question in " + told);
    String question = told.text().substring(at, told.text().indexOf(')', at) + 1);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(question)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Intents go when the transaction is over on every node. */
  private static void awaitNoIntents() throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLED_SECONDS_MAX);
    try (Connection connection = cluster.router().connect()) {
      assertTrue(connection.isValid(10)); // The router does its duties from its first client on.
      while (intents() > 0) {
        assertTrue(System.nanoTime() < deadline, "intents are never forgotten");
        Thread.sleep(50);
      }
    }
  }

  private static long intents() throws SQLException {
    long count = 0;
    for (int node = 0; node < 2; node++) {
      count += ProxiedCluster.number(cluster.node(node), "SELECT count(*) FROM abelian.intent");
    }
    return count;
  }

  private static long total() throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT sum(balance) FROM account")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static long balance(int node, int id) throws SQLException {
    return ProxiedCluster.number(
        cluster.node(node), "SELECT balance FROM account WHERE id = " + id);
  }
}
