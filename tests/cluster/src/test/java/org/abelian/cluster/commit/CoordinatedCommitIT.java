package org.abelian.cluster.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.router.error.SqlState;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.CommitLedger;
import org.abelian.router.transaction.CommitOutcome;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.DecisionRetention;
import org.abelian.router.transaction.Gid;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.OutcomeInquiry;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.Recovery;
import org.abelian.router.transaction.TransactionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithCluster(exclusive = true)
@Timeout(120) // a hang is a failure, not a wait
class CoordinatedCommitIT {
  private final LocalCluster cluster;
  private CommitBench bench;

  CoordinatedCommitIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void open() throws SQLException {
    bench = new CommitBench(cluster);
    bench.reset();
  }

  @AfterEach
  void close() throws SQLException {
    bench.close();
  }

  @Test
  void aTransactionOfThreeNodesCommitsEverywhereAndItsDecisionGoes() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 2, 1, 3);
    String token = parts.get(0).token();
    CommitOutcome outcome = bench.commit.commit(bench.request(parts));
    assertEquals(new CommitOutcome.Committed(List.of()), outcome);
    assertEquals(3, bench.nodesWith(1));
    assertEquals(1, bench.leftovers(), "the decision");
    assertEquals(TransactionStatus.COMMITTED, outcome(token));
    new DecisionRetention(bench.network, bench.ledger, Duration.ofMinutes(1)).forgetFinished();
    assertEquals(0, bench.leftovers());
  }

  @Test
  void aNodeThatCannotPrepareRollsAllBackWithItsOwnError() throws SQLException {
    bench.on(cluster.node(2), "INSERT INTO work VALUES (7, 7)");
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (8, 7)", 1, 2, 3);
    CommitOutcome.RolledBackByNode outcome =
        assertInstanceOf(
            CommitOutcome.RolledBackByNode.class, bench.commit.commit(bench.request(parts)));
    assertEquals(3, outcome.node());
    assertEquals("23505", outcome.failure().sqlState());
    assertEquals("once", outcome.failure().constraint());
    assertEquals(0, bench.nodesWith(8));
    assertEquals(0, bench.leftovers());
  }

  @Test
  void aHolderThatCannotCommitRollsAllBackWithItsOwnError() throws SQLException {
    bench.on(cluster.node(0), "INSERT INTO work VALUES (7, 7)");
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (8, 7)", 1, 2, 3);
    CommitOutcome.RolledBackByNode outcome =
        assertInstanceOf(
            CommitOutcome.RolledBackByNode.class, bench.commit.commit(bench.request(parts)));
    assertEquals(1, outcome.node());
    assertEquals(0, bench.nodesWith(8));
    assertEquals(0, bench.leftovers());
  }

  @Test
  void recoveryRollsBackWhatADeadCoordinatorLeftUndecided() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    Gid gid = bench.gids.next(1, 1, List.of());
    parts.get(1).send("PREPARE TRANSACTION '" + gid + "'");
    assertEquals(new Answer.Done("PREPARE TRANSACTION"), parts.get(1).await());
    bench.close();
    bench = new CommitBench(cluster);
    recoverAll();
    assertEquals(0, bench.nodesWith(1));
    new DecisionRetention(bench.network, new CommitLedger(), Duration.ZERO).sweep(1);
    assertEquals(0, bench.leftovers());
  }

  @Test
  void recoveryCommitsWhatADeadCoordinatorHadDecided() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    Gid gid = bench.gids.next(1, 1, List.of());
    parts.get(1).send("PREPARE TRANSACTION '" + gid + "'");
    parts.get(0).send("SELECT abelian.decide('" + gid + "'); COMMIT");
    assertEquals(new Answer.Done("COMMIT"), parts.get(0).await());
    DecisionRetention sweep =
        new DecisionRetention(bench.network, new CommitLedger(), Duration.ZERO);
    sweep.sweep(1);
    assertEquals(2, bench.leftovers(), "the decision is kept while it is needed");
    recoverAll();
    assertEquals(2, bench.nodesWith(1));
    sweep.sweep(1);
    assertEquals(0, bench.leftovers());
  }

  @Test
  void aCoordinatorThatRecoveryOvertookIsToldToTryAgain() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    OvertakenParticipant slow = new OvertakenParticipant(parts.get(1), this::recoverAll);
    CommitOutcome outcome =
        bench.commit.commit(
            new CommitRequest(1, parts.get(0).token(), List.of(parts.get(0), slow), List.of()));
    CommitOutcome.RolledBack rolledBack = assertInstanceOf(CommitOutcome.RolledBack.class, outcome);
    assertEquals(SqlState.SERIALIZATION_FAILURE, rolledBack.error().state());
    assertEquals(0, bench.nodesWith(1));
    new DecisionRetention(bench.network, new CommitLedger(), Duration.ZERO).sweep(1);
    assertEquals(0, bench.leftovers());
  }

  @Test
  void anAbortIsRememberedWhileItsCoordinatorMayStillDecide() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    Gid gid = bench.gids.next(1, 1, List.of());
    parts.get(1).send("PREPARE TRANSACTION '" + gid + "'");
    recoverAll();
    DecisionRetention sweep =
        new DecisionRetention(bench.network, new CommitLedger(), Duration.ZERO);
    sweep.sweep(1);
    parts.get(0).send("SELECT abelian.decide('" + gid + "'); COMMIT");
    Answer.Failed refused = assertInstanceOf(Answer.Failed.class, parts.get(0).await());
    assertEquals("decision_pkey", refused.constraint());
    parts.get(0).send("ROLLBACK");
    sweep.sweep(1);
    assertEquals(0, bench.leftovers());
  }

  @Test
  void aNodeThatDiesAfterTheDecisionIsNamedInAWarningAndCaughtUpByRecovery() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    DyingParticipant dying =
        new DyingParticipant(parts.get(1), "COMMIT PREPARED", () -> cluster.node(1).kill());
    CommitRequest request =
        new CommitRequest(1, parts.get(0).token(), List.of(parts.get(0), dying), List.of());
    CommitOutcome outcome = commitAndRestart(request, 1);
    CommitOutcome.Committed committed = assertInstanceOf(CommitOutcome.Committed.class, outcome);
    assertEquals(1, committed.warnings().size());
    assertTrue(committed.warnings().get(0).contains("node 2"), committed.warnings().get(0));
    recoverAll();
    assertEquals(2, bench.nodesWith(1));
  }

  @Test
  void aHolderThatDiesDuringTheDecisionLeavesAnHonestAnswer() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1, 2);
    DyingParticipant dying =
        new DyingParticipant(parts.get(0), "SELECT abelian.decide", () -> cluster.node(0).kill());
    CommitRequest request =
        new CommitRequest(1, parts.get(0).token(), List.of(dying, parts.get(1)), List.of());
    CommitOutcome outcome = commitAndRestart(request, 0);
    CommitOutcome.Unknown unknown = assertInstanceOf(CommitOutcome.Unknown.class, outcome);
    assertEquals(SqlState.TRANSACTION_RESOLUTION_UNKNOWN, unknown.error().state());
    recoverAll();
    assertEquals(0, bench.nodesWith(1));
    String hint = unknown.error().hint();
    String token = hint.substring(hint.indexOf('\'') + 1, hint.lastIndexOf('\''));
    assertEquals(TransactionStatus.ABORTED, outcome(token));
  }

  @Test
  void aTransactionThatACrashLostIsNotTakenForALaterOneWithItsNumber() throws SQLException {
    List<JdbcParticipant> parts = bench.begin(1, "INSERT INTO work VALUES (1, 1)", 1);
    String token = parts.get(0).token();
    cluster.node(0).kill();
    cluster.node(0).start();
    // These take the numbers that the crash has set free.
    for (int later = 100; later < 120; later++) {
      bench.on(cluster.node(0), "INSERT INTO work VALUES (" + later + ", " + later + ")");
      assertNotEquals(TransactionStatus.COMMITTED, outcome(token));
    }
    assertEquals(0, bench.nodesWith(1));
  }

  @Test
  void aClientAsksThroughTheRouterWhateverNodeKnows() throws SQLException {
    for (int node = 1; node <= 3; node++) {
      JdbcParticipant part = bench.begin(1, "INSERT INTO work VALUES (1, 1)", node).get(0);
      String token = part.token();
      part.execute("COMMIT");
      try (Connection client = cluster.connect();
          Statement literal = client.createStatement();
          ResultSet answer =
              literal.executeQuery("SELECT abelian.transaction_outcome('" + token + "')");
          PreparedStatement bound =
              client.prepareStatement("SELECT abelian.transaction_outcome(?)")) {
        assertTrue(answer.next());
        assertEquals("committed", answer.getString(1));
        bound.setString(1, token);
        try (ResultSet again = bound.executeQuery()) {
          assertTrue(again.next());
          assertEquals("committed", again.getString("transaction_outcome"));
        }
      }
    }
  }

  private CommitOutcome commitAndRestart(CommitRequest request, int node) {
    try {
      return bench.commit.commit(request);
    } finally {
      cluster.node(node).start();
    }
  }

  private TransactionStatus outcome(String token) {
    OptionalInt node = new OutcomeInquiry(bench.network, gid -> false, Pause.SLEEP).whoKnows(token);
    try {
      return node.isPresent()
          ? bench.network.outcome(node.getAsInt(), token)
          : TransactionStatus.UNKNOWN;
    } catch (NodeUnreachableException unreachable) {
      throw new IllegalStateException(unreachable);
    }
  }

  /** Until nothing is left: a backend may take a moment to notice that its client is gone. */
  private void recoverAll() {
    Recovery recovery = new Recovery(bench.network, new CommitLedger(), Duration.ZERO);
    for (int round = 0; round < 200 && recovery.runOnce() > 0; round++) {
      Pause.SLEEP.pause(Duration.ofMillis(20));
    }
  }
}
