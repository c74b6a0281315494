package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A read of several nodes waits for transactions that it has met half-way, and for no others. */
@WithCluster
class ReadEvidenceIT {
  private static final String SUM = "SELECT sum(balance) FROM halves";
  private static final String ROWS = "SELECT balance FROM halves WHERE name = 'x'";

  private final LocalCluster cluster;
  private final String gid = "abelian:2:" + UUID.randomUUID() + ":1-1/1,2";
  private Connection one;
  private Connection two;

  ReadEvidenceIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void begin() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = '20s'");
      statement.execute("DROP TABLE IF EXISTS halves CASCADE");
      statement.execute("CREATE TABLE halves (id int PRIMARY KEY, name text, balance int)");
      statement.execute("SELECT create_distributed_table('halves', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO halves VALUES (" + id + ", 'x', 0)");
      }
      statement.executeQuery(SUM).close(); // What it learns behind the gates is known from now on.
      assertEquals(0, total(connection, ROWS));
      statement.execute("RESET lock_timeout");
    }
    one = connect(1);
    two = connect(2);
  }

  @AfterEach
  void end() throws SQLException {
    one.close();
    two.close();
    LocalNode node = cluster.node(0);
    String left = "SELECT count(*) FROM pg_prepared_xacts WHERE gid = '" + gid + "'";
    if (ProxiedCluster.number(node, left) > 0) { // A test has failed, and others are to go on.
      try (Connection connection = connect(1)) {
        execute(connection, "ROLLBACK PREPARED '" + gid + "'");
      }
    }
  }

  private Connection connect(int node) throws SQLException {
    return cluster.node(node - 1).connectAsSuperuser();
  }

  /** Prepared on node 1, and not yet decided on node 2, as between two messages of a router. */
  private void prepare() throws SQLException {
    execute(one, "BEGIN", "UPDATE halves SET balance = 5 WHERE id = (SELECT min(id) FROM halves)");
    execute(two, "BEGIN", "UPDATE halves SET balance = -5 WHERE id = (SELECT min(id) FROM halves)");
    execute(one, "PREPARE TRANSACTION '" + gid + "'");
  }

  /** A router's recovery may have decided so as well, on a machine that is slow. */
  private void rollBack() throws SQLException {
    execute(two, "ROLLBACK");
    execute(one, "ROLLBACK PREPARED '" + gid + "'");
  }

  private void decide() throws SQLException {
    execute(two, "SELECT abelian.decide('" + gid + "')", "COMMIT");
  }

  @ParameterizedTest
  @ValueSource(strings = {SUM, ROWS})
  void whatIsUnderWayEverywhereIsNotWaitedFor(String read) throws Exception {
    assertIsNotWaitedFor(read);
  }

  /** It is ordered with them by its gates, not by a timestamp of its own. */
  @ParameterizedTest
  @ValueSource(strings = {SUM, ROWS})
  void norIsItWhereIndependentTransactionsHaveRun(String read) throws Exception {
    try (Connection connection = cluster.connect()) {
      execute(
          connection,
          "CREATE PROCEDURE touch_halves(a int, b int) LANGUAGE sql BEGIN ATOMIC UPDATE halves SET"
              + " name = name WHERE id IN (a, b); END",
          "SELECT create_distributed_procedure('touch_halves(int, int)', 'a, b', colocate_with =>"
              + " 'halves', class => 'independent', unsafe => true)",
          "CALL touch_halves(" + key(1) + ", " + key(2) + ")");
      assertEquals(0, total(connection, SUM));
    }
    String clock = "SELECT (abelian.independent_state())[1]";
    assertTrue(ProxiedCluster.number(cluster.node(0), clock) > 0, "its lane was never used");
    assertIsNotWaitedFor(read);
  }

  private long key(int node) throws SQLException {
    return ProxiedCluster.number(cluster.node(node - 1), "SELECT min(id) FROM halves");
  }

  private void assertIsNotWaitedFor(String read) throws SQLException {
    prepare();
    try (Connection connection = cluster.connect()) {
      for (int i = 0; i < 5; i++) {
        assertEquals(0, total(connection, read));
      }
    } finally {
      rollBack();
    }
  }

  /** Node 3, which is not read, says that nothing there depends on what is under way. */
  @ParameterizedTest
  @ValueSource(strings = {"", "BEGIN"})
  void whatHasOtherNodesIsNotWaitedFor(String before) throws Exception {
    String read = "SELECT sum(balance) FROM halves WHERE id IN (" + key(1) + ", " + key(2) + ")";
    String other = gid.replaceFirst("1,2$", "1,3");
    try (Connection connection = cluster.connect()) {
      assertEquals(0, total(connection, read)); // It learns behind the gates of these two.
      execute(one, "BEGIN", "UPDATE halves SET balance = 5 WHERE id = " + key(1));
      execute(one, "PREPARE TRANSACTION '" + other + "'");
      try {
        execute(connection, before);
        for (int i = 0; i < 40; i++) { // With the witness from the beginning, and without.
          assertEquals(0, total(connection, read));
        }
        if (before.isEmpty()) {
          assertIsNoPartOfTheGroup(connection, read);
        }
      } finally {
        execute(one, "ROLLBACK PREPARED '" + other + "'");
      }
      execute(connection, before.isEmpty() ? "" : "COMMIT");
      assertEquals(0, total(connection, read));
    }
  }

  /** What comes later in one group of messages may begin on node 3 as it likes. */
  private void assertIsNoPartOfTheGroup(Connection connection, String read) throws SQLException {
    String third = "UPDATE halves SET name = name WHERE id = " + key(3);
    for (int i = 0; i < 20; i++) {
      execute(
          connection,
          String.join("; ", "BEGIN", read, "COMMIT", "BEGIN NOT DEFERRABLE", third, "COMMIT"),
          String.join("; ", "BEGIN ISOLATION LEVEL READ COMMITTED, NOT DEFERRABLE", read, third),
          "COMMIT",
          String.join("; ", read, "BEGIN READ WRITE", read, third, read, "COMMIT"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {SUM, ROWS})
  void whatIsSeenOnOneNodeIsWaitedFor(String read) throws Exception {
    assertIsWaitedFor(read, List.of());
  }

  /** The rows that came before are not the client's, and the transaction goes on. */
  @ParameterizedTest
  @ValueSource(strings = {SUM, ROWS})
  void itIsWaitedForInATransactionBlock(String read) throws Exception {
    assertIsWaitedFor(read, List.of("BEGIN"));
  }

  @ParameterizedTest
  @ValueSource(strings = {SUM, ROWS})
  void itIsWaitedForInABlockThatHasWritten(String read) throws Exception {
    assertIsWaitedFor(
        read, List.of("BEGIN", "UPDATE halves SET name = name WHERE id = " + last(3)));
  }

  private long last(int node) throws SQLException {
    return ProxiedCluster.number(cluster.node(node - 1), "SELECT max(id) FROM halves");
  }

  private void assertIsWaitedFor(String read, List<String> before) throws Exception {
    prepare();
    decide();
    int torn = total(one, read) + total(two, read) + total(3, read);
    assertNotEquals(0, torn, "a router that did not compare would not be noticed");
    try (Connection connection = cluster.connect()) {
      execute(connection, before.toArray(String[]::new));
      CompletableFuture<Integer> total =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return total(connection, read);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThrows(TimeoutException.class, () -> total.get(300, TimeUnit.MILLISECONDS));
      execute(one, "COMMIT PREPARED '" + gid + "'");
      assertEquals(0, total.get(20, TimeUnit.SECONDS));
      assertEquals(0, total(connection, read), "nothing is left of what was discarded");
    }
  }

  @Test
  void aNodeTellsWhatAQueryShowsWhenItsPortalAsks() throws Exception {
    prepare();
    try (WireClient client = asRouter()) {
      String[] words = told(client, "abelian/1//-1").get(0).split(" ");
      assertFalse(words[0].isEmpty());
      assertEquals(4, words.length, "nobody is named to whom it is all the same");
      String name = "abelian/2/" + words[0] + "/" + words[2];
      assertEquals("e1:" + gid, told(client, name).get(0).split(" ")[4]);
      assertEquals(List.of(""), told(client, "abelian/3/another/0"), "not in this run");
      assertEquals(List.of(""), told(client, "abelian/4"), "no question");
      assertEquals(List.of(), told(client, "mine"));
      client.query("SET abelian.placement_version = 0").untilReady();
      assertEquals(List.of(), told(client, name), "this is no router");
    } finally {
      rollBack();
    }
  }

  /** What has committed since the snapshot was taken, but had done all of its work before. */
  @Test
  void aNodeCompletesASnapshotByWhatWasReadyThen() throws Exception {
    prepare();
    assertCompletes(
        gid,
        () -> {
          decide();
          execute(one, "COMMIT PREPARED '" + gid + "'");
        });
  }

  /** A commuting transaction is known by its intent, and has nothing left to do but to commit. */
  @Test
  void aNodeCompletesASnapshotByACommutingTransaction() throws Exception {
    UUID router = UUID.randomUUID();
    execute(one, "BEGIN", "UPDATE halves SET balance = 5 WHERE id = (SELECT min(id) FROM halves)");
    execute(one, "SELECT abelian.commit_intent('" + router + "', 1, '{1,2}', '')");
    String name = router.toString().replace("-", "") + ":1/1,2";
    try {
      assertCompletes(name, () -> execute(one, "COMMIT"));
    } finally { // No router has heard of it: it is not to be looked for on the other node.
      execute(one, "DELETE FROM abelian.intent WHERE router = '" + router + "'");
    }
  }

  /**
   * Has a router's session read on node 1 while a transaction that adds 5 is ready to commit there.
   *
   * @param name what the node knows the transaction by
   * @param commit commits it
   */
  private void assertCompletes(String name, Executable commit) throws Exception {
    try (WireClient client = asRouter()) {
      String[] words = told(client, "abelian/1//-1").get(0).split(" ");
      client.query("BEGIN").untilReady();
      String asked = "abelian/2/" + words[0] + "/" + words[2];
      client.parse("s", SUM).bind(asked, "s", 0).sync();
      assertEquals("e1:" + name, statuses(client.untilReady()).get(0).split(" ")[4]);
      client.bind("abelian-as/3/2/1", "s", 0).sync();
      assertEquals(List.of(""), statuses(client.untilReady()), "it has not committed");

      try {
        commit.execute();
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
      execute(one, "UPDATE halves SET balance = 7 WHERE id = (SELECT max(id) FROM halves)");
      client.bind("abelian-as/4/2/2", "s", 0).sync();
      assertEquals(List.of(""), statuses(client.untilReady()), "nobody has this number");
      client.bind("abelian-as/5/2/1-1", "s", 0).execute("abelian-as/5/2/1-1", 0).sync();
      List<Message> answer = client.untilReady();
      assertEquals(List.of("completed"), statuses(answer));
      assertEquals("5", row(answer), "it shows what was ready, and nothing that came later");
      client.execute(asked, 0).sync();
      assertEquals("0", row(client.untilReady()), "the first snapshot is as it was");
      client.query("COMMIT").untilReady();
    }
  }

  /** It works after it has passed the gate, in its turn. */
  @Test
  void whatMayHaveWorkToDoCompletesNoSnapshot() throws Exception {
    execute(one, "BEGIN", "SELECT abelian.enter_commit_gate()");
    try (WireClient client = asRouter()) {
      String[] words = told(client, "abelian/1//-1").get(0).split(" ");
      client.query("BEGIN").untilReady();
      String asked = "abelian/2/" + words[0] + "/" + words[2];
      client.parse("s", SUM).bind(asked, "s", 0).sync();
      assertEquals("p", statuses(client.untilReady()).get(0).split(" ")[4]);
      execute(one, "COMMIT");
      client.bind("abelian-as/3/2/1", "s", 0).sync();
      assertEquals(List.of(""), statuses(client.untilReady()));
      client.query("COMMIT").untilReady();
    }
  }

  /** What has a smaller timestamp comes first; what is under way on the lane is waited for. */
  @Test
  void aNodeTakesASnapshotInItsTurn() throws Exception {
    String router = UUID.randomUUID().toString();
    callSomething();
    long earlier = propose(router + ":1-1");
    try (WireClient client = asRouter()) {
      String[] words = told(client, "abelian/1//-1").get(0).split(" ");
      String question = "/" + words[0] + "/" + words[2] + "/";
      client.query("SELECT abelian.independent_propose(" + proposal(router + ":1-2") + ")");
      long timestamp = Long.parseLong(row(client.untilReady()));
      assertTrue(timestamp > earlier);
      client.parse("", SUM).bind("abelian/2" + question + Long.toHexString(timestamp), "", 0);
      client.sync();
      CompletableFuture<List<Message>> answer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return client.untilReady();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThrows(TimeoutException.class, () -> answer.get(300, TimeUnit.MILLISECONDS));
      execute(one, "SELECT abelian.independent_cancel('" + router + ":1-1')");
      String lane = statuses(answer.get(20, TimeUnit.SECONDS)).get(0).split(" ")[3];
      assertEquals(timestamp, Long.parseLong(lane));
      assertEquals(0, pending(), "its place is free");
      assertTrue(propose(router + ":1-3") > timestamp, "whatever comes later is greater");
      lane = told(client, "abelian/3" + question + "ff").get(0).split(" ")[3];
      assertEquals("-1", lane, "it has proposed nothing else");
    } finally {
      execute(one, "SELECT abelian.independent_cancel('" + router + ":1-3')");
    }
  }

  /** From then on there are open lanes. */
  private void callSomething() throws SQLException {
    try (Connection connection = cluster.connect()) {
      execute(
          connection,
          "CREATE OR REPLACE PROCEDURE name_halves(a int, b int) LANGUAGE sql AS 'UPDATE halves SET"
              + " name = name WHERE id IN (a, b)'",
          "SELECT create_distributed_procedure('name_halves(int, int)', 'a, b', colocate_with =>"
              + " 'halves', class => 'independent', unsafe => true)",
          "CALL name_halves(" + key(1) + ", " + key(2) + ")");
    }
  }

  private long pending() throws SQLException {
    return ProxiedCluster.number(
        cluster.node(0), "SELECT coalesce(cardinality(abelian.independent_pending(0)), 0)");
  }

  private long propose(String id) throws SQLException {
    return ProxiedCluster.number(
        cluster.node(0), "SELECT abelian.independent_propose(" + proposal(id) + ")");
  }

  /** To node 1 alone. */
  private String proposal(String id) throws SQLException {
    String run = "(abelian.independent_state())[1]";
    String last = "(abelian.independent_state())[2]";
    return "'" + id + "', 1, '{1}', ARRAY[" + run + "], " + last;
  }

  private static String row(List<Message> messages) {
    byte[] row =
        messages.stream().filter(message -> message.type() == 'D').findFirst().orElseThrow().body();
    return new String(row, 6, row.length - 6, StandardCharsets.UTF_8);
  }

  /** A portal asks once, whatever functions the query calls, and whatever is run beside it. */
  @Test
  void aQueryIsToldOfOnce() throws Exception {
    try (WireClient client = asRouter()) {
      client.query(
          "CREATE OR REPLACE FUNCTION pg_temp.nested() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN"
              + " RETURN (SELECT count(*) FROM halves) + (SELECT sum(balance) FROM halves); END'");
      client.untilReady();
      client.parse("", "SELECT pg_temp.nested(), pg_temp.nested()");
      client.bind("abelian/1//-1", "", 0).execute("abelian/1//-1", 0).sync();
      assertEquals(1, statuses(client.untilReady()).size());
    }
  }

  /** A session with node 1 that tells the node that it is a router's. */
  private WireClient asRouter() throws IOException {
    WireClient client =
        WireClient.connect(
            cluster.node(0).port(), LocalNode.SUPERUSER, LocalNode.SUPERUSER, LocalNode.DATABASE);
    client.query("SET abelian.placement_version = 1000000").untilReady();
    return client;
  }

  /** What it says of the portal's snapshot: the values of abelian.read_evidence. */
  private static List<String> told(WireClient client, String portal) throws IOException {
    client.parse("", SUM).bind(portal, "", 0).execute(portal, 0).sync();
    return statuses(client.untilReady());
  }

  private static List<String> statuses(List<Message> messages) {
    String answer = "abelian.read_evidence\0";
    return messages.stream()
        .filter(message -> message.type() == 'S')
        .map(message -> new String(message.body(), StandardCharsets.UTF_8))
        .filter(text -> text.startsWith(answer))
        .map(text -> text.substring(answer.length(), text.length() - 1))
        .toList();
  }

  private int total(int node, String read) throws SQLException {
    try (Connection connection = connect(node)) {
      return total(connection, read);
    }
  }

  private static int total(Connection connection, String read) throws SQLException {
    int total = 0;
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(read)) {
      while (rows.next()) {
        total += rows.getInt(1);
      }
    }
    return total;
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
