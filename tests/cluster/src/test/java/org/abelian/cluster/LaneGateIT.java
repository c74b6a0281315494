package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Proposals at a gate that is closed: they wait for a moment, in the order of their arrival, and
 * leave nothing behind when that was not long enough.
 */
@WithCluster
class LaneGateIT {
  /** A proposal waits so shortly that a busy machine may see too little of it: then once more. */
  private static final int ROUNDS = 60;

  private static final int INNOCENT_ROUNDS = 5;
  private static final int ANSWER_SECONDS = 30;
  private static final long REFUSED = -4;
  private static final long LIMIT_MILLIS = 50;

  /** How long whoever holds a gate waits for another lane. */
  private static final long PATIENCE_MILLIS = 2_000;

  private static final String INDEPENDENT =
      "commit class independent: every participant decides alike";

  private final LocalCluster cluster;
  private int[] keys;

  LaneGateIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS tally CASCADE");
      statement.execute("CREATE TABLE tally (id int PRIMARY KEY, n int)");
      statement.execute("SELECT create_distributed_table('tally', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO tally VALUES (" + id + ", 0)");
      }
      statement.execute(
          "CREATE PROCEDURE note_both(a int, b int) LANGUAGE sql BEGIN ATOMIC UPDATE tally SET n ="
              + " 1 WHERE id IN (a, b); END");
      statement.execute(
          "SELECT create_distributed_procedure('note_both(int, int)', 'a, b', colocate_with =>"
              + " 'tally', class => 'independent', unsafe => true)");
    }
    keys = new int[] {key(cluster.node(0)), key(cluster.node(1))};
    assertEquals(INDEPENDENT, call(), "opens the lanes");
  }

  private static int key(LocalNode node) throws SQLException {
    return (int) ProxiedCluster.number(node, "SELECT min(id) FROM tally");
  }

  // ---- what a node does
  // ----------------------------------------------------------------------------------------------

  @Test
  void aProposalGetsItsTimestampWhenTheGateOpens() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      try (Gate gate = new Gate(node())) {
        String id = UUID.randomUUID().toString();
        Future<Long> answer = begin(() -> propose(id));
        boolean waited = waits(node(), 1, answer);
        gate.open();
        long timestamp = answer(answer);
        cancel(id);
        if (waited && timestamp > 0) {
          return;
        }
      }
    }
    throw new AssertionError("no proposal that waited has got a timestamp");
  }

  @Test
  void aProposalThatWaitsTooLongIsRefusedAndLeavesNothing() throws Exception {
    String id = UUID.randomUUID().toString();
    try (Gate gate = new Gate(node())) {
      long start = System.nanoTime();
      assertEquals(REFUSED, propose(id));
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertTrue(millis >= LIMIT_MILLIS && millis < PATIENCE_MILLIS, millis + " ms");
      assertNothingLeft();
      gate.open();
    }
    assertTrue(propose(id) > 0, "a refusal is no tombstone");
    cancel(id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pg_cancel_backend", "pg_terminate_backend"})
  void whoIsInterruptedWhileItWaitsLeavesNothing(String interrupt) throws Exception {
    String id = UUID.randomUUID().toString();
    for (int round = 0; round < ROUNDS; round++) {
      Future<Long> answer;
      try (Gate gate = new Gate(node())) {
        answer = begin(() -> propose(id));
        waits(node(), 1, answer);
        ProxiedCluster.number(
            node(), "SELECT count(" + interrupt + "(pid)) FROM pg_locks WHERE " + WAITING);
        if (answerOrError(answer) == REFUSED) {
          continue; // It came too late.
        }
        assertThrows(ExecutionException.class, () -> answer(answer));
        assertNothingLeft();
        gate.open();
      }
      assertTrue(propose(id) > 0, "nothing was kept of it");
      cancel(id);
      return;
    }
    throw new AssertionError("none was interrupted in time");
  }

  /** So that a stream of those who close gates does not keep proposals from coming. */
  @Test
  void whoeverClosesTheGateLaterWaitsBehindTheProposal() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      try (Gate first = new Gate(node())) {
        String id = UUID.randomUUID().toString();
        Future<Long> answer = begin(() -> propose(id));
        boolean waited = waits(node(), 1, answer);
        Future<Gate> later = begin(() -> new Gate(node()));
        waited &= waits(node(), 2, later);
        first.open();
        boolean proposed = answer(answer) > 0;
        if (waited && proposed) {
          assertFalse(isDone(later), "the gate was entered beside a pending transaction");
        }
        cancel(id);
        later.get(ANSWER_SECONDS, TimeUnit.SECONDS).close();
        if (waited && proposed) {
          return;
        }
      }
    }
    throw new AssertionError("no proposal came between two others");
  }

  /**
   * One waits at the gate, behind a proposal, with a row lock for which the lane waits. Another one
   * has the gate and waits for the lane: it is not to give up for what is about to end.
   */
  @Test
  void whoWaitsForTheLaneDoesNotGiveUpForOneWhoIsStillAtTheGate() throws Exception {
    change("CREATE TABLE IF NOT EXISTS lane_held (n int); INSERT INTO lane_held VALUES (0)");
    for (int round = 0; round < INNOCENT_ROUNDS; round++) {
      String fragment = UUID.randomUUID().toString();
      String proposal = UUID.randomUUID().toString();
      try (Connection guilty = node().connectAsSuperuser();
          Statement statement = guilty.createStatement()) {
        guilty.setAutoCommit(false);
        statement.execute("UPDATE lane_held SET n = n + 1");
        assertTrue(propose(fragment) > 0);
        Future<Void> lane = begin(() -> execute(fragment));
        await("NOT granted AND locktype = 'transactionid'");
        Future<Gate> innocent = begin(() -> new Gate(node()));
        await(AT_GATE + " AND mode = 'RowExclusiveLock' AND granted");
        Future<Long> answer = begin(() -> propose(proposal));
        waits(node(), 1, answer);
        SQLException error =
            assertThrows(
                SQLException.class, () -> statement.execute("SELECT abelian.enter_commit_gate()"));
        assertEquals("40001", error.getSQLState(), error.getMessage());
        guilty.rollback();
        answer(lane);
        answer(innocent).close();
        answer(answer);
      }
      cancel(proposal);
    }
  }

  private Void execute(String id) throws SQLException {
    change(
        "BEGIN; SELECT abelian.independent_run('"
            + id
            + "', (abelian.independent_state())[2], 1, ARRAY[1], 'SELECT 1');"
            + " UPDATE lane_held SET n = n + 10; COMMIT");
    return null;
  }

  // ---- what calls make of it
  // -----------------------------------------------------------------------------------------

  @Test
  void aCallIsTriedAgainAsLongAsTheGateMayOpen() throws Exception {
    Future<String> told;
    try (Gate gate = new Gate(node())) {
      told = begin(this::call);
      assertTrue(waits(node(), 1, told));
      Thread.sleep(6 * LIMIT_MILLIS);
      assertFalse(told.isDone(), "it has passed a closed gate");
      gate.open();
    }
    assertEquals(INDEPENDENT, told.get(ANSWER_SECONDS, TimeUnit.SECONDS));
  }

  /** Nothing of it runs on a node most of the time: it is between two attempts. */
  @ParameterizedTest
  @ValueSource(strings = {"CALL note_both(%d, %d)", "SELECT sum(n) FROM tally"})
  void whatWaitsAtAClosedGateCanBeCancelled(String sql) throws Exception {
    try (Gate gate = new Gate(node());
        Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      Future<Boolean> told = begin(() -> statement.execute(String.format(sql, keys[0], keys[1])));
      for (int i = 0; i < ROUNDS && !told.isDone(); i++) { // It may not have begun at first.
        Thread.sleep(2 * LIMIT_MILLIS);
        statement.cancel();
      }
      ExecutionException error = assertThrows(ExecutionException.class, () -> answer(told));
      assertEquals("57014", ((SQLException) error.getCause()).getSQLState(), error::getMessage);
      gate.open();
      try (ResultSet rows = statement.executeQuery("SELECT sum(n) FROM tally WHERE n = 1")) {
        rows.next();
        assertEquals(2, rows.getInt(1), "the cancelled call has added nothing to the first one's");
      }
    }
    assertEquals(INDEPENDENT, call());
  }

  /** The call is pending on one node while it waits for who holds the other's gate. */
  @Test
  void whoWaitsForACallThatWaitsForItGoesFirst() throws Exception {
    Future<String> told;
    try (Gate one = new Gate(node())) {
      told = begin(this::call);
      assertTrue(waits(node(), 1, told));
      long start = System.nanoTime();
      try (Gate other = new Gate(cluster.node(1))) {
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < PATIENCE_MILLIS / 2, millis + " ms");
        other.open();
      }
      one.open();
    }
    assertEquals(INDEPENDENT, told.get(ANSWER_SECONDS, TimeUnit.SECONDS));
  }

  /** Fragments that wait for rows keep both lanes busy; each attempt gives up after 0.5 s. */
  @Test
  void aCommutingCallThatALaneRefusesIsTriedAgain() throws Exception {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        Connection one = node().connectAsSuperuser();
        Connection other = cluster.node(1).connectAsSuperuser()) {
      statement.execute("DROP TABLE IF EXISTS score CASCADE");
      statement.execute("CREATE TABLE score (id int PRIMARY KEY, n abelian.counter NOT NULL)");
      statement.execute("SELECT create_distributed_table('score', 'id', colocate_with => 'tally')");
      statement.execute("INSERT INTO score VALUES (" + keys[0] + ", 0), (" + keys[1] + ", 0)");
      statement.execute(
          "CREATE OR REPLACE PROCEDURE score_both(a int, b int) LANGUAGE plpgsql AS $$ BEGIN"
              + " UPDATE score SET n = n + 1 WHERE id = a;"
              + " UPDATE score SET n = n + 1 WHERE id = b; END $$");
      statement.execute(
          "SELECT create_distributed_procedure('score_both(int, int)', 'a, b', 'score')");
      lock(one, keys[0]);
      lock(other, keys[1]);
      Future<String> told = begin(this::call);
      await("NOT granted AND locktype = 'transactionid'");
      statement.execute("SET lock_timeout = '500ms'");
      String call = "CALL score_both(" + keys[0] + ", " + keys[1] + ")";
      Future<Boolean> done = begin(() -> statement.execute(call));
      assertFalse(isDone(done));
      Thread.sleep(700);
      one.rollback();
      other.rollback();
      answer(done);
      assertEquals(INDEPENDENT, answer(told));
      for (LocalNode node : cluster.nodes().subList(0, 2)) {
        assertEquals(1, ProxiedCluster.number(node, "SELECT sum(n)::bigint FROM score"));
      }
    }
  }

  private static void lock(Connection holder, int key) throws SQLException {
    holder.setAutoCommit(false);
    try (Statement statement = holder.createStatement()) {
      statement.execute("SELECT FROM tally WHERE id = " + key + " FOR UPDATE");
    }
  }

  // ---- what they need
  // ------------------------------------------------------------------------------------------------

  private static final String AT_GATE = "locktype = 'advisory' AND objsubid = x'AB04'::int - 65536";

  private static final String WAITING = AT_GATE + " AND NOT granted";

  /** Held by whoever is about to commit over several nodes. */
  private static final class Gate implements AutoCloseable {
    private final Connection holder;

    Gate(LocalNode node) throws SQLException {
      holder = node.connectAsSuperuser();
      holder.setAutoCommit(false);
      try (Statement statement = holder.createStatement()) {
        statement.execute("SELECT abelian.enter_commit_gate()");
      }
    }

    void open() throws SQLException {
      holder.rollback();
    }

    @Override
    public void close() throws SQLException {
      holder.close();
    }
  }

  private LocalNode node() {
    return cluster.node(0);
  }

  private static <T> Future<T> begin(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private static <T> T answer(Future<T> answer) throws Exception {
    return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  private static long answerOrError(Future<Long> answer) throws Exception {
    try {
      return answer(answer);
    } catch (ExecutionException interrupted) {
      return 0;
    }
  }

  private static boolean isDone(Future<?> later) throws Exception {
    try {
      later.get(2 * LIMIT_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException waits) {
      return false;
    }
  }

  /** Until so many wait at the node's gate; false when one of them has got its answer before. */
  private static boolean waits(LocalNode node, int count, Future<?> answer) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        PreparedStatement look =
            connection.prepareStatement("SELECT count(*) FROM pg_locks WHERE " + WAITING)) {
      while (!answer.isDone()) {
        try (ResultSet rows = look.executeQuery()) {
          rows.next();
          if (rows.getInt(1) >= count) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /** Until there is such a lock on the node. */
  private void await(String lock) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
    String look = "SELECT count(*) FROM pg_locks WHERE " + lock;
    while (ProxiedCluster.number(node(), look) == 0) {
      assertTrue(System.nanoTime() < deadline, lock);
      Thread.sleep(1);
    }
  }

  private void change(String sql) throws SQLException {
    try (Connection connection = node().connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long propose(String id) throws SQLException {
    return ProxiedCluster.number(
        node(),
        "SELECT abelian.independent_propose('"
            + id
            + "', 1, ARRAY[1], ARRAY[(abelian.independent_state())[1]], 9e18::bigint)");
  }

  private void cancel(String id) throws SQLException {
    ProxiedCluster.number(
        node(), "SELECT 1 FROM (SELECT abelian.independent_cancel('" + id + "')) cancelled");
  }

  private void assertNothingLeft() throws SQLException {
    assertEquals(
        0, ProxiedCluster.number(node(), "SELECT cardinality(abelian.independent_pending(-1000))"));
    assertEquals(
        0, ProxiedCluster.number(node(), "SELECT count(*) FROM pg_locks WHERE " + WAITING));
  }

  private String call() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_notice = on");
      statement.execute("CALL note_both(" + keys[0] + ", " + keys[1] + ")");
      return String.valueOf(statement.getWarnings().getMessage());
    }
  }
}
