package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that goes away leaves nothing behind, whatever its session was doing. */
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GoneClientIT {
  private static final int KEY = 7;

  private final LocalCluster cluster;
  private final RouterServer router;

  GoneClientIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTable() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      run(client, "DROP TABLE IF EXISTS left_behind");
      run(client, "CREATE TABLE left_behind (id int PRIMARY KEY, t text)");
      run(client, "SELECT create_distributed_table('left_behind', 'id')");
      for (int i = 0; i < 30; i++) {
        run(client, "INSERT INTO left_behind VALUES (" + i + ", 'x')");
      }
    }
  }

  private static void run(WireClient client, String sql) throws IOException {
    List<Message> answer = client.query(sql).untilReady();
    assertEquals(0, answer.stream().filter(m -> m.type() == 'E').count(), answer::toString);
  }

  /** What a client does before it goes. */
  private interface Doing {
    void begin(WireClient client) throws IOException;
  }

  /** How it goes. */
  private interface Going {
    void go(WireClient client) throws IOException;
  }

  private static Stream<Arguments> ways() {
    List<Arguments> doings =
        List.of(
            doing("in a transaction", client -> client.query(update("a")).untilReady()),
            doing("amid a pipeline", GoneClientIT::pipeline),
            doing("amid a large message", client -> large(client, 30_000_000)),
            doing("before it has read a large result", GoneClientIT::largeResult),
            doing("amid COPY", client -> client.query("COPY left_behind FROM STDIN").until('G')));
    return doings.stream()
        .flatMap(
            doing ->
                Stream.of(
                    with(doing, "and is killed", WireClient::abandon),
                    with(doing, "and is reset", WireClient::reset)));
  }

  private static Arguments doing(String name, Doing doing) {
    return Arguments.of(name, doing);
  }

  private static Arguments with(Arguments doing, String name, Going going) {
    return Arguments.of(doing.get()[0] + " " + name, doing.get()[1], going);
  }

  private static String update(String value) {
    return "UPDATE left_behind SET t = '" + value + "' WHERE id = " + KEY;
  }

  private static void pipeline(WireClient client) throws IOException {
    client.parse("", "BEGIN").bind("", "", 0).execute("", 0);
    client.parse("up", "UPDATE left_behind SET t = $2 WHERE id = $1");
    for (int i = 0; i < 120; i++) {
      client.bind("", "up", 0, "" + i % 30, "p".repeat(100_000)).execute("", 0);
    }
    client.flush();
  }

  private static void large(WireClient client, int length) throws IOException {
    client.query("BEGIN").untilReady();
    client.query(update("l")).untilReady();
    client.begin('B', length).flush();
  }

  private static void largeResult(WireClient client) throws IOException {
    client.query("BEGIN").untilReady();
    client.query("UPDATE left_behind SET t = repeat('r', 2000000)").untilReady();
    client.query("SELECT t FROM left_behind").flush();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void locksEndWithTheClient(String name, Doing doing, Going going) throws Exception {
    WireClient client = ParityFixture.wire(router.port());
    client.query("BEGIN").untilReady();
    doing.begin(client);
    going.go(client);
    try (WireClient other = ParityFixture.wire(router.port())) {
      run(other, "DROP TABLE left_behind");
    }
  }

  /** Holds the row; returns when the other session waits for it on its node. */
  private void awaitWaiter() throws Exception {
    for (int i = 0; i < 1000; i++) {
      if (waiters() > 0) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("nobody waits");
  }

  private long waiters() throws SQLException {
    long count = 0;
    for (LocalNode node : cluster.nodes()) {
      count +=
          ProxiedCluster.number(
              node,
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                  + " AND query LIKE 'UPDATE left_behind%'");
    }
    return count;
  }

  private void awaitNoWaiter() throws Exception {
    for (int i = 0; i < 2000; i++) {
      if (waiters() == 0) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("somebody still waits");
  }

  private static Stream<Arguments> waysOfWaiting() {
    Doing alone = client -> client.query(update("b")).flush();
    Doing withMoreBehind =
        client -> {
          client.query(update("b"));
          for (int i = 0; i < 2000; i++) {
            client.query("SELECT '" + "m".repeat(1000) + "'");
          }
          client.flush();
        };
    return Stream.of(
        Arguments.of("a killed client", alone, (Going) WireClient::abandon),
        Arguments.of("a client that is reset", alone, (Going) WireClient::reset),
        Arguments.of("a client that ends its side", alone, (Going) WireClient::endSending),
        Arguments.of(
            "a killed client that has sent more", withMoreBehind, (Going) WireClient::abandon));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysOfWaiting")
  void nobodyWaitsForALockFor(String name, Doing doing, Going going) throws Exception {
    try (WireClient holder = ParityFixture.wire(router.port())) {
      run(holder, "BEGIN");
      run(holder, update("held"));
      WireClient client = ParityFixture.wire(router.port());
      doing.begin(client);
      awaitWaiter();
      going.go(client);
      awaitNoWaiter();
      run(holder, "COMMIT");
      assertEquals("held", value(holder));
      client.close();
    }
  }

  private static String value(WireClient client) throws IOException {
    return client.query("SELECT t FROM left_behind WHERE id = " + KEY).untilReady().stream()
        .filter(m -> m.type() == 'D')
        .findFirst()
        .orElseThrow()
        .values()[0];
  }

  @Test
  void aConnectionOfTheDriverThatIsAbortedEndsItsStatementOnTheNode() throws Exception {
    try (WireClient holder = ParityFixture.wire(router.port());
        Connection waiting = cluster.connect()) {
      run(holder, "BEGIN");
      run(holder, update("held"));
      CompletableFuture<Void> update =
          CompletableFuture.runAsync(
              () ->
                  assertThrows(
                      SQLException.class,
                      () -> {
                        try (Statement statement = waiting.createStatement()) {
                          statement.execute(update("b"));
                        }
                      }));
      awaitWaiter();
      waiting.abort(Runnable::run);
      update.join();
      awaitNoWaiter();
      run(holder, "COMMIT");
      assertEquals("held", value(holder));
    }
  }

  @Test
  void aSessionThatIsOnlySlowIsLeftAlone() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query("SELECT 'slow', pg_sleep(4)").untilReady();
      assertEquals("slow", answer.get(1).values()[0]);
      // What was sent meanwhile is not lost.
      client.query("SELECT 'a', pg_sleep(3)");
      client.query("SELECT 'b'").flush();
      assertEquals("a", client.untilReady().get(1).values()[0]);
      assertEquals("b", client.untilReady().get(1).values()[0]);
    }
  }
}
