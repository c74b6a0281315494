package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.abelian.harness.CommitCounts;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.abelian.harness.RouterServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls of many sessions that become one independent transaction: each session is told what it
 * would have been told alone, errors hit only the call that made them, and after any fault each
 * call has been run on all of its nodes or on none.
 */
class SharedLaneCallsIT {
  private static final int CLIENTS = 16;
  private static final int ROUNDS = 25;
  private static final int TRIES = 10;
  private static final int SETTLED_SECONDS = 30;

  private static final int STRUCK_SECONDS = 40;

  /** Less than recovery lets a lane wait for a lock before it ends the session that holds it. */
  private static final int TOGETHER_SECONDS = 5;

  private static final String RUN_CALLS = "independent_run_calls";
  private static final String BROKEN = "AB003";

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private static int first;
  private static int second;

  /** What each number's call was told: null after success. */
  private final Map<Integer, String> told = new ConcurrentHashMap<>();

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    run("CREATE TABLE account (id int PRIMARY KEY, n bigint NOT NULL CHECK (n >= 0))");
    run("CREATE TABLE entry (account int, number int)");
    run("SELECT create_distributed_table('account', 'id')");
    run("SELECT create_distributed_table('entry', 'account', colocate_with => 'account')");
    for (int id = 1; id <= 30; id++) {
      run("INSERT INTO account VALUES (" + id + ", 0)");
    }
    run(
        "CREATE FUNCTION bump(a int, b int) RETURNS bigint LANGUAGE sql BEGIN ATOMIC UPDATE account"
            + " SET n = n + 1 WHERE id IN (a, b); SELECT sum(n)::bigint FROM account WHERE id IN"
            + " (a, b); END");
    run(
        "CREATE PROCEDURE bump_inout(a int, b int, INOUT n bigint) LANGUAGE plpgsql AS $$ BEGIN"
            + " UPDATE account SET n = account.n + 1 WHERE id IN (a, b);"
            + " SELECT account.n INTO n FROM account WHERE id = a; END $$");
    for (String name : List.of("note", "note_or_not")) {
      run(
          "CREATE PROCEDURE "
              + name
              + "(a int, b int, number int, required int) LANGUAGE plpgsql AS $$ BEGIN"
              + " INSERT INTO entry VALUES (a, number), (b, number);"
              + " IF (SELECT min(account.n) FROM account WHERE id IN (a, b)) < required"
              + " THEN RAISE check_violation USING MESSAGE = 'not enough'; END IF; END $$");
    }
    List<Integer> keys = cluster.keyOfEachNode("account");
    first = keys.get(0);
    second = keys.get(1);
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** What a test before has left to be found would stop the procedures of the next one. */
  @BeforeEach
  void declareWhenAllFailuresAreFound() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLED_SECONDS);
    while (unnoticed(0) + unnoticed(1) > 0) {
      assertTrue(System.nanoTime() < deadline, "failures that no router takes notice of");
      Thread.sleep(100);
    }
    declare();
  }

  private static long unnoticed(int node) throws SQLException {
    return number(
        node,
        "SELECT count(*) FROM abelian.independent_record WHERE CASE WHEN starts_with(failure,"
            + " E'\n--abelian ') THEN failure LIKE E'%\n--abelian procedure %'"
            + " ELSE failure NOT LIKE '%(the procedure was stopped)' END");
  }

  private void declare() throws SQLException {
    declare("bump(int, int)", "sum");
    declare("bump_inout(int, int, bigint)", "first");
    declare("note(int, int, int, int)", "first");
    declare("note_or_not(int, int, int, int)", "first");
    run("UPDATE account SET n = 0");
    run("DELETE FROM entry");
    told.clear();
  }

  private static void declare(String signature, String merge) throws SQLException {
    run(
        "SELECT create_distributed_procedure('"
            + signature
            + "', 'a, b', 'account', merge => '"
            + merge
            + "', class => 'independent', unsafe => true)");
  }

  private static void run(String sql) throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long shared() throws SQLException {
    return shared(cluster.router());
  }

  private static long shared(RouterServer router) throws SQLException {
    try (Connection connection = router.connect()) {
      return CommitCounts.shared(connection);
    }
  }

  private static long number(int node, String query) throws SQLException {
    return ProxiedCluster.number(cluster.node(node), query);
  }

  /** Every call of all sessions takes its own step, and sees those before it. */
  @Test
  void eachSessionGetsTheResultOfItsOwnCall() throws Exception {
    long before = shared();
    List<Long> sums = Collections.synchronizedList(new ArrayList<>());
    List<Long> counts = Collections.synchronizedList(new ArrayList<>());
    try (CombiningCrew crew = new CombiningCrew(CLIENTS, cluster.router()::connect)) {
      crew.run((connection, client) -> bump(connection, client, sums, counts));
    }
    assertTrue(shared() > before, "no call was run with another");
    int calls = CLIENTS * ROUNDS;
    assertEquals(calls, number(0, "SELECT n FROM account WHERE id = " + first));
    assertEquals(calls, number(1, "SELECT n FROM account WHERE id = " + second));
    // A sum of two rows that all steps have in common, and one of the rows: each step once.
    List<Long> steps = new ArrayList<>(counts);
    sums.forEach(sum -> steps.add(sum / 2));
    steps.sort(null);
    for (int i = 0; i < calls; i++) {
      assertEquals(i + 1, steps.get(i), "some call got another's result: " + steps);
    }
  }

  /** Some by prepared statements with a description, some by simple queries, some with INOUT. */
  private static void bump(Connection connection, int client, List<Long> sums, List<Long> counts)
      throws SQLException {
    // Both orders of the participants, which share transactions.
    int a = client % 2 == 0 ? first : second;
    int b = client % 2 == 0 ? second : first;
    try (PreparedStatement prepared = connection.prepareStatement("SELECT bump(?, ?)");
        CallableStatement inout = connection.prepareCall("CALL bump_inout(?, ?, ?)");
        Statement simple = connection.createStatement()) {
      for (int round = 0; round < ROUNDS; round++) {
        if (client % 4 == 3) {
          inout.setInt(1, a);
          inout.setInt(2, b);
          inout.setLong(3, 0);
          inout.registerOutParameter(3, Types.BIGINT);
          inout.execute();
          counts.add(inout.getLong(3));
          continue;
        }
        prepared.setInt(1, a);
        prepared.setInt(2, b);
        String text = "SELECT bump(" + a + ", " + b + ")";
        try (ResultSet rows =
            client % 4 == 2 ? simple.executeQuery(text) : prepared.executeQuery()) {
          assertEquals("bump", rows.getMetaData().getColumnName(1));
          assertTrue(rows.next());
          sums.add(rows.getLong(1));
        }
      }
    }
  }

  /** Calls with these numbers, at once, behind calls that a row lock holds up on the first node. */
  private void noteTogether(int from, int to, int guilty) throws Exception {
    try (Connection holder = cluster.node(0).connectAsSuperuser();
        Connection warm = cluster.router().connect();
        Statement lock = holder.createStatement();
        CombiningCrew ahead = new CombiningCrew(3, cluster.router()::connect);
        CombiningCrew crew = new CombiningCrew(to - from, cluster.router()::connect)) {
      note(warm, -1, 0);
      note(warm, -1, -1);
      holder.setAutoCommit(false);
      lock.execute("SELECT FROM account WHERE id = " + first + " FOR UPDATE");
      List<Future<Void>> pending = new ArrayList<>();
      pending.addAll(ahead.start((connection, client) -> bump(connection, "SELECT bump(?, ?)")));
      Thread.sleep(200);
      pending.addAll(crew.start((connection, client) -> note(connection, from + client, guilty)));
      Thread.sleep(300);
      holder.rollback();
      CombiningCrew.await(pending);
    }
  }

  private static void bump(Connection connection, String text) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement(text)) {
      call.setInt(1, first);
      call.setInt(2, second);
      call.execute();
    } catch (SQLException lost) {
      // Some tests break what is ahead as well.
    }
  }

  /** The guilty one wants more than there is. */
  private void note(Connection connection, int number, int guilty) {
    String name = number == guilty ? "note_or_not" : "note";
    try (PreparedStatement call = connection.prepareStatement("CALL " + name + "(?, ?, ?, ?)")) {
      call.setInt(1, first);
      call.setInt(2, second);
      call.setInt(3, number);
      call.setInt(4, number == guilty && number >= 0 ? 1_000 : 0);
      call.execute();
      told.put(number, "success");
    } catch (SQLException e) {
      told.put(number, String.valueOf(e.getSQLState()));
    }
  }

  private static List<Long> entries(int node, int number) throws SQLException {
    String query = "SELECT count(*) FROM entry WHERE number = " + number + " AND account = ";
    return List.of(number(node, query + first), number(node, query + second));
  }

  private void assertOnBothNodes(int number) throws SQLException {
    assertEquals(List.of(1L, 0L), entries(0, number), "of " + number + ", told " + told);
    assertEquals(List.of(0L, 1L), entries(1, number), "of " + number + ", told " + told);
  }

  @Test
  void whatAllRefuseIsOneSessionsErrorAlone() throws Exception {
    boolean together = false;
    for (int attempt = 0; attempt < TRIES && !together; attempt++) {
      Fault watch = cluster.proxy(0).arm(Fault.hold(Moment.BEFORE, RUN_CALLS, () -> {}));
      int from = 100 * attempt;
      noteTogether(from, from + 8, from + 3);
      together = watch.hasStruck(0);
      for (int number = from; number < from + 8; number++) {
        if (number == from + 3) {
          assertEquals("23514", told.get(number));
          assertEquals(List.of(0L, 0L), entries(0, number));
          assertEquals(List.of(0L, 0L), entries(1, number));
        } else {
          assertEquals("success", told.get(number));
          assertOnBothNodes(number);
        }
      }
    }
    cluster.heal();
    assertTrue(together, "nothing was shared");
  }

  /** Records of failures stay, with the intents of all calls. */
  private static boolean hasFailedTogether(int node, int guilty) throws SQLException {
    return number(
            node,
            "SELECT count(*) FROM abelian.independent_record WHERE failure IS NOT NULL AND intent"
                + " LIKE '%--abelian procedure%--abelian procedure%' AND intent LIKE '%''"
                + guilty
                + "''%'")
        > 0;
  }

  @Test
  void aBrokenPromiseIsToldToTheGuiltyAloneAndStopsItsProcedureAlone() throws Exception {
    boolean together = false;
    for (int attempt = 0; attempt < TRIES && !together; attempt++) {
      int from = 1_000 + 100 * attempt;
      run("UPDATE account SET n = CASE id WHEN " + first + " THEN 5000 ELSE 0 END");
      noteTogether(from, from + 8, from + 4);
      for (int number = from; number < from + 8; number++) {
        if (number != from + 4) {
          assertEquals("success", told.get(number), told.toString());
          assertOnBothNodes(number);
        }
      }
      assertEquals(BROKEN, told.get(from + 4));
      assertEquals(List.of(1L, 0L), entries(0, from + 4), "executed there");
      assertEquals(List.of(0L, 0L), entries(1, from + 4), "refused there");
      together = hasFailedTogether(1, from + 4);
      assertEquals(List.of(1L, 0L), List.of(stopped("%note_or_not(%"), stopped("%.note(%")));
      declare();
    }
    assertTrue(together, "the guilty call was never run with others");
  }

  private static long stopped(String signature) throws SQLException {
    return number(
        0,
        "SELECT count(*) FROM abelian.procedure WHERE stopped <> '' AND signature LIKE '"
            + signature
            + "'");
  }

  /** What completes the calls of others; nodes before 0.6.0 lack it. */
  private static final String COMPLETION = "run_call";

  private static void renameOnSecondNode(String from, String to) throws SQLException {
    try (Connection node = cluster.node(1).connectAsSuperuser();
        Statement statement = node.createStatement()) {
      statement.execute(
          "ALTER FUNCTION abelian." + from + COMPLETION + " RENAME TO " + to + COMPLETION);
    }
  }

  /** Nodes are updated one after the other. */
  @Test
  void nothingIsSharedWithANodeThatIsNotUpdatedYet() throws Exception {
    renameOnSecondNode("", "later_");
    boolean old = true;
    try (RouterServer other = cluster.startAnotherRouter()) {
      runBumps(other, 1); // Such calls are coordinated: those of several would meet in circles.
      assertFalse(usesLanes(other), "independent with an old node");
      renameOnSecondNode("later_", "");
      old = false;
      long deadline = System.nanoTime() + SETTLED_SECONDS * 1_000_000_000L;
      while (shared(other) == 0 && System.nanoTime() - deadline < 0) {
        runBumps(other, usesLanes(other) ? CLIENTS : 1);
      }
      assertTrue(shared(other) > 0, "nothing is shared after the update");
    } finally {
      if (old) {
        renameOnSecondNode("later_", "");
      }
    }
  }

  /** Whether it has committed anything in a lane. */
  private static boolean usesLanes(RouterServer router) throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW abelian.commit_statistics")) {
      row.next();
      return !row.getString(1).contains("\"independent\":0");
    }
  }

  private static void runBumps(RouterServer router, int clients) throws Exception {
    long before = number(0, "SELECT n FROM account WHERE id = " + first);
    try (CombiningCrew crew = new CombiningCrew(clients, router::connect)) {
      crew.run(
          (connection, client) ->
              bump(
                  connection,
                  client,
                  Collections.synchronizedList(new ArrayList<>()),
                  Collections.synchronizedList(new ArrayList<>())));
    }
    long done = before + (long) clients * ROUNDS;
    assertEquals(done, number(0, "SELECT n FROM account WHERE id = " + first));
    assertEquals(done, number(1, "SELECT n FROM account WHERE id = " + second));
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        Arguments.of(Moment.BEFORE, Victim.NODE, 1),
        Arguments.of(Moment.ANSWERED, Victim.NODE, 0),
        Arguments.of(Moment.BEFORE, Victim.ROUTER, 1),
        Arguments.of(Moment.ANSWERED, Victim.CONNECTION, 1));
  }

  /** With a promise broken among them, which only the second node can find out. */
  @ParameterizedTest(name = "{0}, {1} lost, at node {2}")
  @MethodSource("faults")
  void eachCallIsWholeAfterAFault(Moment moment, Victim victim, int node) throws Exception {
    run("UPDATE account SET n = CASE id WHEN " + first + " THEN 5000 ELSE 0 END");
    Fault fault =
        cluster.proxy(node).arm(Fault.cut(moment, RUN_CALLS, () -> victim.strike(cluster, node)));
    int guilty = 5_004;
    // While what has struck lasts, frozen lanes stand still: calls may wait for its end.
    FutureTask<Boolean> healed =
        new FutureTask<>(
            () -> {
              boolean struck = fault.hasStruck(STRUCK_SECONDS);
              cluster.heal();
              return struck;
            });
    new Thread(healed, "healer").start();
    noteTogether(5_000, 5_008, guilty);
    assertTrue(healed.get(2 * STRUCK_SECONDS, TimeUnit.SECONDS), "nothing was shared");
    awaitRest();
    for (int number = 5_000; number < 5_008; number++) {
      List<Long> there = entries(0, number);
      String state = told.get(number);
      if (state.equals("success")) {
        assertOnBothNodes(number);
      } else if (number != guilty) {
        assertEquals(there.get(0), entries(1, number).get(1), "torn: " + number + " " + told);
      }
      assertTrue(there.get(0) <= 1, "executed twice: " + number + " " + told);
    }
    assertEquals(List.of(0L, 0L), entries(1, guilty), "the second node refuses it");
    if (BROKEN.equals(told.get(guilty))) {
      assertEquals(List.of(1L, 0L), entries(0, guilty), told.toString());
    }
  }

  /** Until no lane has anything pending or is closed. */
  private static void awaitRest() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLED_SECONDS);
    Map<Integer, Long> left = new TreeMap<>();
    do {
      Thread.sleep(100);
      for (int node = 0; node < 2; node++) {
        left.put(
            node,
            number(
                node,
                "SELECT cardinality(abelian.independent_pending(-1000)) + 1"
                    + " - (abelian.independent_state())[3]"));
      }
    } while (!left.equals(Map.of(0, 0L, 1, 0L)) && System.nanoTime() < deadline);
    assertEquals(Map.of(0, 0L, 1, 0L), left);
  }

  /** Waits for a node to be sent several calls as one fragment, which waits for its turn. */
  private static boolean awaitTogether() throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
            + " AND query LIKE '%independent_run_calls%' AND pid <> pg_backend_pid()";
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TOGETHER_SECONDS);
    while (number(1, waiting) == 0) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      Thread.sleep(50);
    }
    return true;
  }

  /** Calls that come too far from each other go apart, and who is in its lane stays there. */
  @Test
  void aCancelledCallTakesNoOtherWithIt() throws Exception {
    boolean seen = false;
    for (int attempt = 0; attempt < TRIES && !seen; attempt++) {
      int from = 7_000 + 100 * attempt;
      boolean together = cancelOneOfEight(from);
      int cancelled = 0;
      for (int number = from; number < from + 8; number++) {
        if (told.get(number).equals("57014")) {
          cancelled++;
          assertEquals(List.of(0L, 0L), entries(0, number));
          assertEquals(List.of(0L, 0L), entries(1, number));
        } else {
          assertEquals("success", told.get(number));
          assertOnBothNodes(number);
        }
      }
      assertTrue(cancelled <= 1, told::toString);
      seen = together && cancelled == 1;
    }
    assertTrue(seen, "no call was cancelled beside others that share their fragment");
  }

  /** Gives whether some of the calls were run together. */
  private boolean cancelOneOfEight(int from) throws Exception {
    try (Connection holder = cluster.node(0).connectAsSuperuser();
        Connection other = cluster.node(1).connectAsSuperuser();
        Statement lock = holder.createStatement();
        Statement otherLock = other.createStatement();
        CombiningCrew ahead = new CombiningCrew(3, cluster.router()::connect);
        CombiningCrew crew = new CombiningCrew(8, cluster.router()::connect)) {
      holder.setAutoCommit(false);
      other.setAutoCommit(false);
      lock.execute("SELECT FROM account WHERE id = " + first + " FOR UPDATE");
      otherLock.execute("SELECT FROM account WHERE id = " + second + " FOR UPDATE");
      List<Future<Void>> pending = new ArrayList<>();
      pending.addAll(ahead.start((connection, client) -> bump(connection, "SELECT bump(?, ?)")));
      Thread.sleep(200);
      List<Statement> calls = Collections.synchronizedList(new ArrayList<>());
      pending.addAll(
          crew.start(
              (connection, client) -> {
                String text = "CALL note(" + first + ", " + second + ", " + (from + client);
                try (Statement call = connection.createStatement()) {
                  calls.add(call);
                  call.execute(text + ", 0)");
                  told.put(from + client, "success");
                } catch (SQLException e) {
                  told.put(from + client, e.getSQLState());
                }
              }));
      boolean together = awaitTogether();
      calls.get(0).cancel();
      Thread.sleep(500);
      holder.rollback();
      other.rollback();
      CombiningCrew.await(pending);
      return together;
    }
  }
}
