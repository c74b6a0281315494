package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.CaseShare;
import org.abelian.harness.Fault;
import org.abelian.harness.Fault.Moment;
import org.abelian.harness.RouterServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transfer between two nodes, with a fault at each message of its commit: afterwards both rows or
 * neither have changed, as the client was told, and nothing stays prepared.
 */
class CommitFaultsIT {
  private static final String PREPARE = "prepare transaction";
  private static final String DECIDE = "abelian.decide";
  private static final String COMMIT_PREPARED = "commit prepared";
  private static final String UNKNOWN = "08007";
  private static final int ANSWERED_SECONDS_MAX = 60;
  private static final Pattern QUESTION =
      Pattern.compile("SELECT abelian\\.transaction_outcome\\('[^']+'\\)");

  private static ProxiedCluster cluster;

  @RegisterExtension static final HealedAfterFailure HEALED = new HealedAfterFailure(() -> cluster);

  private static int from;
  private static int to;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
      statement.execute("SELECT create_distributed_table('account', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO account VALUES (" + id + ", 0)");
      }
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
        Stream.of(PREPARE, DECIDE, COMMIT_PREPARED)
            .flatMap(
                step ->
                    Stream.of(Moment.values())
                        .flatMap(
                            moment ->
                                Stream.of(Victim.values())
                                    .map(v -> Arguments.of(moment, step, v)))));
  }

  @ParameterizedTest(name = "{0} {1}, {2} lost")
  @MethodSource("faults")
  void aTransferIsWholeAfterAFault(Moment moment, String step, Victim victim) throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    Fault[] faults = new Fault[2];
    for (int i = 0; i < 2; i++) {
      int index = i;
      faults[i] =
          cluster.proxy(i).arm(Fault.cut(moment, step, () -> victim.strike(cluster, index)));
    }
    CompletableFuture<Told> pending = CompletableFuture.supplyAsync(CommitFaultsIT::transfer);
    assertTrue(oneHasStruck(faults), "the fault has not struck");
    if (victim == Victim.NODE && !staysDown(moment, step)) {
      cluster.heal();
    }
    Told told = pending.get(ANSWERED_SECONDS_MAX, TimeUnit.SECONDS);
    cluster.heal();
    assertEquals(List.of(), cluster.preparedAfterRecovery(), told.toString());
    assertWhole(told, fromBefore, toBefore);
  }

  /**
   * Whether a killed node comes back only when the client has its answer, for which the router then
   * takes all of its patience: once where the answer is success with a warning. Where it is that
   * the outcome is unknown has a test of its own. Otherwise the node comes back while the router
   * still tries.
   */
  private static boolean staysDown(Moment moment, String step) {
    return step.equals(COMMIT_PREPARED) && moment == Moment.BEFORE;
  }

  /** Which node is the one with the message depends on the message. */
  private static boolean oneHasStruck(Fault... faults) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWERED_SECONDS_MAX);
    boolean struck = false;
    while (!struck && System.nanoTime() < deadline) {
      for (Fault fault : faults) {
        struck |= fault.hasStruck(0);
      }
      Thread.sleep(10);
    }
    return struck;
  }

  /** The first block's outcome is not taken for that of the second, which its node rolls back. */
  @Test
  void aBlockThatIsLostBehindACommittedOneInItsGroupIsNotToldAsCommitted() throws Exception {
    String add = "UPDATE account SET balance = balance + 1 %s WHERE id = " + from;
    long before = balance(0, from);
    Fault fault = cluster.proxy(0).arm(Fault.cut(Moment.BEFORE, "second block"));
    try (WireClient client = ParityFixture.wire(cluster.router().port())) {
      client.run("BEGIN", add.formatted(""));
      client.sync().untilReady();
      client.run("COMMIT", "BEGIN", add.formatted("/* second block */"), "COMMIT");
      List<Message> answer = client.sync().untilReady();
      assertTrue(fault.hasStruck(0));
      assertEquals(1, answer.stream().filter(m -> m.type() == 'E').count(), answer::toString);
    }
    assertEquals(before + 1, balance(0, from));
  }

  /** What the client has sent behind it is not dropped without a word. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsSentBehindACommitWhoseAnswerIsLostIsToldNotToHaveRun(boolean simple) throws Exception {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS slow");
      statement.execute("CREATE TABLE slow (id int PRIMARY KEY)");
      statement.execute(
          "SELECT create_distributed_table('slow', 'id', colocate_with => 'account')");
      statement.execute(
          "CREATE OR REPLACE FUNCTION sleeps() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END'");
      statement.execute(
          "CREATE CONSTRAINT TRIGGER sleeps AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR"
              + " EACH ROW EXECUTE FUNCTION sleeps()");
    }
    String insert = "INSERT INTO slow VALUES (" + from + ")";
    String next = "SELECT 'next'";
    try (WireClient client = ParityFixture.wire(cluster.router().port())) {
      client.run("BEGIN", insert);
      client.sync().untilReady();
      if (simple) {
        client.query("COMMIT; " + next);
      } else {
        client.run("COMMIT", next);
        client.sync();
      }
      List<Message> answer = answerAfterACut(client);
      assertTrue(answer.toString().contains("C COMMIT"), answer::toString);
      assertEquals(1, answer.stream().filter(m -> m.type() == 'E').count(), answer::toString);
      client.run("BEGIN", "DELETE FROM slow");
      client.run(insert);
      client.sync().untilReady();
      client.run("COMMIT");
      answer = answerAfterACut(client.sync());
      assertEquals(0, answer.stream().filter(m -> m.type() == 'E').count(), answer::toString);
    }
    assertEquals(1, ProxiedCluster.number(cluster.node(0), "SELECT count(*) FROM slow"));
  }

  /** The node is in the midst of its COMMIT, which it carries out to the end. */
  private static List<Message> answerAfterACut(WireClient client) throws Exception {
    client.flush();
    Thread.sleep(300);
    cluster.proxy(0).cutAll();
    return client.untilReady();
  }

  @Test
  void recoveryThatOvertakesALiveCommitMakesItFailAndNothingIsApplied() throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    for (int i = 0; i < 2; i++) {
      cluster.proxy(i).arm(Fault.hold(Moment.BEFORE, DECIDE, CommitFaultsIT::awaitNothingPrepared));
    }
    RouterServer second = cluster.startAnotherRouter();
    Told told = transfer();
    second.close();
    cluster.heal();
    assertEquals("40001", told.sqlState(), told.toString());
    assertEquals(fromBefore, balance(0, from));
    assertEquals(toBefore, balance(1, to));
  }

  @Test
  void recoveryThatFinishesALiveCommitLeavesItSuccessful() throws Exception {
    long fromBefore = balance(0, from);
    long toBefore = balance(1, to);
    for (int i = 0; i < 2; i++) {
      cluster
          .proxy(i)
          .arm(Fault.hold(Moment.BEFORE, COMMIT_PREPARED, CommitFaultsIT::awaitNothingPrepared));
    }
    RouterServer second = cluster.startAnotherRouter();
    Told told = transfer();
    second.close();
    cluster.heal();
    assertTrue(told.success(), told.toString());
    assertEquals(fromBefore - 1, balance(0, from));
    assertEquals(toBefore + 1, balance(1, to));
  }

  @Test
  void anOutcomeIsUnknownWhileItsHolderIsDownAndToldWhenTheHolderIsBack() throws Exception {
    long fromBefore = balance(0, from);
    for (int i = 0; i < 2; i++) {
      int index = i;
      cluster.proxy(i).arm(Fault.cut(Moment.ANSWERED, DECIDE, () -> cluster.node(index).kill()));
    }
    Told told = transfer();
    assertEquals(UNKNOWN, told.sqlState(), told.toString());
    assertEquals("unknown", outcome(told));
    CompletableFuture<String> asked =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return outcome(told);
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    cluster.heal();
    // The question that was asked while the holder was down is answered when it is back.
    assertEquals("committed", asked.get(60, TimeUnit.SECONDS));
    assertEquals(List.of(), cluster.preparedAfterRecovery());
    assertEquals(fromBefore - 1, balance(0, from));
  }

  private static void awaitNothingPrepared() {
    // What resolves it meanwhile is the other router; the held one does not know of its success.
    try {
      cluster.preparedAfterRecovery();
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Told transfer() {
    try (Connection connection = cluster.router().connect()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("UPDATE account SET balance = balance - 1 WHERE id = " + from);
        statement.execute("UPDATE account SET balance = balance + 1 WHERE id = " + to);
      }
      connection.commit();
      return Told.SUCCESS;
    } catch (SQLException e) {
      return Told.of(e);
    }
  }

  private static void assertWhole(Told told, long fromBefore, long toBefore)
      throws SQLException, InterruptedException {
    long moved = fromBefore - balance(0, from);
    assertEquals(moved, balance(1, to) - toBefore, "torn: " + told);
    assertTrue(moved == 0 || moved == 1, "moved " + moved);
    if (told.success()) {
      assertEquals(1, moved, "an acknowledged commit is lost");
    } else if (told.rolledBack()) {
      assertEquals(0, moved, "applied although " + told);
    } else if (UNKNOWN.equals(told.sqlState())) {
      assertEquals(moved == 1 ? "committed" : "aborted", outcome(told), told.toString());
    }
  }

  /** Asks the router what became of the commit, in the words of the error's hint. */
  private static String outcome(Told told) throws SQLException {
    Matcher question = QUESTION.matcher(told.text());
    assertTrue(question.find(), "no question in " + told);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(question.group())) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static long balance(int node, int id) throws SQLException {
    return ProxiedCluster.number(
        cluster.node(node), "SELECT balance FROM account WHERE id = " + id);
  }
}
