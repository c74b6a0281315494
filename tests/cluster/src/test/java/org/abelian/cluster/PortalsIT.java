package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of portals, cursors and statements mean in the whole session what they mean on a node. */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PortalsIT {
  private static final String BY_KEY = "SELECT id, owner FROM account WHERE id = $1";
  private static final String LONG = "portal_".repeat(9); // As long as names may be.

  private final LocalNode node;
  private final RouterServer router;

  PortalsIT(LocalNode node, RouterServer router) throws SQLException {
    this.node = node;
    this.router = router;
    ParityFixture.create(node, router);
  }

  private interface Conversation {
    void hold(Exchange exchange) throws IOException;
  }

  /** One client and what it was told. */
  private record Exchange(WireClient client, List<Message> told) {
    Exchange query(String... queries) throws IOException {
      for (String sql : queries) {
        told.addAll(client.query(sql).untilReady());
      }
      return this;
    }

    Exchange sync() throws IOException {
      told.addAll(client.sync().untilReady());
      return this;
    }
  }

  private static Arguments named(String name, Conversation conversation) {
    return Arguments.of(name, conversation);
  }

  static Stream<Arguments> conversations() {
    return Stream.of(
            portals(),
            portalsAndCursors(),
            longNames(),
            unnamed(),
            repeated(),
            portions(),
            callsInPortions(),
            describedBeforeBind(),
            bound())
        .flatMap(conversations -> conversations);
  }

  private static Stream<Arguments> portals() {
    return Stream.of(
        named(
            "one name for two portals, whatever their keys",
            e -> {
              for (int key = 2; key < 9; key++) {
                e.query("BEGIN");
                e.client().parse("s", BY_KEY).bind("p", "s", 0, "1").bind("p", "s", 0, "" + key);
                e.sync().query("ROLLBACK", "DEALLOCATE ALL");
              }
            }),
        named(
            "a name is free again when its portal is closed, or its transaction has ended",
            e -> {
              e.query("BEGIN").client().parse("s", BY_KEY).bind("p", "s", 0, "1").execute("p", 0);
              closePortal(e.client(), "p");
              e.client().bind("p", "s", 0, "2").execute("p", 0);
              e.sync().query("COMMIT").client().bind("p", "s", 0, "3").execute("p", 0);
              e.sync().client().bind("p", "s", 0, "4").execute("p", 0);
              e.sync();
            }),
        named(
            "a name is free again when its portal was rolled back",
            e -> {
              e.query("BEGIN", "SAVEPOINT s").client().parse("s", BY_KEY).bind("p", "s", 0, "1");
              e.sync().query("ROLLBACK TO s").client().bind("p", "s", 0, "2").execute("p", 0);
              e.sync().query("RELEASE s", "SAVEPOINT t", "ROLLBACK TO t");
              e.client().execute("p", 0).bind("p", "s", 0, "3");
              e.sync().query("ROLLBACK");
            }),
        named(
            "a command is a portal as well",
            e -> {
              e.query("BEGIN").client().parse("c", "COMMIT").bind("p", "c", 0).parse("s", BY_KEY);
              e.client().bind("p", "s", 0, "1");
              e.sync().query("ROLLBACK");
            }));
  }

  private static Stream<Arguments> portalsAndCursors() {
    return Stream.of(
        named(
            "a cursor does not get the name of a portal on another node",
            e -> {
              for (int key = 1; key < 8; key++) {
                e.query("BEGIN").client().parse("s", BY_KEY).bind("p", "s", 0, "1");
                e.sync().query("DECLARE p CURSOR FOR SELECT owner FROM account WHERE id = " + key);
                e.query("ROLLBACK", "DEALLOCATE ALL");
              }
            }),
        named(
            "a cursor over all nodes does not get the name of a portal",
            e -> {
              e.query("BEGIN").client().parse("s", BY_KEY).bind("p", "s", 0, "1");
              e.sync().query("DECLARE p CURSOR FOR SELECT 1 FROM account", "ROLLBACK");
            }),
        named(
            "a portal does not get the name of a cursor on another node",
            e -> {
              for (int key = 1; key < 8; key++) {
                e.query("BEGIN");
                e.query("DECLARE p CURSOR FOR SELECT owner FROM account WHERE id = " + key);
                e.client().parse("s", BY_KEY).bind("p", "s", 0, "1");
                e.sync().query("ROLLBACK", "DEALLOCATE ALL");
              }
            }),
        named(
            "CLOSE closes portals too",
            e -> {
              for (String close : List.of("CLOSE p", "CLOSE ALL")) {
                e.query("BEGIN").client().parse("s", BY_KEY);
                e.client().bind("p", "s", 0, "2").bind("q", "s", 0, "3");
                e.sync().query(close).client().bind("p", "s", 0, "4").execute("p", 0);
                e.sync().client().execute("q", 0);
                e.sync().query("ROLLBACK", "DEALLOCATE ALL");
              }
            }));
  }

  private static Stream<Arguments> longNames() {
    return Stream.of(
        named(
            "names of portals are cut",
            e -> {
              e.query("BEGIN").client().parse("s", BY_KEY).bind(LONG + "1", "s", 0, "1");
              e.client().execute(LONG + "2", 0);
              e.sync().query("ROLLBACK").query("BEGIN");
              e.client().bind(LONG, "s", 0, "1").execute(LONG + "2", 0).execute(LONG, 0);
              closePortal(e.client(), LONG + "3");
              e.client().bind(LONG + "4", "s", 0, "2").execute(LONG + "5", 0);
              e.sync().query("ROLLBACK");
            }),
        named(
            "names of statements are cut",
            e -> {
              e.client().parse(LONG + "1", BY_KEY).bind("", LONG + "2", 0, "3").execute("", 0);
              e.sync().client().bind("", LONG, 0, "3").execute("", 0);
              e.sync().query("DEALLOCATE " + LONG).client().bind("", LONG + "1", 0, "3");
              e.sync();
            }));
  }

  private static Stream<Arguments> unnamed() {
    return Stream.of(
        named(
            "a Parse in error leaves no unnamed statement",
            e -> {
              for (String broken : List.of("SELECT nocolumn", "SELEC", "SELECT x FROM account")) {
                e.client().parse("", "SELECT 1");
                e.sync().client().parse("", broken);
                e.sync().client().bind("", "", 0).execute("", 0);
                e.sync();
              }
            }),
        named(
            "DEALLOCATE ALL and DISCARD ALL leave the unnamed statement",
            e -> {
              for (String all : List.of("DEALLOCATE ALL", "DISCARD ALL")) {
                e.client().parse("d", all).parse("n", "SELECT 2").parse("", "SELECT 1");
                e.sync().client().bind("p", "d", 0).execute("p", 0);
                e.sync().client().bind("", "", 0).execute("", 0);
                e.sync().client().bind("", "n", 0).execute("", 0);
                e.sync();
              }
            }),
        named(
            "a simple query drops the unnamed statement",
            e -> {
              e.client().parse("", "SELECT 1");
              e.sync().query("SELECT 2").client().bind("", "", 0).execute("", 0);
              e.sync();
            }));
  }

  private static Stream<Arguments> repeated() {
    return Stream.of(
            "SAVEPOINT s",
            "SET work_mem = '9MB'",
            "LISTEN x",
            "PREPARE again AS SELECT 1",
            "DECLARE c CURSOR FOR SELECT 1 FROM account",
            "DECLARE c SCROLL CURSOR FOR SELECT id FROM account ORDER BY id",
            "UPDATE account SET hits = hits + 1",
            "UPDATE account SET owner = owner WHERE id = 3",
            "INSERT INTO kind VALUES ('lent', 'lent')",
            "INSERT INTO account VALUES (2001, 'x', 1), (2002, 'y', 2), (2003, 'z', 3)",
            "INSERT INTO scratch SELECT name, meaning FROM kind",
            "INSERT INTO entry SELECT id % 3 + 1000, id, 'in' FROM account",
            "UPDATE entry SET account = account + 2000 WHERE n = 1",
            "UPDATE account a SET owner = b.owner FROM account b WHERE b.id = a.id % 5 + 1",
            "CREATE TABLE made (a int)",
            "CREATE TABLE made AS SELECT id FROM account",
            "TRUNCATE entry",
            "",
            "SELECT id FROM account ORDER BY id LIMIT 2",
            "SELECT 7 FROM account",
            "SHOW work_mem",
            "EXPLAIN (COSTS OFF) SELECT 1",
            "COPY (SELECT id FROM account WHERE id = 3) TO STDOUT",
            "COPY (SELECT id FROM account ORDER BY id) TO STDOUT",
            "CLOSE ALL",
            "MOVE 3 IN open",
            "FETCH 3 FROM open")
        .map(
            sql ->
                named(
                    "twice: " + sql,
                    e -> {
                      e.query("BEGIN", "DECLARE open CURSOR FOR SELECT 1 FROM account");
                      e.client().parse("s", sql).bind("p", "s", 0);
                      e.client().execute("p", 0).execute("p", 0);
                      e.sync().query("ROLLBACK");
                    }));
  }

  private static Stream<Arguments> portions() {
    return Stream.of("FETCH 5 FROM open", "FETCH ALL FROM open", "FETCH ABSOLUTE 4 FROM open")
        .map(
            sql ->
                named(
                    "in portions: " + sql,
                    e -> {
                      e.query("BEGIN", "DECLARE open NO SCROLL CURSOR FOR SELECT 1 FROM account");
                      e.client().parse("f", sql).parse("n", "FETCH 2 FROM open");
                      e.client().bind("p", "f", 0).describe('P', "p").execute("p", 3);
                      e.client().bind("q", "n", 0).execute("q", 0).execute("p", 2);
                      e.sync().client().execute("p", 2).execute("p", 0).execute("p", 1);
                      e.sync().query("COMMIT");
                    }));
  }

  /** What a function may have set is asked for behind each portion, which disturbs none. */
  private static Stream<Arguments> callsInPortions() {
    String set =
        "SELECT set_config('work_mem', 1000 + i || 'kB', false) FROM generate_series(1, 7) i";
    return Stream.of(set, "SELECT * FROM seven()")
        .map(
            sql ->
                named(
                    "the unnamed portal in portions: " + sql,
                    e -> {
                      e.query(
                          "CREATE FUNCTION seven() RETURNS SETOF int LANGUAGE plpgsql AS"
                              + " $$ BEGIN RETURN QUERY SELECT generate_series(1, 7)"
                              + " FROM (SELECT count(*) FROM scratch) s; END $$");
                      for (String begin : List.of("", "BEGIN")) {
                        e.query(begin).client().parse("", sql).bind("", "", 0).describe('P', "");
                        e.client().execute("", 3).execute("", 3).execute("", 3).execute("", 3);
                        e.sync().query("COMMIT", "SHOW work_mem", "RESET work_mem");
                      }
                      e.query("DROP FUNCTION seven()");
                    }));
  }

  /** Many drivers describe each statement before they bind it. */
  private static Stream<Arguments> describedBeforeBind() {
    return Stream.of(
        named(
            "FETCH of a cursor that is gone since the last time",
            e -> {
              e.query("BEGIN", "DECLARE open CURSOR FOR SELECT name FROM kind");
              for (String after : List.of("ROLLBACK", "SELECT 1")) {
                e.client().parse("f", "FETCH 1 FROM open").describe('S', "f");
                e.sync().client().bind("", "f", 0).describe('P', "").execute("", 0);
                e.sync().client().closeStatement("f");
                e.sync().query(after);
              }
            }),
        named(
            "EXECUTE with a parameter that may not be NULL",
            e -> {
              e.query("CREATE DOMAIN present AS int NOT NULL");
              e.query("PREPARE given(present) AS SELECT $1 AS v");
              e.client().parse("x", "EXECUTE given(5)").describe('S', "x").bind("", "x", 0);
              e.client().describe('P', "").execute("", 0);
              e.sync().query("DEALLOCATE ALL", "DROP DOMAIN present");
            }),
        named(
            "EXECUTE without rows",
            e -> {
              e.query("PREPARE marks(int) AS UPDATE account SET owner = owner WHERE id = $1");
              e.client().parse("x", "EXECUTE marks(5)").describe('S', "x").bind("", "x", 0);
              e.client().describe('P', "").execute("", 0);
              e.sync().query("DEALLOCATE ALL");
            }));
  }

  /** A Bind changes nothing, also where the statement has no place before it has taken rows. */
  private static Stream<Arguments> bound() {
    String moves =
        "WITH d AS (DELETE FROM entry WHERE n = 1 RETURNING account, n) INSERT INTO entry (account,"
            + " n) SELECT account + 2000, n FROM d RETURNING n";
    String count = "SELECT count(*), sum(account) FROM entry";
    return Stream.of(
        named(
            "without Execute",
            e -> {
              e.client().parse("s", moves).bind("p", "s", 0).describe('P', "p");
              e.sync().query(count, "BEGIN").client().bind("p", "s", 0).describe('P', "p");
              e.sync().query(count);
              closePortal(e.client(), "p");
              e.sync().query("COMMIT", count);
            }),
        named(
            "executed later",
            e -> {
              e.query("BEGIN").client().parse("s", moves).describe('S', "s").bind("p", "s", 0);
              e.sync().query(count).client().execute("p", 0).execute("p", 0);
              e.sync().query(count, "ROLLBACK", count);
              e.client().bind("", "s", 0).describe('P', "").execute("", 0);
              e.sync().query(count);
              e.query("UPDATE entry SET account = account - 2000 WHERE account > 2000", count);
            }));
  }

  private static void closePortal(WireClient client, String name) throws IOException {
    byte[] text = (name + "\0").getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    byte[] message = new byte[6 + text.length];
    message[0] = 'C';
    message[4] = (byte) (5 + text.length);
    message[5] = 'P';
    System.arraycopy(text, 0, message, 6, text.length);
    client.raw(message);
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("conversations")
  void theyAreAnsweredAsOnANode(String name, Conversation conversation) throws IOException {
    assertEquals(told(node.port(), conversation), told(router.port(), conversation));
  }

  private static String told(int port, Conversation conversation) throws IOException {
    try (WireClient client = ParityFixture.wire(port)) {
      Exchange exchange = new Exchange(client, new ArrayList<>());
      conversation.hold(exchange);
      return String.join("\n", ParityFixture.comparable(exchange.told()));
    }
  }

  /** However long the names are that a client gives to portals it does not close. */
  @ParameterizedTest
  @ValueSource(strings = {"COMMIT", BY_KEY})
  void portalsAreBounded(String sql) throws IOException {
    boolean keyed = sql.contains("$1");
    String[] values = keyed ? new String[] {"1"} : new String[] {};
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("BEGIN").untilReady();
      client.parse("s", sql).sync().untilReady();
      String error = null;
      for (int i = 0; i < 11 && error == null; i++) {
        for (int j = 0; j < 1000; j++) {
          client.bind("p" + i + "_" + j, "s", 0, values);
        }
        for (Message message : client.sync().untilReady()) {
          error = message.type() == 'E' ? message.sqlState() : error;
        }
      }
      assertEquals("53400", error);
      client.query("ROLLBACK").untilReady();
      List<Message> after = client.bind("p", "s", 0, values).execute("p", 0).sync().untilReady();
      assertTrue(after.stream().noneMatch(message -> message.type() == 'E'), after::toString);
    }
  }
}
