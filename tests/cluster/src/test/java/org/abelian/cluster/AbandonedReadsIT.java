package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A read of several nodes that does not come to its end leaves nothing open on any of them. */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AbandonedReadsIT {
  private static final String TABLE = "abandoned_reads";
  private static final List<String> READS =
      List.of(
          "SELECT id FROM " + TABLE,
          "SELECT sum(n) FROM " + TABLE,
          "SELECT random(), id FROM " + TABLE,
          "SELECT id FROM " + TABLE + " FOR SHARE");

  /** Sessions of routers that are not between two transactions. */
  private static final String BUSY =
      "FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle'"
          + " AND usename <> '"
          + LocalNode.SUPERUSER
          + "'";

  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename <> '"
          + LocalNode.SUPERUSER
          + "'";

  private static final int PATIENCE_SECONDS = 5;

  private final LocalCluster cluster;
  private final RouterServer router;

  AbandonedReadsIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeAll
  void create() throws Exception {
    try (WireClient client = client()) {
      run(client, "DROP TABLE IF EXISTS " + TABLE);
      run(client, "CREATE TABLE " + TABLE + " (id int PRIMARY KEY, n int)");
      run(client, "SELECT create_distributed_table('" + TABLE + "', 'id')");
      run(client, "INSERT INTO " + TABLE + " SELECT i, 1 FROM generate_series(1, 60) i");
      run(client, "SELECT sum(n) FROM " + TABLE); // What is known from now on, need no gate tell.
    }
  }

  /** What is read may be dropped, now that nobody reads it. */
  @AfterAll
  void drop() throws IOException {
    try (WireClient client = client()) {
      run(client, "SET lock_timeout = '5s'");
      run(client, "DROP TABLE " + TABLE);
    }
  }

  private WireClient client() throws IOException {
    return ParityFixture.wire(router.port());
  }

  private static List<Message> run(WireClient client, String sql) throws IOException {
    List<Message> answer = client.query(sql).untilReady();
    assertEquals(0, errors(answer), answer::toString);
    return answer;
  }

  private static long errors(List<Message> answer) {
    return answer.stream().filter(message -> message.type() == 'E').count();
  }

  // ---- what may happen to it
  // ---------------------------------------------------------------------------------------

  /** What is done with a read, to its end or not. */
  private interface Doing {
    void with(WireClient client, String read) throws IOException;
  }

  private static Arguments way(String name, Doing doing) {
    return Arguments.of(name, doing);
  }

  private static Stream<Arguments> waysToLeaveIt() {
    return Stream.of(
        way("bound only", (client, read) -> bind(client, read).sync().untilReady()),
        way("bound, and the client is gone", (client, read) -> bind(client, read).until('2')),
        way(
            "described, and the client is gone",
            (client, read) -> bind(client, read).describe('P', "p").askForAnswers().until('T')),
        way(
            "bound twice, and the client is gone",
            (client, read) -> bind(bind(client, read), read).until('2')),
        way(
            "a part of its rows",
            (client, read) -> bind(client, read).execute("p", 2).sync().untilReady()),
        way(
            "a part of its rows, and the client is gone",
            (client, read) -> bind(client, read).execute("p", 1).askForAnswers().until('D')),
        way(
            "an error behind it",
            (client, read) -> bind(client, read).execute("none", 0).sync().untilReady()),
        way(
            "an error behind it, and the client is gone",
            (client, read) -> bind(client, read).execute("none", 0).askForAnswers().flush()),
        way(
            "SET before it and an error behind it",
            (client, read) ->
                client.query("SET work_mem = '3MB'; " + read + "; SELECT 1 / 0").untilReady()),
        way(
            "an error on some nodes",
            (client, read) -> failed(client.query(with(read, "id / (id - 7)")).untilReady())),
        way(
            "an error on some nodes in a block",
            (client, read) -> {
              run(client, "BEGIN");
              run(client, read);
              failed(client.query(with(read, "id / (id - 7)")).untilReady());
              run(client, "COMMIT");
            }),
        way(
            "a block that the client leaves",
            (client, read) -> {
              run(client, "BEGIN");
              run(client, read);
            }));
  }

  private static Stream<Arguments> cursors() {
    return Stream.of("CLOSE c", "SELECT 1 / 0", "ROLLBACK", "SELECT 1")
        .map(last -> way("a cursor and then " + last, (client, read) -> cursor(client, last)));
  }

  private static Stream<Arguments> allWays() {
    List<Arguments> all = new ArrayList<>();
    for (String read : READS) {
      waysToLeaveIt()
          .forEach(way -> all.add(Arguments.of(way.get()[0] + ": " + read, way.get()[1], read)));
    }
    cursors().forEach(way -> all.add(Arguments.of(way.get()[0], way.get()[1], null)));
    return all.stream();
  }

  private static String with(String read, String column) {
    return read.replaceFirst("id FROM", column + " FROM").replace("sum(n)", "sum(" + column + ")");
  }

  private static void failed(List<Message> answer) {
    assertTrue(errors(answer) > 0, answer::toString);
  }

  private static WireClient bind(WireClient client, String read) throws IOException {
    return client.parse("", read).bind("p", "", 0).askForAnswers();
  }

  private static void cursor(WireClient client, String last) throws IOException {
    run(client, "BEGIN");
    run(client, "DECLARE c CURSOR FOR SELECT id FROM " + TABLE);
    run(client, "FETCH 1 FROM c");
    client.query(last).untilReady();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("allWays")
  void nothingIsLeftOpen(String name, Doing doing, String read) throws Exception {
    WireClient client = client();
    doing.with(client, read);
    if (name.contains("the client") || name.contains("cursor")) {
      client.abandon();
      assertNothingIsOpen();
    } else {
      assertNothingIsOpen(); // Although the session goes on.
      client.close();
    }
  }

  // ---- while one node keeps it waiting
  // -------------------------------------------------------------------------------

  /** What ends a read that waits. */
  private interface End {
    void of(WireClient client, LocalNode node) throws Exception;
  }

  private static Stream<Arguments> ends() {
    List<Arguments> all = new ArrayList<>();
    for (String read : READS) {
      all.add(end("a cancel", "", read, (client, node) -> client.cancel()));
      all.add(end("a killed client", "", read, (client, node) -> client.abandon()));
      all.add(end("a client that is reset", "", read, (client, node) -> client.reset()));
      all.add(
          end(
              "a timeout",
              "SET statement_timeout = 300",
              read,
              (client, node) -> failed(client.untilReady())));
      all.add(
          end(
              "a lock's timeout",
              "SET lock_timeout = 300",
              read,
              (client, node) -> failed(client.untilReady())));
      all.add(
          end(
              "a node that closes the connection",
              "",
              read,
              (client, node) ->
                  ProxiedCluster.number(node, "SELECT count(pg_terminate_backend(pid)) " + BUSY)));
    }
    return all.stream();
  }

  private static Arguments end(String name, String setting, String read, End end) {
    return Arguments.of(name + ": " + read, setting, read, end);
  }

  /** The others have bound it, and perhaps run it. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  void nothingIsLeftOpenWhenOneNodeHasKeptItWaitingUntil(
      String name, String setting, String read, End end) throws Exception {
    LocalNode node = cluster.node(1);
    try (Connection holder = node.connectAsSuperuser();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("LOCK TABLE " + TABLE);
      WireClient client = client();
      client.query(setting).untilReady();
      client.parse("", read).bind("", "", 0).execute("", 0).sync().flush();
      if (setting.isEmpty()) {
        await(node, WAITING, 1);
      }
      end.of(client, node);
      assertNothingIsOpen();
      holder.rollback();
      client.close();
    }
  }

  /** A transaction is committed on one node only: the read binds anew, and waits at the gates. */
  @ParameterizedTest
  @MethodSource("reads")
  void nothingIsLeftOpenWhenItHasWaitedForATransaction(String read) throws Exception {
    String gid = "abelian:2:" + UUID.randomUUID() + ":1-1/1,2";
    String change = "UPDATE " + TABLE + " SET n = 2 WHERE id = (SELECT min(id) FROM " + TABLE + ")";
    try (Connection one = cluster.node(0).connectAsSuperuser();
        Statement first = one.createStatement();
        Connection two = cluster.node(1).connectAsSuperuser();
        Statement second = two.createStatement()) {
      first.execute("BEGIN; " + change);
      second.execute("BEGIN; " + change);
      first.execute("PREPARE TRANSACTION '" + gid + "'");
      try {
        second.execute("SELECT abelian.decide('" + gid + "')");
        second.execute("COMMIT");
        WireClient client = client();
        client.parse("", read).bind("", "", 0).execute("", 0).sync().flush();
        await(cluster.node(0), WAITING, 1);
        client.cancel();
        failed(client.untilReady());
        assertNothingIsOpen();
        client.close();
      } finally {
        first.execute("COMMIT PREPARED '" + gid + "'");
      }
    }
  }

  private static Stream<String> reads() {
    return READS.stream();
  }

  // ---- what is left
  // ------------------------------------------------------------------------------------------

  private static void await(LocalNode node, String count, long least) throws Exception {
    long deadline = deadline();
    while (ProxiedCluster.number(node, count) < least) {
      assertTrue(System.nanoTime() < deadline, count);
      Thread.sleep(10);
    }
  }

  private static long deadline() {
    return System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
  }

  private void assertNothingIsOpen() throws Exception {
    long deadline = deadline();
    List<String> left;
    do {
      left = busy();
    } while (!left.isEmpty() && System.nanoTime() < deadline);
    assertEquals(List.of(), left);
  }

  private List<String> busy() throws SQLException {
    List<String> busy = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT usename || ' ' || state || ' ' || query " + BUSY)) {
        while (rows.next()) {
          busy.add(node.name() + " " + rows.getString(1));
        }
      }
    }
    return busy;
  }
}
