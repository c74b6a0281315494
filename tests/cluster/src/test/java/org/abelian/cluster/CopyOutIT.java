package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** COPY TO STDOUT gives the bytes that one PostgreSQL gives, wherever the rows lie. */
@WithNode
@WithCluster
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CopyOutIT {
  private static final int WIDE_ROWS = 200;

  private static boolean created;

  private final LocalNode node;
  private final LocalCluster cluster;
  private final RouterServer router;

  CopyOutIT(LocalNode node, LocalCluster cluster, RouterServer router) {
    this.node = node;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTables() throws SQLException, IOException {
    if (created) {
      return;
    }
    ParityFixture.create(node, router);
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        run(client, "DROP TABLE IF EXISTS odd, wide, single");
        run(
            client,
            "CREATE TABLE odd (id int PRIMARY KEY, t text, \"a, \"\"b\"\"\" numeric,"
                + " twice int GENERATED ALWAYS AS (id * 2) STORED, bytes bytea, list int[])");
        run(client, "CREATE TABLE wide (id int PRIMARY KEY, t text)");
        run(client, "CREATE TABLE single (t text PRIMARY KEY)");
        if (port == router.port()) {
          run(client, "SELECT create_distributed_table('odd', 'id')");
          run(client, "SELECT create_distributed_table('wide', 'id')");
          run(client, "SELECT create_distributed_table('single', 't')");
        }
        fill(client);
      }
    }
    created = true;
  }

  private static void fill(WireClient client) throws IOException {
    List<String> texts =
        List.of(
            "E'tab\\tline\\nreturn\\r'",
            "E'back\\\\slash'",
            "E'\\b\\f\\x0b\\x01\\x7f'",
            "'quote\" and ''single'''",
            "','",
            "''",
            "NULL",
            "'\\N'",
            "'\\.'",
            "'é € 😀'",
            "'|;,'",
            "repeat('large ', 20000)");
    for (int id = 0; id < 3 * texts.size(); id++) {
      String text = texts.get(id % texts.size());
      run(
          client,
          "INSERT INTO odd VALUES (%d, %s, %s, DEFAULT, '\\x0%d', '{%d,NULL}')"
              .formatted(id, text, id % 4 == 0 ? "NULL" : id + ".50", id % 10, id));
    }
    for (int id = 0; id < WIDE_ROWS; id++) {
      run(client, "INSERT INTO wide VALUES (" + id + ", repeat('wide', 25000))");
    }
    run(client, "INSERT INTO single VALUES ('\\.'), (''), ('a'), ('N'), ('b,c')");
  }

  private static void run(WireClient client, String sql) throws IOException {
    List<Message> answer = client.query(sql).untilReady();
    assertEquals(0, answer.stream().filter(m -> m.type() == 'E').count(), answer::toString);
  }

  /** The messages, rows in order of their bytes: which node is asked first is nobody's affair. */
  private static List<String> answers(int port, String sql, boolean ordered) throws IOException {
    try (WireClient client = ParityFixture.wire(port)) {
      List<Message> all = new ArrayList<>(client.query(sql).untilReady());
      List<String> lines = ParityFixture.comparable(all);
      if (!ordered) {
        int from = 0;
        while (from < lines.size() && !lines.get(from).startsWith("d")) {
          from++;
        }
        int to = from;
        while (to < lines.size() && lines.get(to).startsWith("d")) {
          to++;
        }
        boolean named = sql.contains("HEADER") && to > from;
        lines.subList(named ? from + 1 : from, to).sort(null);
      }
      return lines;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY account TO STDOUT",
        "COPY odd TO STDOUT",
        "COPY odd (t, id) TO STDOUT (DELIMITER '|', NULL 'nil')",
        "COPY odd TO STDOUT (HEADER)",
        "COPY odd TO STDOUT CSV HEADER",
        "COPY odd (id, t, \"a, \"\"b\"\"\") TO STDOUT (FORMAT csv, HEADER on, FORCE_QUOTE (t, id))",
        "COPY odd TO STDOUT (FORMAT csv, FORCE_QUOTE *, ENCODING 'UTF8')",
        "COPY odd TO STDOUT (FORMAT csv, QUOTE '''', ESCAPE '\\', DELIMITER ';', NULL '\\N')",
        "COPY single TO STDOUT CSV",
        "COPY single TO STDOUT (FORMAT csv, NULL 'N')",
        "COPY single TO STDOUT",
        "COPY kind TO STDOUT CSV HEADER",
        "COPY scratch TO STDOUT",
        "COPY (SELECT * FROM odd) TO STDOUT CSV",
        "COPY (SELECT id, t FROM odd WHERE id = 3) TO STDOUT",
        "COPY (SELECT FROM odd) TO STDOUT",
        "COPY (SELECT id, hits FROM account WHERE id < 0) TO STDOUT CSV HEADER",
      })
  void theRowsOfSeveralNodesAreThoseOfOne(String sql) throws IOException {
    assertEquals(
        String.join("\n", answers(node.port(), sql, false)),
        String.join("\n", answers(router.port(), sql, false)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY (SELECT * FROM odd ORDER BY id) TO STDOUT CSV HEADER",
        "COPY (SELECT * FROM odd ORDER BY id) TO STDOUT (FORMAT binary)",
        "COPY (SELECT id, owner, balance::numeric, hits, born FROM account ORDER BY id) TO STDOUT"
            + " (FORMAT binary)",
        "COPY (SELECT id FROM account WHERE id < 0) TO STDOUT (FORMAT binary)",
        "COPY (SELECT owner, count(*), sum(balance) FROM account GROUP BY 1 ORDER BY 1) TO STDOUT"
            + " CSV",
        "COPY (SELECT a.id, k.meaning FROM entry e JOIN account a ON a.id = e.account JOIN kind k"
            + " ON k.name = e.kind ORDER BY 1, 2 LIMIT 7) TO STDOUT",
        "COPY (SELECT DISTINCT kind FROM entry ORDER BY 1) TO STDOUT",
        "COPY (SELECT count(*) FROM wide) TO STDOUT; SELECT 1; COPY (SELECT 2) TO STDOUT",
        // errors
        "COPY account TO STDOUT (FORMAT xml)",
        "COPY account TO STDOUT (DELIMITER 'ab')",
        "COPY account TO STDOUT (FORCE_QUOTE *)",
        "COPY account (id, nothing) TO STDOUT",
        "COPY account (id, id) TO STDOUT",
        "COPY odd (id, twice) TO STDOUT",
        "COPY odd (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (t))",
        "COPY (SELECT id FROM odd) TO STDOUT (FORMAT csv, FORCE_QUOTE (t))",
        "COPY nowhere TO STDOUT",
        "COPY (SELECT fail(id) FROM account WHERE id = 3) TO STDOUT",
      })
  void whatHasAnOrderIsTheSameByteForByte(String sql) throws IOException {
    assertEquals(
        String.join("\n", answers(node.port(), sql, true)),
        String.join("\n", answers(router.port(), sql, true)));
  }

  private static byte[] copied(Connection connection, String sql) throws SQLException, IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql, out);
    return out.toByteArray();
  }

  private List<Connection> routed() throws SQLException {
    return List.of(router.connect(), cluster.connect());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY (SELECT * FROM odd ORDER BY id) TO STDOUT",
        "COPY (SELECT * FROM wide ORDER BY id) TO STDOUT (FORMAT binary)",
        "COPY (SELECT * FROM odd ORDER BY id) TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)",
      })
  void copyManagerGetsTheSameBytesFromServerAndDriver(String sql) throws Exception {
    byte[] expected;
    try (Connection bare = node.connect()) {
      expected = copied(bare, sql);
    }
    for (Connection connection : routed()) {
      try (connection) {
        assertArrayEquals(expected, copied(connection, sql), connection.toString());
      }
    }
  }

  @Test
  void whatIsCopiedOutInBinaryIsOneFile() throws Exception {
    for (Connection connection : routed()) {
      try (connection) {
        byte[] file = copied(connection, "COPY odd (id, t, bytes) TO STDOUT (FORMAT binary)");
        try (Connection bare = node.connect();
            Statement on = bare.createStatement()) {
          on.execute("CREATE TEMPORARY TABLE again AS SELECT id, t, bytes FROM odd WITH NO DATA");
          bare.unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY again FROM STDIN (FORMAT binary)", new ByteArrayInputStream(file));
          assertEquals(
              "0",
              one(
                  on,
                  "SELECT count(*) FROM again FULL JOIN odd USING (id) WHERE (again.t, again.bytes)"
                      + " IS DISTINCT FROM (odd.t, odd.bytes)"));
        }
      }
    }
  }

  private static String one(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Test
  void psqlCopiesTheSame() throws Exception {
    String script = "\\copy (SELECT * FROM odd ORDER BY id) TO STDOUT CSV HEADER\n";
    assertEquals(
        ClientProgram.psql(node.port(), script), ClientProgram.psql(router.port(), script));
  }

  @Test
  void aCopySeesItsTransaction() throws Exception {
    for (Connection connection : routed()) {
      try (connection;
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute("UPDATE odd SET t = 'mine'");
        String lines =
            new String(copied(connection, "COPY odd (t) TO STDOUT"), StandardCharsets.UTF_8);
        assertEquals("mine\n".repeat(36), lines);
        connection.rollback();
      }
    }
  }

  @Test
  void commitsOverSeveralNodesAreSeenWhollyOrNotAtAll() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> transfers =
        CompletableFuture.runAsync(
            () -> {
              try (Connection connection = router.connect();
                  Statement statement = connection.createStatement()) {
                for (int i = 0; !over.get(); i++) {
                  int from = 1 + i % 20;
                  int to = 1 + (i * 7 + 3) % 20;
                  statement.execute(
                      "BEGIN; UPDATE account SET balance = balance - 1 WHERE id = "
                          + from
                          + "; UPDATE account SET balance = balance + 1 WHERE id = "
                          + to
                          + "; COMMIT");
                }
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    try (Connection connection = router.connect()) {
      for (int i = 0; i < 60 && !transfers.isDone(); i++) {
        String lines =
            new String(
                copied(connection, "COPY account (balance) TO STDOUT"), StandardCharsets.UTF_8);
        assertEquals(2100.0, lines.lines().mapToDouble(Double::parseDouble).sum(), 0.001);
      }
    } finally {
      over.set(true);
      transfers.join();
    }
  }

  @Test
  void anErrorInTheMiddleLeavesNoNodeBusy() throws Exception {
    for (Connection connection : routed()) {
      try (connection) {
        String sql = "COPY (SELECT t, 1 / (%d - id) FROM wide) TO STDOUT";
        for (int id = WIDE_ROWS - 8; id < WIDE_ROWS; id++) {
          String failing = sql.formatted(id);
          SQLException error = assertThrows(SQLException.class, () -> copied(connection, failing));
          assertEquals("22012", error.getSQLState(), error.getMessage());
        }
        assertEquals(
            WIDE_ROWS,
            new String(copied(connection, "COPY wide (id) TO STDOUT"), StandardCharsets.UTF_8)
                .lines()
                .count());
        awaitIdleNodes();
      }
    }
  }

  @Test
  void aCopyCanBeCancelledInTheMiddle() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("COPY wide TO STDOUT").until('d');
      client.cancel();
      List<Message> rest = client.untilReady();
      Message error = rest.get(rest.size() - 2);
      assertEquals("57014", error.sqlState(), error::toString);
      assertTrue(rest.size() < WIDE_ROWS, "all of it has come");
      assertEquals("COPY 5", client.query("COPY single TO STDOUT").untilReady().get(7).text());
      awaitIdleNodes();
    }
  }

  @Test
  void aClientMayGoInTheMiddle() throws Exception {
    for (boolean killed : List.of(true, false)) {
      WireClient client = ParityFixture.wire(router.port());
      client.query("COPY wide TO STDOUT").until('d');
      if (killed) {
        client.abandon();
      } else {
        client.reset();
      }
      awaitIdleNodes();
    }
  }

  /** No node runs a statement of a client any more, nor is a transaction left open. */
  private void awaitIdleNodes() throws Exception {
    long busy = 1;
    for (int i = 0; i < 500 && busy > 0; i++) {
      busy = 0;
      for (LocalNode each : cluster.nodes()) {
        busy +=
            ProxiedCluster.number(
                each,
                "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND query LIKE"
                    + " '%wide%' AND pid <> pg_backend_pid()");
      }
      Thread.sleep(busy == 0 ? 0 : 20);
    }
    assertEquals(0, busy);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY account TO '/tmp/accounts'",
        "COPY account TO PROGRAM 'cat'",
        "COPY account FROM '/tmp/accounts'",
        "COPY (SELECT count(*) FROM account) TO '/tmp/accounts'",
      })
  void filesOfNodesAreRefused(String sql) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      Message error = client.query(sql).until('E');
      assertEquals("42501", error.sqlState());
      assertTrue(error.fields().get('H').contains("stdin"), error::toString);
      client.untilReady();
      run(client, "SELECT 1");
    }
  }
}
