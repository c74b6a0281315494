package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys that a procedure touches without declaring them are learned from its misrouted calls. */
@WithCluster
class RoutingRulesIT {
  private static final Pattern ATTEMPTS = Pattern.compile("\"misrouted_attempts\":(\\d+)");
  private static final int KEYS = 60;

  /** Three to learn a rule, and one for each test of it, which become rarer by half. */
  private static final int BOUND = 12;

  private final LocalCluster cluster;
  private final Random random = new Random(4);
  private Connection connection;

  RoutingRulesIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute("DROP TABLE IF EXISTS part CASCADE");
    execute("CREATE TABLE part (id int PRIMARY KEY, n bigint NOT NULL)");
    execute("SELECT create_distributed_table('part', 'id')");
    StringBuilder rows = new StringBuilder("INSERT INTO part VALUES (0, 0)");
    for (int id = 1; id < KEYS; id++) {
      rows.append(", (").append(id).append(", 0)");
    }
    execute(rows.toString());
    declare("hop(a int, extra int, b int)", "n = n + 1 WHERE id = a", "n = n + 1 WHERE id = b");
  }

  @AfterEach
  void drop() throws SQLException {
    connection.close();
    try (Connection last = cluster.connect();
        Statement statement = last.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS part CASCADE");
      statement.execute("DROP PROCEDURE IF EXISTS hop, hops, sweep");
    }
  }

  /** Of updates; the first argument is declared as a key, and no other. */
  private void declare(String signature, String... updates) throws SQLException {
    StringBuilder body = new StringBuilder();
    for (String update : updates) {
      body.append("UPDATE part SET ").append(update).append("; ");
    }
    execute(
        "CREATE OR REPLACE PROCEDURE "
            + signature
            + " LANGUAGE plpgsql AS $$ BEGIN "
            + body
            + "END $$");
    String types = signature.replaceAll("\\w+ (\\w+(?:\\[\\])?)(?=[,)])", "$1");
    execute("CALL create_distributed_procedure('" + types + "', 'a', colocate_with => 'part')");
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String value(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private List<String> explain(String call) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("EXPLAIN " + call)) {
      while (rows.next()) {
        lines.add(rows.getString(1).strip());
      }
    }
    return lines;
  }

  private int misrouted() throws SQLException {
    Matcher matcher = ATTEMPTS.matcher(value("SHOW abelian.routing_rules"));
    assertTrue(matcher.find());
    return Integer.parseInt(matcher.group(1));
  }

  private void hop(int a, int extra, int b) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement("CALL hop(?, ?, ?)")) {
      call.setInt(1, a);
      call.setInt(2, extra);
      call.setInt(3, b);
      call.execute();
    }
  }

  private int key() {
    return random.nextInt(KEYS);
  }

  private static void assertLearned(String rule, List<String> lines) {
    assertTrue(lines.contains("Learned: " + rule), lines.toString());
  }

  @Test
  void anUndeclaredKeyCostsABoundedNumberOfAttempts() throws SQLException {
    int before = misrouted();
    for (int i = 0; i < 200; i++) {
      hop(key(), key(), key());
    }
    int attempts = misrouted() - before;
    assertTrue(attempts >= 3 && attempts <= BOUND, attempts + " of 200 calls were misrouted");
    assertLearned("argument 3 as a key of public.part", explainFar());
    assertEquals("400", value("SELECT sum(n) FROM part"), "every call has done its work once");
  }

  /** Of a call whose keys lie on different nodes. */
  private List<String> explainFar() throws SQLException {
    return explain("CALL hop(" + keyOn(0) + ", " + keyOn(0) + ", " + keyOn(1) + ")");
  }

  private int keyOn(int node) throws SQLException {
    return (int) ProxiedCluster.number(cluster.nodes().get(node), "SELECT min(id) FROM part");
  }

  @Test
  void anotherPlacementMakesTheRouterForget() throws SQLException {
    for (int i = 0; i < 40; i++) {
      hop(key(), key(), key());
    }
    assertLearned("argument 3 as a key of public.part", explainFar());
    execute("CREATE TABLE other_part (id int)");
    execute("SELECT create_distributed_table('other_part', 'id')");
    try {
      List<String> forgotten = explainFar();
      assertFalse(forgotten.toString().contains("Learned"), forgotten.toString());
      assertTrue(value("SHOW abelian.routing_rules").endsWith("\"rules\":[]}"));
      int before = misrouted();
      hop(keyOn(0), keyOn(0), keyOn(1));
      assertEquals(before + 1, misrouted());
    } finally {
      execute("DROP TABLE other_part");
    }
  }

  @Test
  void anArgumentThatEqualedTheKeyByAccidentIsFoundOut() throws SQLException {
    for (int i = 0; i < 15; i++) {
      int b = key();
      hop(key(), b, b);
    }
    int before = misrouted();
    for (int i = 0; i < 250; i++) {
      hop(key(), key(), key());
    }
    assertTrue(misrouted() - before <= 3 * BOUND, (misrouted() - before) + " were misrouted");
    List<String> near = explain("CALL hop(" + keyOn(0) + ", " + keyOn(1) + ", " + keyOn(0) + ")");
    assertTrue(
        near.stream().anyMatch(line -> line.startsWith("Commit class single")),
        "a call of one node stays on it: " + near + value("SHOW abelian.routing_rules"));
    assertLearned("argument 3 as a key of public.part", explainFar());
  }

  @Test
  void everyElementOfAnArrayIsAKey() throws SQLException {
    declare("hops(a int, b int[])", "n = n + 1 WHERE id = a", "n = n + 1 WHERE id = ANY (b)");
    int before = misrouted();
    for (int i = 0; i < 60; i++) {
      execute("CALL hops(" + key() + ", '{" + key() + ", " + key() + "}')");
    }
    int attempts = misrouted() - before;
    assertTrue(attempts >= 3 && attempts <= 2 * BOUND, attempts + " of 60 calls were misrouted");
    assertLearned(
        "argument 2 as a key of public.part",
        explain("CALL hops(" + keyOn(0) + ", '{" + keyOn(1) + ", " + keyOn(2) + "}')"));
  }

  @Test
  void whatNoArgumentExplainsTakesAllNodes() throws SQLException {
    declare("sweep(a int, b int)", "n = n + 1 WHERE n >= 0");
    int before = misrouted();
    for (int i = 0; i < 60; i++) {
      execute("CALL sweep(" + key() + ", " + key() + ")");
    }
    int attempts = misrouted() - before;
    assertTrue(attempts >= 3 && attempts <= 2 * BOUND, attempts + " of 60 calls were misrouted");
    assertLearned("all nodes take part", explain("CALL sweep(1, 2)"));
    assertEquals(Long.toString(60L * KEYS), value("SELECT sum(n) FROM part"));
  }
}
