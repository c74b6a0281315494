package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
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

/** Cursors over rows of several nodes give what those of one PostgreSQL give, of one moment. */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CursorIT {
  private static final String ALL = "DECLARE c CURSOR FOR SELECT 1 FROM account;";
  private static final String FORWARDS = "DECLARE c NO SCROLL CURSOR FOR SELECT 1 FROM account;";
  private static final String SORTED =
      "DECLARE c CURSOR FOR SELECT id, owner FROM account ORDER BY id;";

  private static final String SCROLL =
      "DECLARE c SCROLL CURSOR FOR SELECT id, owner FROM account ORDER BY id;";
  private static final String HOLD =
      "DECLARE c CURSOR WITH HOLD FOR SELECT id, owner FROM account ORDER BY id;";

  private final LocalNode node;
  private final RouterServer router;
  private final LocalCluster cluster;

  CursorIT(LocalNode node, RouterServer router, LocalCluster cluster) throws SQLException {
    this.node = node;
    this.router = router;
    this.cluster = cluster;
    ParityFixture.create(node, router);
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @ValueSource(
      strings = {
        "BEGIN;"
            + SORTED
            + "FETCH c;FETCH 3 FROM c;FETCH FORWARD 4 FROM c;MOVE 5 IN c;FETCH ALL FROM c;"
            + "FETCH c;CLOSE c;COMMIT",
        "BEGIN;"
            + ALL
            + "FETCH c;FETCH 3 FROM c;FETCH FORWARD 4 FROM c;MOVE 5 IN c;FETCH ALL FROM c;"
            + "FETCH c;MOVE c;CLOSE c;FETCH c;COMMIT",
        "BEGIN;" + ALL + "FETCH 25 FROM c;FETCH 1 FROM c;COMMIT;FETCH 1 FROM c",
        "BEGIN;" + ALL + "MOVE ALL IN c;FETCH c;COMMIT",
        "BEGIN;"
            + FORWARDS
            + "FETCH 0 FROM c;MOVE 0 IN c;MOVE BACKWARD ALL IN c;FETCH ABSOLUTE 0 FROM c;FETCH"
            + " FIRST FROM c;FETCH RELATIVE 2 FROM c;MOVE 0 IN c;MOVE ABSOLUTE 6 IN c;FETCH"
            + " ABSOLUTE 8 FROM c;FETCH BACKWARD -2 FROM c;MOVE RELATIVE 3 IN c;FETCH ABSOLUTE 30"
            + " FROM c;MOVE 0 IN c;FETCH RELATIVE 1 FROM c;FETCH ABSOLUTE 50 FROM c;COMMIT",
        "BEGIN;" + FORWARDS + "FETCH 2 FROM c;FETCH ABSOLUTE 2 FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH 2 FROM c;FETCH 0 FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH PRIOR FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH LAST FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH RELATIVE -1 FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH ALL FROM c;FETCH ABSOLUTE 21 FROM c;ROLLBACK",
        "BEGIN;" + FORWARDS + "FETCH ALL FROM c;MOVE BACKWARD ALL IN c;ROLLBACK",
        "BEGIN;" + FORWARDS + "MOVE 3 IN c;FETCH ABSOLUTE 0 FROM c;ROLLBACK",
        "BEGIN;" + ALL + "CLOSE ALL;FETCH c;COMMIT",
        "BEGIN;DECLARE a CURSOR FOR SELECT id FROM account WHERE id = 1;"
            + "DECLARE b CURSOR FOR SELECT id FROM account WHERE id = 2;"
            + "DECLARE d CURSOR FOR SELECT id FROM account WHERE id = 3;"
            + "FETCH b;FETCH a;FETCH d;CLOSE a;FETCH a;ROLLBACK;FETCH b",
        "BEGIN;DECLARE a CURSOR FOR SELECT id FROM account WHERE id = 1;CLOSE a;"
            + "DECLARE a CURSOR FOR SELECT id FROM account WHERE id = 2;FETCH ALL FROM a;"
            + "SAVEPOINT s;DECLARE b CURSOR FOR SELECT id FROM account WHERE id = 3;ROLLBACK TO s;"
            + "DECLARE b CURSOR FOR SELECT id FROM account WHERE id = 4;FETCH b;"
            + "DECLARE b CURSOR FOR SELECT id FROM account WHERE id = 5;ROLLBACK",
        HOLD
            + "FETCH 2 FROM c;CLOSE c;BEGIN;"
            + "DECLARE c CURSOR FOR SELECT id FROM account WHERE id = 2;FETCH c;COMMIT",
        HOLD
            + "BEGIN;DECLARE d CURSOR FOR SELECT id FROM account WHERE id = 2;FETCH d;FETCH c;"
            + "CLOSE ALL;FETCH d;ROLLBACK;FETCH c",
        "BEGIN;" + ALL + SORTED + "COMMIT",
        "BEGIN;" + ALL + "CLOSE c;" + ALL + "FETCH 2 FROM c;COMMIT",
        ALL + "FETCH c",
        SORTED,
        "BEGIN;DECLARE a CURSOR FOR SELECT count(*), sum(balance) FROM account;FETCH ALL FROM"
            + " a;COMMIT",
        "BEGIN;DECLARE b BINARY CURSOR FOR SELECT 7::int FROM account;FETCH 2 FROM b;COMMIT",
        "BEGIN;DECLARE \"A b\" NO SCROLL CURSOR WITHOUT HOLD FOR SELECT 'x' FROM entry;"
            + "FETCH 2 FROM \"A b\";COMMIT",
        "BEGIN;"
            + ALL
            + "FETCH 2 FROM c;SAVEPOINT s;FETCH 2 FROM c;ROLLBACK TO s;FETCH 50 FROM c;COMMIT",
        "BEGIN;SAVEPOINT s;" + ALL + "FETCH c;ROLLBACK TO s;" + ALL + "FETCH 3 FROM c;COMMIT",
        "BEGIN;SAVEPOINT s;"
            + ALL
            + "FETCH ALL FROM c;ROLLBACK TO s;"
            + "DECLARE c CURSOR FOR SELECT id FROM account WHERE id = 1;FETCH ALL FROM c;COMMIT",
        "BEGIN;" + ALL + "DECLARE c CURSOR FOR SELECT id FROM account WHERE id = 1;ROLLBACK",
        "BEGIN;" + ALL + "SAVEPOINT s;" + ALL + "ROLLBACK TO s;FETCH ALL FROM c;COMMIT",
        "BEGIN;SAVEPOINT s;" + ALL + "ROLLBACK TO s;FETCH c;ROLLBACK",
        "BEGIN;" + ALL + "SELECT 1 / 0;FETCH c;ROLLBACK",
        "BEGIN;SAVEPOINT b;" + ALL + "RELEASE b;SAVEPOINT e;ROLLBACK TO e;FETCH c;COMMIT",
        "BEGIN;SAVEPOINT b;DECLARE c CURSOR FOR SELECT id FROM account WHERE id = 1;RELEASE b;"
            + "SAVEPOINT e;ROLLBACK TO e;FETCH c;COMMIT",
        "BEGIN;SAVEPOINT a;SAVEPOINT b;" + ALL + "RELEASE b;FETCH c;ROLLBACK TO a;FETCH c;ROLLBACK",
        "BEGIN;SAVEPOINT a;SAVEPOINT b;"
            + ALL
            + "RELEASE a;SAVEPOINT a;ROLLBACK TO a;"
            + "FETCH c;"
            + ALL
            + "ROLLBACK",
        "BEGIN;SAVEPOINT b;SET work_mem = '9MB';"
            + ALL
            + "RELEASE b;SAVEPOINT e;ROLLBACK TO e;"
            + "FETCH c;COMMIT",
        "BEGIN;DECLARE c CURSOR FOR SELECT 10 / (id - 1000) FROM account;FETCH 2 FROM c;COMMIT",
        "BEGIN;DECLARE c CURSOR FOR SELECT no_column FROM account;COMMIT",
        "BEGIN;"
            + SCROLL
            + "FETCH LAST FROM c;FETCH PRIOR FROM c;FETCH FIRST FROM c;FETCH PRIOR FROM c;FETCH"
            + " ABSOLUTE 5 FROM c;FETCH RELATIVE 3 FROM c;FETCH RELATIVE -4 FROM c;FETCH 0 FROM"
            + " c;FETCH BACKWARD 2 FROM c;FETCH FORWARD ALL FROM c;FETCH BACKWARD ALL FROM c;MOVE"
            + " FORWARD 7 IN c;FETCH c;MOVE BACKWARD ALL IN c;FETCH ABSOLUTE -2 FROM c;FETCH NEXT"
            + " FROM c;FETCH NEXT FROM c;FETCH NEXT FROM c;CLOSE c;FETCH c;COMMIT",
        "BEGIN;DECLARE c SCROLL CURSOR FOR SELECT 'x', 1, 1 FROM entry -- no order\n;"
            + "FETCH 3 FROM c;FETCH PRIOR FROM c;MOVE ALL IN c;FETCH BACKWARD 2 FROM c;COMMIT",
        HOLD + "FETCH 2 FROM c;FETCH LAST FROM c;FETCH PRIOR FROM c;CLOSE c;FETCH c",
        "BEGIN;" + HOLD + "FETCH 2 FROM c;COMMIT;FETCH 3 FROM c;FETCH PRIOR FROM c;CLOSE ALL",
        "BEGIN;" + HOLD + "ROLLBACK;FETCH 3 FROM c",
        "BEGIN;SAVEPOINT s;" + HOLD + "ROLLBACK TO s;FETCH c;COMMIT",
        "BEGIN;SAVEPOINT s;" + SCROLL + "FETCH LAST FROM c;ROLLBACK TO s;" + SCROLL + "COMMIT",
        HOLD + HOLD + SCROLL + "DISCARD ALL;FETCH c",
        HOLD + "BEGIN;" + SCROLL + "ROLLBACK;BEGIN;" + ALL + "COMMIT;CLOSE c;FETCH c",
        HOLD
            + "SELECT name, is_holdable, is_scrollable, is_binary FROM pg_cursors;CLOSE c;SELECT"
            + " name FROM pg_cursors",
        SCROLL,
        "BEGIN;DECLARE \"A c\" NO SCROLL CURSOR WITH HOLD FOR SELECT id FROM account ORDER BY id;"
            + "COMMIT;FETCH \"A c\";FETCH PRIOR FROM \"A c\";CLOSE \"A c\"",
        "BEGIN;DECLARE c BINARY SCROLL CURSOR FOR SELECT id FROM account ORDER BY id;FETCH 2 FROM"
            + " c;FETCH PRIOR FROM c;COMMIT",
        "BEGIN;DECLARE c SCROLL CURSOR FOR SELECT id FROM account FOR UPDATE;ROLLBACK",
        "BEGIN;DECLARE c CURSOR WITH HOLD FOR SELECT id FROM account FOR UPDATE;ROLLBACK",
        "BEGIN;DECLARE c SCROLL CURSOR FOR SELECT id FROM account WHERE id < 0;FETCH LAST FROM c;"
            + "FETCH PRIOR FROM c;COMMIT",
        "BEGIN;UPDATE account SET owner = 'moved' WHERE id IN (3, 4, 5);"
            + HOLD
            + "UPDATE account SET owner = 'later' WHERE id IN (3, 4, 5);COMMIT;FETCH ABSOLUTE 4"
            + " FROM c;UPDATE account SET owner = 'owner';CLOSE c",
        "BEGIN;DECLARE c SCROLL CURSOR FOR SELECT owner, count(*) FROM account GROUP BY owner ORDER"
            + " BY 1;FETCH LAST FROM c;FETCH PRIOR FROM c;COMMIT",
      })
  void itAnswersLikeANode(String script) throws IOException {
    assertEquals(
        String.join("\n", answers(node.port(), script)),
        String.join("\n", answers(router.port(), script)));
  }

  private static List<String> answers(int port, String script) throws IOException {
    List<Message> messages = new ArrayList<>();
    try (WireClient client = ParityFixture.wire(port)) {
      for (String sql : script.split(";")) {
        messages.addAll(client.query(sql).untilReady());
      }
    }
    return ParityFixture.comparable(messages);
  }

  @Test
  void everyRowComesOnceWhateverThePortions() throws SQLException {
    for (int portion : List.of(1, 3, 7, 19, 20, 21)) {
      try (Connection connection = router.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("DECLARE c CURSOR FOR SELECT id FROM account");
        List<Integer> ids = new ArrayList<>();
        int before = -1;
        while (ids.size() > before) {
          before = ids.size();
          try (ResultSet rows = statement.executeQuery("FETCH " + portion + " FROM c")) {
            while (rows.next()) {
              ids.add(rows.getInt(1));
            }
          }
        }
        connection.commit();
        assertEquals(20, ids.size());
        assertEquals(20, new TreeSet<>(ids).size());
      }
    }
  }

  /** A cursor sees what was there when it was declared, on every node. */
  @Test
  void itSeesOneMoment() throws SQLException {
    try (Connection reader = router.connect();
        Connection writer = router.connect();
        Statement reads = reader.createStatement();
        Statement writes = writer.createStatement()) {
      reader.setAutoCommit(false);
      reads.execute("DECLARE c CURSOR FOR SELECT balance::numeric FROM account");
      long sum = sum(reads, "FETCH 4 FROM c");
      writes.execute("UPDATE account SET balance = balance + 1000");
      sum += sum(reads, "FETCH ALL FROM c");
      reader.commit();
      assertEquals(2100, sum);
      writes.execute("UPDATE account SET balance = balance - 1000");
    }
  }

  /** Whichever node has been changed before, the cursor is where its rows are finished. */
  @Test
  void rowsOfSeveralNodesAreFetchedAfterAChange() throws SQLException {
    String query =
        "SELECT a.id, b.id FROM account a JOIN account b ON b.id = a.id % 7 + 1 ORDER BY 1, 2";
    for (int id = 1; id < 9; id++) {
      try (Connection connection = router.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("UPDATE account SET owner = owner WHERE id = " + id);
        statement.execute("DECLARE c CURSOR FOR " + query);
        assertTrue(statement.executeQuery("FETCH ALL FROM c").next(), "after a change of " + id);
      }
    }
  }

  /** One PostgreSQL computes the rows when they are fetched, or at COMMIT. */
  @Test
  void errorsOfGatheredRowsComeWithTheDeclaration() throws SQLException {
    for (String kind : List.of("SCROLL CURSOR", "CURSOR WITH HOLD")) {
      try (Connection connection = router.connect();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        String declare = "DECLARE c " + kind + " FOR SELECT 10 / (id - 4) FROM account";
        SQLException error = assertThrows(SQLException.class, () -> statement.execute(declare));
        assertEquals("22012", error.getSQLState());
        connection.rollback();
      }
    }
  }

  /** As pgjdbc reads result sets: in portions, backwards, and after the transaction. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void resultSetsGoBothWays(boolean embedded) throws SQLException {
    for (int fetchSize : List.of(0, 3)) {
      try (Connection connection = embedded ? cluster.connect() : router.connect()) {
        connection.setAutoCommit(false);
        try (Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE,
                ResultSet.CONCUR_READ_ONLY,
                ResultSet.HOLD_CURSORS_OVER_COMMIT)) {
          statement.setFetchSize(fetchSize);
          try (ResultSet rows = statement.executeQuery("SELECT id FROM account ORDER BY id")) {
            connection.commit();
            assertTrue(rows.last());
            assertEquals(20, rows.getInt(1));
            assertTrue(rows.absolute(5));
            assertTrue(rows.previous());
            assertEquals(4, rows.getInt(1));
          }
        }
        try (Statement statement = connection.createStatement()) {
          statement.setFetchSize(fetchSize);
          int next = 1;
          try (ResultSet rows = statement.executeQuery("SELECT id FROM account ORDER BY id")) {
            while (rows.next()) {
              assertEquals(next++, rows.getInt(1));
            }
          }
          assertEquals(21, next);
          statement.execute(HOLD);
          connection.commit();
          try (ResultSet rows = statement.executeQuery("FETCH ABSOLUTE 7 FROM c")) {
            assertTrue(rows.next());
            assertEquals(7, rows.getInt(1));
          }
          statement.execute("CLOSE c");
          connection.commit();
        }
      }
    }
  }

  private static long sum(Statement statement, String fetch) throws SQLException {
    long sum = 0;
    try (ResultSet rows = statement.executeQuery(fetch)) {
      while (rows.next()) {
        sum += rows.getLong(1);
      }
    }
    return sum;
  }

  @Test
  void declareTakesParameters() throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        List<Message> messages = new ArrayList<>(client.query("BEGIN").untilReady());
        client.parse(
            "", "DECLARE c CURSOR FOR SELECT id + $2 FROM account WHERE id <= $1 ORDER BY 1");
        client.bind("", "", 0, "12", "100").describe('P', "").execute("", 0).sync();
        messages.addAll(client.untilReady());
        client.parse("", "DECLARE d CURSOR FOR SELECT $1 FROM account WHERE balance > $2");
        client.bind("", "", 0, "word", "100").describe('P', "").execute("", 0).sync();
        messages.addAll(client.untilReady());
        client.parse("f", "FETCH 3 FROM d").describe('S', "f");
        client.bind("", "f", 0).describe('P', "").execute("", 0);
        client.bind("", "f", 0).describe('P', "").execute("", 0).sync();
        messages.addAll(client.untilReady());
        messages.addAll(client.query("FETCH 3 FROM c").untilReady());
        client.execute("d", 2).sync();
        messages.addAll(client.untilReady());
        client.parse(
            "", "DECLARE s SCROLL CURSOR FOR SELECT id, $2 FROM account WHERE id <= $1 ORDER BY 1");
        client.bind("", "", 0, "12", "word").describe('P', "").execute("", 0).sync();
        messages.addAll(client.untilReady());
        messages.addAll(client.query("FETCH LAST FROM s").untilReady());
        client.parse("b", "FETCH PRIOR FROM s").bind("", "b", 1).execute("", 0).sync();
        messages.addAll(client.untilReady());
        messages.addAll(client.query("CLOSE ALL").untilReady());
        messages.addAll(client.query("COMMIT").untilReady());
        both.add(ParityFixture.comparable(messages));
      }
    }
    assertEquals(String.join("\n", both.get(0)), String.join("\n", both.get(1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DECLARE c BINARY CURSOR FOR SELECT id FROM account ORDER BY id",
        "DECLARE c CURSOR FOR SELECT id FROM account ORDER BY id;FETCH c;FETCH BACKWARD 1 FROM c",
        "DECLARE c CURSOR FOR SELECT id FROM account FOR UPDATE;FETCH c;"
            + "UPDATE account SET balance = 0 WHERE CURRENT OF c",
        "DECLARE c CURSOR FOR SELECT 1 FROM account;FETCH BACKWARD 1 FROM c",
        "DECLARE c CURSOR FOR SELECT 1 FROM account;FETCH c;FETCH 0 FROM c",
        "DECLARE c CURSOR FOR SELECT 1 FROM account;FETCH 4 FROM c;FETCH ABSOLUTE 3 FROM c",
      })
  void whatCannotBeIsRefused(String script) throws SQLException {
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      SQLException refusal =
          assertThrows(
              SQLException.class,
              () -> {
                for (String sql : script.split(";")) {
                  statement.execute(sql);
                }
              });
      assertTrue(
          List.of("0A000", "24000", "55000").contains(refusal.getSQLState()), refusal.toString());
      connection.rollback();
    }
  }
}
