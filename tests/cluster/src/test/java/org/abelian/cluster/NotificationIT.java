package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Who listens through a router is notified as by one PostgreSQL. */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NotificationIT {
  private static final int MANY = 3000;

  private final LocalNode node;
  private final RouterServer router;
  private final LocalCluster cluster;

  NotificationIT(LocalNode node, RouterServer router, LocalCluster cluster) throws SQLException {
    this.node = node;
    this.router = router;
    this.cluster = cluster;
    ParityFixture.create(node, router);
  }

  /**
   * L listens, S sends; at the end S notifies of the end, up to which L reads without asking for
   * anything.
   */
  @ParameterizedTest(name = "[{index}] {0}")
  @ValueSource(
      strings = {
        "L LISTEN a;S NOTIFY a;S NOTIFY a, 'x';S NOTIFY b, 'not this';S NOTIFY a, 'y'",
        "L LISTEN a;S BEGIN;S NOTIFY a, '1';S NOTIFY a, '1';S NOTIFY a, '2';S COMMIT",
        "L LISTEN a;S BEGIN;S NOTIFY a, '1';S ROLLBACK;S NOTIFY a, '2'",
        "L LISTEN a;S BEGIN;S NOTIFY a, '1';S SAVEPOINT s;S NOTIFY a, '2';S ROLLBACK TO s;"
            + "S NOTIFY a, '3';S COMMIT",
        "L BEGIN;L LISTEN a;S NOTIFY a, 'early';L COMMIT;S NOTIFY a, 'late'",
        "L BEGIN;L LISTEN a;L ROLLBACK;S NOTIFY a, 'no'",
        "L BEGIN;L LISTEN a;L NOTIFY a, 'own';L COMMIT;S NOTIFY a, 'late'",
        "S NOTIFY a, 'before';L BEGIN;L NOTIFY a, 'own';L LISTEN a;S NOTIFY a, 'early';L COMMIT",
        "L BEGIN;L LISTEN a;L NOTIFY a, 'own';L ROLLBACK;S NOTIFY a, 'no'",
        "L LISTEN b;L BEGIN;L LISTEN a;L NOTIFY a, '1';L NOTIFY b, '2';L UNLISTEN a;L COMMIT",
        "L BEGIN;L LISTEN a;L UPDATE account SET owner = 'me' WHERE id = 1;L NOTIFY a, 'w';L"
            + " COMMIT",
        "L LISTEN a;L BEGIN;L UNLISTEN a;L ROLLBACK;S NOTIFY a, 'yes'",
        "L LISTEN a;L BEGIN;L UNLISTEN a;S NOTIFY a, '1';L COMMIT;S NOTIFY a, '2'",
        "L LISTEN a;L LISTEN b;L UNLISTEN *;S NOTIFY a;S NOTIFY b",
        "L LISTEN a;L DISCARD ALL;S NOTIFY a",
        "L LISTEN a;L LISTEN a;S NOTIFY a;L UNLISTEN a;S NOTIFY a",
        "L BEGIN;L SAVEPOINT s;L LISTEN a;L ROLLBACK TO s;L LISTEN b;L COMMIT;S NOTIFY a;S NOTIFY"
            + " b",
        "L BEGIN;L SAVEPOINT s;L LISTEN a;L RELEASE s;L SAVEPOINT t;L ROLLBACK TO t;L COMMIT;"
            + "S NOTIFY a",
        "L LISTEN a\\; SELECT 1/0;S NOTIFY a",
        "L LISTEN a\\; COMMIT\\; SELECT 1/0;S NOTIFY a",
        "L BEGIN;L SELECT 1/0;L LISTEN a;L ROLLBACK;S NOTIFY a",
        "L LISTEN \"A \"\"b'\";S NOTIFY \"A \"\"b'\", 'it''s';S NOTIFY \"a \"\"b'\"",
        "L LISTEN a;S SELECT pg_notify('a', 'p' || 3)",
        "L LISTEN a;S SELECT pg_notify('', 'x')",
        "L LISTEN a;L UNLISTEN b;S NOTIFY a, 'ä€😀'",
        "L LISTEN a;S BEGIN;S UPDATE account SET owner = 'me' WHERE id = 1;S NOTIFY a, 'w';S"
            + " COMMIT",
      })
  void itIsNotifiedLikeByANode(String script) throws IOException {
    assertEquals(
        String.join("\n", conversation(node.port(), script)),
        String.join("\n", conversation(router.port(), script)));
  }

  private static List<String> conversation(int port, String script) throws IOException {
    List<Message> answers = new ArrayList<>();
    List<String> notified = new ArrayList<>();
    try (WireClient listener = ParityFixture.wire(port);
        WireClient sender = ParityFixture.wire(port)) {
      for (String step : (script + ";L LISTEN the_end;S NOTIFY the_end").split("(?<!\\\\);")) {
        WireClient client = step.startsWith("L") ? listener : sender;
        List<Message> answer = client.query(step.substring(2).replace("\\;", ";")).untilReady();
        answer.stream()
            .filter(NotificationIT::isNotification)
            .map(NotificationIT::text)
            .forEach(notified::add);
        answer.stream().filter(message -> !isNotification(message)).forEach(answers::add);
      }
      while (!notified.contains("the_end|")) {
        Message message = listener.read();
        if (isNotification(message)) {
          notified.add(text(message));
        } else {
          answers.add(message);
        }
      }
    }
    List<String> both = new ArrayList<>(ParityFixture.comparable(answers));
    both.addAll(notified);
    return both;
  }

  private static boolean isNotification(Message message) {
    return message.type() == 'A';
  }

  private static int process(Message message) {
    return ByteBuffer.wrap(message.body()).getInt();
  }

  /** Channel and payload. */
  private static String text(Message message) {
    byte[] body = message.body();
    String both = new String(body, 4, body.length - 5, java.nio.charset.StandardCharsets.UTF_8);
    return both.replace('\0', '|');
  }

  /** In a transaction and between the messages of a group nothing is told. */
  @Test
  void nobodyIsInterrupted() throws IOException {
    try (WireClient listener = ParityFixture.wire(router.port());
        WireClient sender = ParityFixture.wire(router.port())) {
      listener.query("LISTEN a").untilReady();
      listener.query("BEGIN").untilReady();
      sender.query("NOTIFY a, '1'").untilReady();
      assertTrue(
          listener.query("SELECT 1").untilReady().stream()
              .noneMatch(NotificationIT::isNotification));
      List<Message> committed = new ArrayList<>(listener.query("COMMIT").untilReady());
      committed.removeIf(message -> !isNotification(message));
      assertEquals("a|1", text(committed.isEmpty() ? notification(listener) : committed.get(0)));
      listener.parse("", "SELECT 2").flush();
      sender.query("NOTIFY a, '2'").untilReady();
      listener.bind("", "", 0).execute("", 0).sync().flush();
      assertEquals('1', listener.read().type());
      assertEquals('2', listener.read().type());
      assertEquals('D', listener.read().type());
      assertEquals('C', listener.read().type());
      assertEquals("a|2", text(notification(listener)));
    }
  }

  private static Message notification(WireClient client) throws IOException {
    Message message = client.read();
    while (!isNotification(message)) {
      assertTrue("ZS".indexOf(message.type()) >= 0, message.toString());
      message = client.read();
    }
    return message;
  }

  /** Its own come before it may go on, from the process that it was told to be. */
  @Test
  void aSessionKnowsItsOwn() throws IOException {
    for (String notify : List.of("NOTIFY a, 'own'", "SELECT pg_notify('a', 'own')")) {
      try (WireClient listener = ParityFixture.wire(router.port());
          WireClient sender = ParityFixture.wire(router.port())) {
        Message key =
            listener.startup().stream().filter(m -> m.type() == 'K').findFirst().orElseThrow();
        sender.query(notify).untilReady();
        listener.query("LISTEN a").untilReady();
        Message own =
            listener.query(notify).untilReady().stream()
                .filter(NotificationIT::isNotification)
                .findFirst()
                .orElseThrow();
        assertEquals(process(key), process(own));
        sender.query(notify).untilReady();
        assertTrue(process(key) != process(notification(listener)));
      }
    }
  }

  /**
   * A transaction over several nodes notifies when it commits, whichever node was written first;
   * what a trigger notifies of, too.
   */
  @Test
  void commitsOverSeveralNodesNotifyOnce() throws Exception {
    try (Connection owner = router.connect();
        Connection listener = cluster.connect();
        Statement statement = owner.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS told");
      statement.execute("CREATE TABLE told (id int PRIMARY KEY)");
      statement.execute(
          "CREATE OR REPLACE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
              + " $$BEGIN PERFORM pg_notify('told', NEW.id::text); RETURN NEW; END$$");
      statement.execute(
          "CREATE TRIGGER tell AFTER INSERT ON told FOR EACH ROW EXECUTE FUNCTION tell()");
      listen(listener, "told");
      List<String> expected = new ArrayList<>();
      for (int id = 1; id <= 6; id++) {
        for (String notify :
            List.of(
                "INSERT INTO told VALUES (" + id + ")",
                "NOTIFY told, 'n" + id + "'",
                "SELECT pg_notify('told', 'f" + id + "')")) {
          for (String end : List.of("ROLLBACK", "COMMIT")) {
            statement.execute("BEGIN");
            statement.execute("UPDATE account SET owner = 'told' WHERE id = " + id);
            statement.execute(notify);
            statement.execute("UPDATE account SET owner = 'told' WHERE id = " + (id + 7));
            statement.execute("UPDATE account SET owner = 'told' WHERE id = " + (id + 1));
            statement.execute(end);
          }
        }
        expected.addAll(List.of("" + id, "n" + id, "f" + id));
      }
      statement.execute("UPDATE account SET owner = 'all'; NOTIFY told, 'all'");
      expected.add("all");
      assertEquals(expected, await(listener, expected.size()));
      statement.execute("DROP TABLE told");
    }
  }

  /** Of several senders, through the server and the driver; each one's come in its order. */
  @Test
  void thousandsComeInOrder() throws Exception {
    try (Connection one = router.connect();
        Connection two = cluster.connect()) {
      listen(one, "many");
      listen(two, "many");
      List<Thread> senders =
          Stream.of("a", "b")
              .map(
                  name ->
                      new Thread(
                          () -> {
                            try (Connection sender = router.connect();
                                Statement statement = sender.createStatement()) {
                              for (int i = 0; i < MANY / 10; i++) {
                                statement.execute(
                                    IntStream.range(10 * i, 10 * i + 10)
                                        .mapToObj(n -> "NOTIFY many, '" + name + " " + n + "'")
                                        .reduce((x, y) -> x + ";" + y)
                                        .orElseThrow());
                              }
                            } catch (SQLException e) {
                              throw new IllegalStateException(e);
                            }
                          }))
              .toList();
      senders.forEach(Thread::start);
      for (Connection listener : List.of(one, two)) {
        Map<String, Integer> next = new HashMap<>();
        for (String payload : await(listener, 2 * MANY)) {
          String[] parts = payload.split(" ");
          int expected = next.merge(parts[0], 1, Integer::sum) - 1;
          assertEquals(expected, Integer.parseInt(parts[1]), payload);
        }
        assertEquals(Map.of("a", MANY, "b", MANY), next);
      }
      for (Thread sender : senders) {
        sender.join();
      }
    }
  }

  /**
   * A session that does not let itself be told holds nobody up, and is ended. Another of the same
   * router, which must not fall behind itself, says that so much has come.
   */
  @Test
  void whoIsNotToldInTimeIsEnded() throws Exception {
    try (WireClient busy = ParityFixture.wire(router.port());
        WireClient deaf = ParityFixture.wire(router.port());
        Connection witness = router.connect();
        Connection sender = router.connect();
        Statement statement = sender.createStatement()) {
      busy.query("LISTEN large").untilReady();
      busy.query("BEGIN").untilReady();
      deaf.query("LISTEN large").untilReady();
      listen(witness, "large");
      for (int portion = 0; portion < 6; portion++) {
        statement.execute(
            "SELECT pg_notify('large', i || repeat(' ', 7000)) FROM generate_series(1, 1000) i");
        assertEquals(1000, await(witness, 1000).size());
      }
      busy.query("COMMIT").until('C');
      assertEquals("54000", failure(busy).sqlState());
      assertEquals("54000", failure(deaf).sqlState());
    }
  }

  private static Message failure(WireClient client) throws IOException {
    Message message = client.read();
    while (message.type() != 'E') {
      message = client.read();
    }
    return message;
  }

  /** As pgjdbc gets them: by asking, by waiting, and behind its own statements. */
  @Test
  void driversGetThem() throws Exception {
    for (Connection each : List.of(router.connect(), cluster.connect())) {
      try (Connection listener = each;
          Connection sender = cluster.connect();
          Statement statement = sender.createStatement()) {
        PGConnection told = listener.unwrap(PGConnection.class);
        listen(listener, "news");
        assertEquals(0, told.getNotifications(1).length);
        statement.execute("NOTIFY news, 'waited for'");
        PGNotification[] some = told.getNotifications(0);
        assertEquals(1, some.length);
        assertEquals("news", some[0].getName());
        assertEquals("waited for", some[0].getParameter());
        try (Statement own = listener.createStatement()) {
          own.execute("NOTIFY news, 'own'");
        }
        some = told.getNotifications();
        assertNotNull(some);
        assertEquals(1, some.length);
        assertEquals(told.getBackendPID(), some[0].getPID());
        listener.setAutoCommit(false);
        listen(listener, "more");
        statement.execute("NOTIFY news, 'later'");
        assertArrayEquals(new PGNotification[0], told.getNotifications(100));
        listener.commit();
        assertEquals(List.of("later"), await(listener, 1));
        statement.execute("NOTIFY more, 'committed'");
        assertEquals(List.of("committed"), await(listener, 1));
      }
    }
  }

  private static void listen(Connection listener, String channel) throws SQLException {
    try (Statement statement = listener.createStatement()) {
      statement.execute("LISTEN " + channel);
    }
  }

  /** The payloads of as many as are expected. */
  private static List<String> await(Connection listener, int count) throws SQLException {
    List<String> payloads = new ArrayList<>();
    PGConnection told = listener.unwrap(PGConnection.class);
    while (payloads.size() < count) {
      for (PGNotification each : told.getNotifications(30_000)) {
        payloads.add(each.getParameter());
      }
    }
    return payloads;
  }
}
