package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Message for message, a client of the router gets what a client of one node gets. */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WireParityIT {
  private final LocalNode node;
  private final RouterServer router;

  /** Whether the tables of node and cluster may differ: at first, and after a failed test. */
  private static boolean differs = true;

  WireParityIT(LocalNode node, RouterServer router) {
    this.node = node;
    this.router = router;
  }

  @BeforeEach
  void createTables() throws SQLException {
    if (differs) {
      ParityFixture.create(node, router);
    }
  }

  /** FunctionCall of int4abs(-7): one argument, all in text. */
  private static final byte[] CALL = {
    'F', 0, 0, 0, 20, 0, 0, 4, -29, 0, 0, 0, 1, 0, 0, 0, 2, '-', '7', 0, 0
  };

  private interface Conversation {
    List<Message> hold(WireClient client) throws IOException;
  }

  private static Arguments named(String name, Conversation conversation) {
    return Arguments.of(name, conversation);
  }

  private static Arguments simple(String sql) {
    return named(sql, client -> client.query(sql).untilReady());
  }

  static Stream<Arguments> conversations() {
    return Stream.of(simpleQueries(), extendedQueries(), queriesWithoutSyncBefore())
        .flatMap(conversations -> conversations);
  }

  private static Stream<Arguments> simpleQueries() {
    return Stream.of(
            "SELECT * FROM account WHERE id = 7",
            "ALTER TABLE account ADD CHECK (id <> 1)",
            "ALTER TABLE account ADD CHECK (id <> 2)",
            "ALTER TABLE account ADD CHECK (id <> 3)",
            "SELECT id, owner, balance::numeric FROM account ORDER BY id",
            "SELECT id FROM account ORDER BY balance DESC LIMIT 5 OFFSET 3",
            "SELECT count(*), sum(balance), min(id), max(owner), avg(balance) FROM account",
            "SELECT owner, count(*), sum(hits) FROM account GROUP BY owner ORDER BY owner",
            "SELECT DISTINCT owner FROM account ORDER BY 1",
            "SELECT a.id, e.n, k.meaning FROM account a JOIN entry e ON e.account = a.id JOIN kind"
                + " k ON k.name = e.kind WHERE a.id = 3 ORDER BY e.n",
            "SELECT * FROM kind ORDER BY name",
            "UPDATE account SET balance = balance + 1 WHERE id = 4 RETURNING id, balance",
            "UPDATE account SET hits = hits + 2 WHERE id = 4 RETURNING hits",
            "UPDATE account SET hits = hits + 1",
            "DELETE FROM entry WHERE account = 5",
            "DELETE FROM entry WHERE n = 2",
            "INSERT INTO account VALUES (1001, 'new', 1, 1, NULL), (1002, 'new', 2, 2, NULL)",
            "INSERT INTO account (id, owner) VALUES (2001, 'x') RETURNING *",
            "INSERT INTO account VALUES (1, 'twice', 0) ON CONFLICT (id) DO NOTHING",
            "INSERT INTO account VALUES (1, 'twice', 0)",
            "INSERT INTO account VALUES (3001, NULL, 0)",
            "UPDATE account SET balance = -1 WHERE id = 2",
            "SELECT * FROM no_such_table",
            "SELECT no_such_column FROM account WHERE id = 1",
            "SELEC 1",
            "SELECT id / 0 FROM account WHERE id = 1",
            "SELECT 'abc'::int",
            "",
            ";",
            "-- only a comment",
            "SELECT 1; SELECT 2",
            "SELECT 1; SELECT 1/0; SELECT 3",
            "SELECT 1; SELEC 2",
            "SELECT 'é'; SELECT no_such_column FROM account WHERE id = 1",
            "SELECT 1; SELECT E'a'\n'b\\'; c'; SELECT 'd'",
            "SELECT 1; VACUUM account",
            "SELECT 1; VACUUM account; SELECT 2",
            "; ;SELECT 1;;",
            "SHOW server_version",
            "SELECT current_user",
            "SET application_name = 'parity'",
            "SET no_such_setting = 1",
            "SET LOCAL work_mem = '8MB'",
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "EXPLAIN (COSTS OFF) SELECT * FROM account WHERE id = 1",
            "EXPLAIN (COSTS OFF, FORMAT JSON) UPDATE account SET balance = 0 WHERE id = 1",
            "EXPLAIN (COSTS OFF, VERBOSE) INSERT INTO account VALUES (3000, 'x', 0)",
            "EXPLAIN (COSTS OFF, NOTHING) SELECT * FROM account WHERE id = 1",
            "SELECT shout(owner) FROM account WHERE id = 1",
            "SELECT fail(id) FROM account WHERE id = 1",
            "SELECT * FROM account WHERE id = 1 FOR UPDATE",
            "VALUES (1, 'a'), (2, 'b')",
            "TABLE kind",
            "SELECT n, count(*) FROM entry GROUP BY n HAVING count(*) > 1 ORDER BY n",
            "SELECT relname FROM pg_class WHERE relname = 'account'")
        .map(WireParityIT::simple);
  }

  private static Stream<Arguments> extendedQueries() {
    return Stream.of(
        named(
            "bound key, text",
            c ->
                c.parse("", "SELECT id, owner, balance, hits, born FROM account WHERE id = $1")
                    .bind("", "", 0, "7")
                    .describe('P', "")
                    .execute("", 0)
                    .sync()
                    .untilReady()),
        named(
            "bound key, binary",
            c ->
                c.parse("", "SELECT id, owner, balance, hits, born FROM account WHERE id = $1")
                    .bind("", "", 1, "7")
                    .describe('P', "")
                    .execute("", 0)
                    .sync()
                    .untilReady()),
        named(
            "statement described before it is bound",
            c ->
                c.parse("s", "UPDATE account SET balance = $1, hits = hits + $2 WHERE id = $3")
                    .describe('S', "s")
                    .sync()
                    .untilReady()),
        named(
            "named statement bound again and again to keys of different nodes",
            c -> {
              c.parse("s", "SELECT owner FROM account WHERE id = $1").sync();
              List<Message> all = new ArrayList<>(c.untilReady());
              for (int id = 1; id <= 20; id++) {
                c.bind("", "s", 0, "" + id).execute("", 0).sync();
                all.addAll(c.untilReady());
              }
              return all;
            }),
        named(
            "a Describe before a Bind that fails, and another Bind in the next group",
            c -> {
              List<Message> all = new ArrayList<>();
              c.parse("d", "SELECT owner FROM account WHERE id = $1").sync();
              all.addAll(c.untilReady());
              c.describe('S', "d").bind("", "d", 0, "x").execute("", 0).sync();
              all.addAll(c.untilReady());
              c.bind("", "d", 0, "7").execute("", 0).sync();
              all.addAll(c.untilReady());
              return all;
            }),
        named(
            "a Describe before a Bind that is skipped, and another Bind in the next group",
            c -> {
              List<Message> all = new ArrayList<>();
              c.parse("d", "SELECT owner FROM account WHERE id = $1")
                  .parse("f", "SELECT 1 / (id - 7) FROM account WHERE id = $1")
                  .sync();
              all.addAll(c.untilReady());
              c.bind("", "f", 0, "7").execute("", 0);
              c.describe('S', "d").bind("", "d", 0, "3").execute("", 0).sync();
              all.addAll(c.untilReady());
              c.bind("", "d", 0, "5").execute("", 0).sync();
              all.addAll(c.untilReady());
              return all;
            }),
        named(
            "Parse and Close without a name behind an error do nothing",
            c -> {
              List<Message> all = new ArrayList<>();
              c.parse("f", "SELECT 1 / (id - 7) FROM account WHERE id = $1");
              c.parse("", "SELECT 'first'").sync();
              all.addAll(c.untilReady());
              c.bind("", "f", 0, "7").execute("", 0);
              c.parse("", "SELECT 'second'").parse("", "SELEC").sync();
              all.addAll(c.untilReady());
              c.bind("", "", 0).execute("", 0);
              c.bind("", "f", 0, "7").execute("", 0).closeStatement("").sync();
              all.addAll(c.untilReady());
              c.bind("", "", 0).execute("", 0);
              c.parse("", "SELECT 'third'").bind("", "", 0).execute("", 0);
              c.bind("", "f", 0, "7").execute("", 0).parse("", "SELECT 'fourth'").sync();
              all.addAll(c.untilReady());
              c.bind("", "", 0).execute("", 0).sync();
              all.addAll(c.untilReady());
              c.parse("", "SELEC").sync();
              all.addAll(c.untilReady());
              c.bind("", "", 0).execute("", 0).sync();
              all.addAll(c.untilReady());
              return all;
            }),
        named(
            "RELEASE, PREPARE and DEALLOCATE behind an error do nothing",
            c -> {
              List<Message> all = new ArrayList<>();
              for (String sql :
                  List.of(
                      "PREPARE kept AS SELECT 1",
                      "DEALLOCATE ALL",
                      "PREPARE kept AS SELECT 1",
                      "PREPARE late AS SELECT 2",
                      "DEALLOCATE late",
                      "SELECT id / 0 FROM account WHERE id = 1; DEALLOCATE ALL",
                      "EXECUTE kept",
                      "SELECT id / 0 FROM account WHERE id = 1; PREPARE late AS SELECT 2",
                      "EXECUTE late",
                      "BEGIN",
                      "UPDATE account SET balance = balance + 1 WHERE id = 3",
                      "SAVEPOINT a",
                      "SAVEPOINT b; RELEASE b",
                      "INSERT INTO account VALUES (1, 'twice', 0); RELEASE a",
                      "ROLLBACK TO a",
                      "SELECT balance FROM account WHERE id = 3",
                      "RELEASE a",
                      "ROLLBACK TO a",
                      "ROLLBACK",
                      "DEALLOCATE ALL")) {
                all.addAll(c.query(sql).untilReady());
              }
              return all;
            }),
        named(
            "batch over several nodes under one Sync",
            c -> {
              c.parse("s", "UPDATE account SET balance = balance + $1 WHERE id = $2");
              for (int id = 1; id <= 10; id++) {
                c.bind("", "s", 0, "5", "" + id).execute("", 0);
              }
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              all.addAll(c.query("SELECT sum(balance) FROM account").untilReady());
              return all;
            }),
        named(
            "a failing batch leaves nothing behind",
            c -> {
              c.parse("s", "UPDATE account SET balance = balance + $1 WHERE id = $2");
              for (int id = 1; id <= 10; id++) {
                c.bind("", "s", 0, id == 9 ? "-100000" : "5", "" + id).execute("", 0);
              }
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              all.addAll(c.query("SELECT sum(balance) FROM account").untilReady());
              return all;
            }),
        named(
            "a column whose default is the time, among other statements under one Sync",
            c -> {
              for (String sql :
                  List.of(
                      "BEGIN",
                      "UPDATE account SET balance = balance + 1 WHERE id = 3",
                      "ALTER TABLE entry ADD made timestamptz NOT NULL DEFAULT now()",
                      "SELECT count(DISTINCT made) FROM entry",
                      "ALTER TABLE kind ADD made timestamptz DEFAULT now(), ADD name int",
                      "SELECT 1")) {
                c.parse("", sql).bind("", "", 0).describe('P', "").execute("", 0);
              }
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              all.addAll(c.query("ROLLBACK").untilReady());
              return all;
            }),
        named(
            "several Syncs in flight",
            c -> {
              for (int id = 1; id <= 5; id++) {
                c.parse("", "SELECT owner FROM account WHERE id = $1")
                    .bind("", "", 0, "" + id)
                    .execute("", 0)
                    .sync();
              }
              List<Message> all = new ArrayList<>();
              for (int id = 1; id <= 5; id++) {
                all.addAll(c.untilReady());
              }
              return all;
            }),
        named(
            "portal fetched in pieces",
            c ->
                c.parse("", "SELECT n FROM entry WHERE account = $1 ORDER BY n")
                    .bind("p", "", 0, "3")
                    .execute("p", 1)
                    .execute("p", 1)
                    .execute("p", 1)
                    .sync()
                    .untilReady()),
        named(
            "a statement behind an error is not prepared",
            c -> {
              String failing = "SELECT id / 0 FROM account WHERE id = $1";
              c.parse("", failing).bind("", "", 0, "1").execute("", 0).parse("later", "SELECT 1");
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              c.parse("later", "SELECT 2").bind("", "later", 0).execute("", 0);
              all.addAll(c.sync().untilReady());
              return all;
            }),
        named(
            "a statement whose Close stands behind an error keeps its name",
            c -> {
              c.parse("kept", "SELECT 1").parse("gone", "SELECT 3").closeStatement("gone");
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              String failing = "SELECT id / 0 FROM account WHERE id = $1";
              c.parse("", failing).bind("", "", 0, "1").execute("", 0);
              c.closeStatement("kept").parse("kept", "SELECT 2");
              all.addAll(c.sync().untilReady());
              c.bind("", "kept", 0).execute("", 0);
              all.addAll(c.sync().untilReady());
              c.bind("", "gone", 0).execute("", 0);
              all.addAll(c.sync().untilReady());
              return all;
            }),
        named(
            "prepared statements whose columns change",
            c -> {
              c.parse("whole", "SELECT * FROM entry WHERE account = $1").describe('S', "whole");
              c.parse("change", "UPDATE entry SET n = n RETURNING amount, at");
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              for (String type : List.of("numeric", "numeric(12,2)")) {
                all.addAll(c.query("ALTER TABLE entry ALTER amount TYPE " + type).untilReady());
                all.addAll(c.bind("", "whole", 0, "1").execute("", 0).sync().untilReady());
                all.addAll(c.describe('S', "change").sync().untilReady());
              }
              return all;
            }),
        named(
            "statements that come again after a change of the schema in their transaction",
            c -> {
              List<Message> all = new ArrayList<>();
              String again = "SELECT * FROM entry WHERE account < 3 ORDER BY account, n";
              String change = "UPDATE entry SET n = n WHERE account = 3 AND n = 1 RETURNING *";
              for (String sql :
                  List.of(
                      again,
                      change,
                      "BEGIN",
                      again,
                      change,
                      "SAVEPOINT s",
                      "ALTER TABLE entry ADD more int",
                      again,
                      change,
                      "ALTER TABLE entry ALTER kind TYPE varchar(9)",
                      again,
                      change,
                      "ROLLBACK TO s",
                      again,
                      change,
                      "ALTER TABLE entry DROP at",
                      again,
                      change,
                      "ROLLBACK",
                      again,
                      change)) {
                all.addAll(c.query(sql).untilReady());
              }
              return all;
            }),
        named(
            "keys in texts that only PostgreSQL reads",
            c -> {
              List<Message> all = new ArrayList<>();
              all.addAll(c.query("SET DateStyle = 'German'").untilReady());
              for (String day :
                  List.of(
                      "20191122",
                      "2.1.2020",
                      "Jan 5 2024",
                      "2024-01-01 10:00",
                      "30.2.2024",
                      "2024-02-30",
                      "abc",
                      "",
                      "epoch")) {
                for (String sql :
                    List.of(
                        "INSERT INTO moment VALUES ($1, 1)",
                        "SELECT * FROM moment WHERE day IN ($1, '2020-01-02') ORDER BY day",
                        "UPDATE moment SET n = n + 1 WHERE day = $1")) {
                  c.parse("", sql).bind("", "", 0, day).execute("", 0).sync();
                  all.addAll(c.untilReady());
                }
              }
              all.addAll(c.query("RESET DateStyle").untilReady());
              return all;
            }),
        named(
            "a parameter that may have any type",
            c -> c.parse("", "SELECT concat(id, $1) FROM account").sync().untilReady()),
        named(
            "RETURNING of what other nodes have",
            c ->
                c.parse(
                        "",
                        "UPDATE entry SET at = at FROM account a WHERE a.id = entry.n AND account ="
                            + " 3 AND n = 1 RETURNING a.balance, amount")
                    .bind("", "", 0)
                    .describe('P', "")
                    .execute("", 0)
                    .sync()
                    .untilReady()),
        named("unknown statement", c -> c.bind("", "nobody", 0).execute("", 0).sync().untilReady()),
        named(
            "Binds with too few and too many values name the statement",
            c -> {
              List<Message> all = new ArrayList<>();
              for (String name : List.of("", "mine")) {
                c.parse(name, "SELECT balance FROM account WHERE id = $1 AND owner <> $2");
                all.addAll(c.bind("", name, 0, "1").execute("", 0).sync().untilReady());
                all.addAll(c.bind("", name, 0, "1", "x", "y").sync().untilReady());
                all.addAll(c.bind("", name, 0, "1", "x").execute("", 0).sync().untilReady());
              }
              c.parse("none", "SELECT 1 FROM account WHERE id = 7").bind("", "none", 0, "1");
              all.addAll(c.execute("", 0).sync().untilReady());
              return all;
            }),
        named(
            "syntax error in Parse with position",
            c -> c.parse("", "SELECT FROM WHERE id = $1").sync().untilReady()),
        named(
            "transaction with an error and a savepoint",
            c -> {
              List<Message> all = new ArrayList<>();
              for (String sql :
                  List.of(
                      "BEGIN",
                      "UPDATE account SET balance = 1 WHERE id = 1",
                      "SAVEPOINT s",
                      "UPDATE account SET balance = -1 WHERE id = 2",
                      "SELECT 1",
                      "ROLLBACK TO SAVEPOINT s",
                      "UPDATE account SET balance = 2 WHERE id = 3",
                      "COMMIT",
                      "SELECT id, balance::numeric FROM account WHERE id IN (1, 2, 3) ORDER BY"
                          + " id")) {
                all.addAll(c.query(sql).untilReady());
              }
              return all;
            }),
        named(
            "modes of a transaction behind a savepoint",
            c -> {
              List<Message> all = new ArrayList<>();
              for (String begin : List.of("BEGIN READ ONLY", "BEGIN")) {
                for (String set :
                    List.of(
                        "SET TRANSACTION READ WRITE",
                        "SET TRANSACTION READ ONLY",
                        "SET TRANSACTION NOT DEFERRABLE",
                        "SET transaction_read_only = off")) {
                  for (String sql : List.of(begin, "SAVEPOINT s", set, "ROLLBACK")) {
                    all.addAll(c.query(sql).untilReady());
                  }
                }
              }
              return all;
            }),
        named(
            "failed transaction answers ROLLBACK to COMMIT",
            c -> {
              List<Message> all = new ArrayList<>();
              for (String sql :
                  List.of(
                      "BEGIN",
                      "UPDATE account SET balance = 1 WHERE id = 1",
                      "SELECT 1/0",
                      "UPDATE account SET balance = 2 WHERE id = 2",
                      "COMMIT",
                      "SELECT id, balance::numeric FROM account WHERE id IN (1, 2) ORDER BY id")) {
                all.addAll(c.query(sql).untilReady());
              }
              return all;
            }),
        named(
            "BEGIN within the extended protocol",
            c -> {
              c.parse("", "BEGIN").bind("", "", 0).execute("", 0);
              c.parse("", "UPDATE account SET balance = 1 WHERE id = $1")
                  .bind("", "", 0, "1")
                  .execute("", 0)
                  .sync();
              List<Message> all = new ArrayList<>(c.untilReady());
              all.addAll(
                  c.parse("", "ROLLBACK").bind("", "", 0).execute("", 0).sync().untilReady());
              return all;
            }),
        named(
            "COPY out of a reference table",
            c -> c.query("COPY kind TO STDOUT WITH (FORMAT csv)").untilReady()));
  }

  /** After messages of the extended protocol that no Sync has ended. */
  private static Stream<Arguments> queriesWithoutSyncBefore() {
    return Stream.of(
        named(
            "query after an error",
            c -> {
              List<Message> all = new ArrayList<>(c.query("SELECT 1").untilReady());
              c.parse("", "SELECT 1 / $1::int").bind("", "", 0, "0").execute("", 0);
              all.addAll(c.query("SELECT 1").sync().untilReady());
              return all;
            }),
        named(
            "query after an error that has been told",
            c -> {
              c.parse("", "SELECT 1 / (id - $1) FROM account WHERE id = 1");
              c.bind("", "", 0, "1").execute("", 0).askForAnswers().flush();
              List<Message> all = new ArrayList<>();
              do {
                all.add(c.read());
              } while (all.get(all.size() - 1).type() != 'E');
              all.addAll(c.query("SELECT 1").sync().untilReady());
              return all;
            }),
        named(
            "function call after an error",
            c ->
                c.parse("", "SELECT 1 / $1::int")
                    .bind("", "", 0, "0")
                    .execute("", 0)
                    .raw(CALL)
                    .sync()
                    .untilReady()),
        named(
            "function call",
            c ->
                c.parse("", "SELECT owner FROM account WHERE id = $1")
                    .bind("", "", 0, "1")
                    .execute("", 0)
                    .raw(CALL)
                    .sync()
                    .groups(2)),
        named(
            "query of other nodes",
            c -> {
              for (int id = 1; id <= 4; id++) {
                c.parse("", "UPDATE account SET balance = 7 WHERE id = $1");
                c.bind("", "", 0, "" + id).execute("", 0);
              }
              c.query("UPDATE account SET balance = 8 WHERE id = 5").sync();
              List<Message> all = new ArrayList<>(c.groups(2));
              all.addAll(c.query("SELECT sum(balance) FROM account").untilReady());
              return all;
            }),
        named(
            "reads of several nodes",
            c -> {
              c.parse("s", "SELECT owner FROM account WHERE id = $1");
              for (int id = 1; id <= 6; id++) {
                c.bind("", "s", 0, "" + id).execute("", 0);
              }
              return c.query("SELECT owner FROM account WHERE id = 7").sync().groups(2);
            }));
  }

  private static Stream<Arguments> copies() {
    return Stream.of(
        named(
            "COPY into a table that is not placed",
            c -> {
              c.query("COPY scratch FROM STDIN").until('G');
              List<Message> all =
                  new ArrayList<>(c.copyData("a\tfirst\nb\tsecond\n").copyDone().untilReady());
              all.addAll(c.query("SELECT * FROM scratch ORDER BY name").untilReady());
              return all;
            }),
        named(
            "COPY of the extended protocol, answered without Flush and Sync",
            c -> {
              c.parse("", "COPY scratch FROM STDIN").bind("", "", 0).execute("", 0).flush();
              c.until('G');
              c.copyData("a\tfirst\nb\tsecond\n").copyDone();
              List<Message> all = new ArrayList<>(c.sync().untilReady());
              c.parse("named", "copy scratch from stdin").sync().untilReady();
              c.bind("", "named", 0).execute("", 0).flush();
              c.until('G');
              all.addAll(c.copyData("c\tthird\n").copyDone().sync().untilReady());
              c.parse("", "COPY scratch FROM STDOUT").bind("", "", 0).askForAnswers().flush();
              c.until('2');
              c.execute("", 0).flush();
              c.until('G');
              all.addAll(c.copyData("d\tfourth\n").copyDone().sync().untilReady());
              all.addAll(c.query("SELECT * FROM scratch ORDER BY name").untilReady());
              return all;
            }),
        named(
            "COPY that the client gives up",
            c -> {
              c.query("COPY scratch FROM STDIN").until('G');
              return c.copyData("a\tfirst\n").copyFail("changed my mind").untilReady();
            }));
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("conversations")
  void theRouterAnswersLikeANode(String name, Conversation conversation) throws IOException {
    differs = true;
    List<String> expected;
    List<String> actual;
    try (WireClient bare = ParityFixture.wire(node.port())) {
      expected = ParityFixture.comparable(conversation.hold(bare));
    }
    try (WireClient routed = ParityFixture.wire(router.port())) {
      actual = ParityFixture.comparable(conversation.hold(routed));
    }
    assertEquals(String.join("\n", expected), String.join("\n", actual));
    differs = false;
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("copies")
  void theRouterTakesCopiesLikeANode(String name, Conversation conversation) throws IOException {
    theRouterAnswersLikeANode(name, conversation);
  }
}
