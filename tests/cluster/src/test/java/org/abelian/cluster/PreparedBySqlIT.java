package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SQL's PREPARE, EXECUTE and DEALLOCATE: message for message, a client of the router gets what a
 * client of one node gets, and they are those of the protocol under other names.
 */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PreparedBySqlIT {
  private static final String READ =
      "PREPARE q (int) AS SELECT id, owner, hits FROM account WHERE id = $1;";

  private final LocalNode node;
  private final RouterServer router;

  PreparedBySqlIT(LocalNode node, RouterServer router) throws SQLException {
    this.node = node;
    this.router = router;
    ParityFixture.create(node, router);
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @ValueSource(
      strings = {
        // Keys of several nodes.
        READ + "EXECUTE q(1);EXECUTE q(2);EXECUTE q(3);EXECUTE q(4);EXECUTE q(NULL);EXECUTE q('5')",
        READ + "EXECUTE q(1 + 1);EXECUTE q(2.6);EXECUTE q('3'::int);EXECUTE q(length('four'))",
        READ + "EXECUTE q(-7);EXECUTE q(1000000000000);EXECUTE q(abs(-3)) ;EXECUTE /* a */ q ( 3 )",
        READ + "EXECUTE q('x');EXECUTE q(1, 2);EXECUTE q;EXECUTE q(no_column);EXECUTE q(now())",
        READ + "EXECUTE q((SELECT 1));EXECUTE q(count(*));EXECUTE q($1);EXECUTE nobody(1)",
        READ + "EXECUTE q('é' || 'x');EXECUTE q(ARRAY[1, 2]);EXECUTE q((ARRAY[1, 2])[2])",
        READ + READ + "DEALLOCATE q;" + READ + "DEALLOCATE PREPARE q;EXECUTE q(1);DEALLOCATE q",
        READ + "DEALLOCATE ALL;EXECUTE q(1)",
        READ + "DISCARD ALL;EXECUTE q(1)",
        "PREPARE all_of AS SELECT count(*), sum(balance) FROM account;EXECUTE all_of",
        "PREPARE many AS SELECT id FROM account ORDER BY id LIMIT $1;EXECUTE many(3);EXECUTE"
            + " many(0)",
        "PREPARE list AS SELECT id FROM account WHERE id = ANY ($1) ORDER BY id;EXECUTE"
            + " list('{1,2,3}')",
        "PREPARE named AS SELECT id FROM account WHERE owner = $1 ORDER BY id;EXECUTE named('owner"
            + " 3')",
        "PREPARE u AS UPDATE account SET balance = balance + $1 WHERE id = $2 RETURNING balance;"
            + "EXECUTE u(1.5, 3);EXECUTE u(1, 77)",
        "PREPARE u (numeric) AS UPDATE account SET balance = balance + $1 WHERE id = 4;EXECUTE"
            + " u(1);EXECUTE u(-100000)",
        "PREPARE i AS INSERT INTO account VALUES ($1, $2, $3), ($4, 'x', 0);EXECUTE i(101, 'a', 1,"
            + " 102);EXECUTE i(101, 'a', 1, 103);EXECUTE i(104, NULL, 1, 105)",
        "PREPARE d AS DELETE FROM entry WHERE account = $1;EXECUTE d(1);EXECUTE d(1)",
        "PREPARE k AS SELECT meaning FROM kind WHERE name = $1;EXECUTE k('in');EXECUTE k(1)",
        "PREPARE e AS SELECT;PREPARE broken AS SELECT no_column FROM account;PREPARE p AS COMMIT",
        "PREPARE p AS SELECT $1 + 1, $2::text;EXECUTE p(1, 'a;b');EXECUTE p(1, $$c,(d$$)",
        "PREPARE none AS SELECT 1;EXECUTE none(1, no_column);EXECUTE none",
        "PREPARE any AS SELECT concat($1, id) FROM account;PREPARE any (text) AS SELECT concat($1,"
            + " 1);EXECUTE any(2)",
        "PREPARE whole AS SELECT * FROM account WHERE id = 1;PREPARE some AS SELECT count(*) FROM"
            + " account;ALTER TABLE account ADD extra int;EXECUTE whole;EXECUTE some;"
            + "ALTER TABLE account DROP extra;EXECUTE whole",
        "PREPARE \"Quoted name\" AS SELECT 1;EXECUTE \"Quoted name\";EXECUTE quoted",
        "BEGIN;" + READ + "EXECUTE q(1);SELECT 1 / 0;EXECUTE q(1);ROLLBACK;EXECUTE q(1)",
        "BEGIN;PREPARE u AS UPDATE account SET balance = 1 WHERE id = $1;EXECUTE u(1);EXECUTE"
            + " u(2);EXECUTE u(3);ROLLBACK;SELECT sum(balance) FROM account;BEGIN;EXECUTE"
            + " u(1);EXECUTE u(2);COMMIT;SELECT sum(balance) FROM account",
        "BEGIN;" + READ + "EXECUTE q(1 / 0);EXECUTE q(1);ROLLBACK;EXECUTE q(3)",
        READ + "EXPLAIN (COSTS OFF) EXECUTE q(1)",
        "PREPARE t AS SELECT $1::text;BEGIN;SET LOCAL app.tenant = '5';"
            + "EXECUTE t(current_setting('app.tenant', true));COMMIT",
        "PREPARE b AS SELECT id FROM account WHERE born = $1;"
            + "BEGIN;SET LOCAL DateStyle = 'SQL, DMY';EXECUTE b('03/01/2000');COMMIT;"
            + "BEGIN;SET LOCAL DateStyle = 'SQL, DMY';EXECUTE b('03/01/2000');COMMIT;"
            + "BEGIN;EXECUTE b('03/01/2000');COMMIT",
        "PREPARE s AS SELECT owner FROM kind, account WHERE id = 3 AND name = $1;"
            + "CREATE TEMP TABLE made AS SELECT 1;DROP TABLE made",
        "PREPARE k AS SELECT meaning FROM kind WHERE name = $1;"
            + "CREATE TABLE execute AS EXECUTE k('in');TABLE execute;DROP TABLE execute",
        "SET DateStyle = 'German';PREPARE b AS SELECT id FROM account WHERE born = $1;"
            + "EXECUTE b('03.01.2000');EXECUTE b(date '2000-01-01' + 2)",
      })
  void itAnswersLikeANode(String script) throws IOException {
    List<String> expected = answers(node.port(), script);
    assertEquals(
        String.join("\n", expected), String.join("\n", answers(router.port(), script)), script);
  }

  private static List<String> answers(int port, String script) throws IOException {
    List<Message> messages = new ArrayList<>();
    try (WireClient client = ParityFixture.wire(port)) {
      for (String sql : script.split(";(?!b)")) {
        messages.addAll(client.query(sql).untilReady());
      }
    }
    return ParityFixture.comparable(messages);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        READ + "EXECUTE q(1); EXECUTE q(2)",
        "BEGIN;" + READ + "EXECUTE q(1); EXECUTE q(1 + 1); COMMIT",
        READ + "EXECUTE q(1); SELECT 1 / 0; EXECUTE q(2)",
        "PREPARE u AS UPDATE account SET balance = 5 WHERE id = $1; EXECUTE u(1); EXECUTE u(2)",
      })
  void oneQueryMayPrepareAndExecute(String query) throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        List<Message> messages = new ArrayList<>(client.query(query).untilReady());
        messages.addAll(client.query("SELECT sum(balance) FROM account").untilReady());
        both.add(ParityFixture.comparable(messages));
      }
    }
    assertEquals(String.join("\n", both.get(0)), String.join("\n", both.get(1)));
  }

  @Test
  void messagesExecuteWhatSqlPreparedAndSqlWhatMessagesPrepared() throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        List<Message> messages = new ArrayList<>(client.query(READ).untilReady());
        client.bind("", "q", 1, "3").describe('P', "").execute("", 0).sync();
        messages.addAll(client.untilReady());
        client.parse("p", "SELECT owner FROM account WHERE id = $1").sync();
        messages.addAll(client.untilReady());
        messages.addAll(client.query("EXECUTE p(4)").untilReady());
        messages.addAll(client.query("DEALLOCATE p").untilReady());
        client.bind("", "p", 0, "3").execute("", 0).sync();
        messages.addAll(client.untilReady());
        both.add(ParityFixture.comparable(messages));
      }
    }
    assertEquals(String.join("\n", both.get(0)), String.join("\n", both.get(1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"EXECUTE q(3)", "EXECUTE q(1 + 2)", "EXECUTE u(3)", "EXECUTE all_of"})
  void executeItselfMayBeSentByParse(String execute) throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        client.query(READ).untilReady();
        client.query("PREPARE u AS UPDATE account SET hits = hits + 1 WHERE id = $1").untilReady();
        client.query("PREPARE all_of AS SELECT count(*), max(id) FROM account").untilReady();
        client.parse("e", execute).describe('S', "e").sync();
        List<Message> messages = new ArrayList<>(client.untilReady());
        for (int binary = 0; binary < 2; binary++) {
          client.bind("", "e", binary).describe('P', "").execute("", 0).sync();
          messages.addAll(client.untilReady());
        }
        client.parse("", execute).bind("c", "", 0).execute("c", 1).execute("c", 1).sync();
        messages.addAll(client.untilReady());
        both.add(ParityFixture.comparable(messages));
      }
    }
    assertEquals(String.join("\n", both.get(0)), String.join("\n", both.get(1)));
  }
}
