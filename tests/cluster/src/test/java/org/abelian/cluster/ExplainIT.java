package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** EXPLAIN tells what the router does with a statement, and PostgreSQL's plan below it. */
@WithCluster
class ExplainIT {
  private final LocalCluster cluster;
  private Connection connection;
  private int[] ids;

  ExplainIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute("DROP TABLE IF EXISTS stock CASCADE");
    execute("CREATE TABLE stock (id int PRIMARY KEY, what text, n abelian.counter DEFAULT 0)");
    execute("SELECT create_distributed_table('stock', 'id')");
    StringBuilder rows = new StringBuilder("INSERT INTO stock VALUES (0, '')");
    for (int id = 1; id <= 30; id++) {
      rows.append(", (").append(id).append(", '')");
    }
    execute(rows.toString());
    ids = new int[cluster.nodes().size()];
    for (int node = 0; node < ids.length; node++) {
      ids[node] =
          (int) ProxiedCluster.number(cluster.nodes().get(node), "SELECT min(id) FROM stock");
    }
    execute(
        "CREATE OR REPLACE PROCEDURE note(a int, b int, w text) LANGUAGE sql BEGIN ATOMIC"
            + " UPDATE stock SET what = w WHERE id = a; UPDATE stock SET what = w WHERE id = b;"
            + " END");
    execute(
        "CREATE OR REPLACE PROCEDURE move(a int, b int) LANGUAGE sql BEGIN ATOMIC"
            + " UPDATE stock SET n = n - 1 WHERE id = a; UPDATE stock SET n = n + 1 WHERE id = b;"
            + " END");
    execute("CALL create_distributed_procedure('note(int, int, text)', 'a, b', 'stock')");
    execute("CALL create_distributed_procedure('move(int, int)', 'a, b', 'stock')");
  }

  @AfterEach
  void drop() throws SQLException {
    connection.close();
    try (Connection last = cluster.connect();
        Statement statement = last.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS stock CASCADE");
      statement.execute("DROP PROCEDURE IF EXISTS note, move");
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<String> lines(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertEquals("QUERY PLAN", rows.getMetaData().getColumnName(1));
      return lines(rows);
    }
  }

  private static List<String> lines(ResultSet rows) throws SQLException {
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      lines.add(rows.getString(1));
    }
    return lines;
  }

  private String value(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** What the router says about the class when the statement is run. */
  private String told(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      SQLWarning warning = statement.getWarnings();
      return warning == null ? "nothing" : warning.getMessage();
    }
  }

  private String call(String name, String more) {
    return "CALL " + name + "(" + ids[0] + ", " + ids[1] + more + ")";
  }

  @Test
  void queriesThatRunBeforeAreTold() throws SQLException {
    execute("CREATE TABLE plain (id int PRIMARY KEY, n bigint)");
    execute("SELECT create_distributed_table('plain', 'id')");
    execute("INSERT INTO plain SELECT i, i FROM generate_series(1, 9) i");
    execute(
        "CREATE FUNCTION summed(x int) RETURNS bigint STABLE LANGUAGE plpgsql AS 'DECLARE s bigint"
            + " := 0; r record; BEGIN FOR r IN SELECT * FROM plain WHERE id <= x LOOP s := s + r.n;"
            + " END LOOP; RETURN s; END'");
    try {
      String change = "UPDATE plain SET n = summed(id) WHERE id > 3";
      List<String> told = lines("EXPLAIN (COSTS OFF) " + change);
      assertTrue(told.contains("  Before 1:"), told.toString());
      assertTrue(told.toString().contains("FOR NO KEY UPDATE"), told.toString());
      assertEquals("9", value("SELECT n FROM plain WHERE id = 9"));
      told = lines("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " + change);
      assertTrue(told.contains("  Before 1:"), told.toString());
      assertEquals("45", value("SELECT n FROM plain WHERE id = 9"));
      told = lines("EXPLAIN (COSTS OFF) CREATE TABLE made AS SELECT * FROM plain");
      assertEquals("Router: 3 of 3 nodes (1, 2, 3)", told.get(0));
      told = lines("EXPLAIN CREATE TABLE made AS SELECT id, summed(id) FROM plain");
      assertTrue(told.contains("  Before 1:"), told.toString());
      assertEquals(null, value("SELECT to_regclass('made')"));
    } finally {
      execute("DROP TABLE plain");
      execute("DROP FUNCTION summed");
    }
  }

  @Test
  void ofOneNodeIsThatNodesAnswerAndNothingElse() throws SQLException {
    String sql = "EXPLAIN (COSTS OFF, VERBOSE) UPDATE stock SET n = n + 1 WHERE id = " + ids[1];
    List<String> direct;
    try (Connection node = cluster.nodes().get(1).connect();
        Statement statement = node.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      direct = lines(rows);
    }
    assertEquals(direct, lines(sql));
    String json = "EXPLAIN (FORMAT JSON) SELECT * FROM stock WHERE id = " + ids[1];
    assertTrue(value(json).startsWith("["), value(json));
    execute("SET abelian.explain_router = on");
    List<String> told = lines(sql);
    assertEquals("Router: 1 of 3 nodes (2)", told.get(0));
    assertTrue(told.contains("  Commit class single: it wrote on at most one node"), "" + told);
    assertEquals(
        direct.stream().map(line -> "    " + line).toList(),
        told.subList(told.size() - direct.size(), told.size()));
    assertTrue(value(json).startsWith("["), "documents stay as they are");
  }

  @Test
  void ofAReadOverAllNodesTellsHowItsRowsBecomeOne() throws SQLException {
    List<String> concat = lines("EXPLAIN (COSTS OFF) SELECT * FROM stock");
    assertEquals("Router: 3 of 3 nodes (1, 2, 3)", concat.get(0));
    assertEquals("  Key: stock.id is not restricted", concat.get(1));
    assertEquals(List.of("  Plan of node 1:", "    Seq Scan on stock"), concat.subList(3, 5));
    List<String> list =
        lines("EXPLAIN SELECT sum(id) FROM stock WHERE id IN (" + ids[0] + ", " + ids[1] + ")");
    assertEquals("Router: 2 of 3 nodes (1, 2)", list.get(0));
    assertEquals("  Key: stock.id is in a list, on nodes 1 and 2", list.get(1));
    assertTrue(list.contains("  Worker query:") && list.contains("  Finish:"), "" + list);
    assertTrue(list.contains("  Worker plan of node 1:"), "" + list);
  }

  /** Statements of all classes: what EXPLAIN says is what the transaction is told then. */
  @Test
  void theClassThatItNamesIsTheOneThatTheTransactionGets() throws SQLException {
    execute("SET abelian.commit_notice = on");
    List<String> statements =
        List.of(
            call("note", ", 'x'"),
            call("move", ""),
            "CALL move(" + ids[0] + ", " + ids[0] + ")",
            "UPDATE stock SET what = 'y'",
            "INSERT INTO stock VALUES (100, ''), (101, ''), (102, ''), (103, ''), (104, '')",
            "DELETE FROM stock WHERE id > 90");
    for (String setting : List.of("auto", "coordinated")) {
      execute("SET abelian.commit_class = '" + setting + "'");
      for (String sql : statements) {
        List<String> explained = lines("EXPLAIN " + sql);
        String told = told(sql);
        assertTrue(
            explained.contains("  C" + told.substring(1)), sql + ": " + told + " " + explained);
      }
    }
  }

  @Test
  void valuesOfParametersCount() throws SQLException {
    String sql = "EXPLAIN CALL note(?, ?, ?)";
    for (int run = 0; run < 8; run++) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setInt(1, ids[0]);
        statement.setInt(2, ids[run % 2]);
        statement.setString(3, "x");
        try (ResultSet rows = statement.executeQuery()) {
          String nodes = run % 2 == 0 ? "Router: 1 of 3 nodes (1)" : "Router: 2 of 3 nodes (1, 2)";
          assertEquals(nodes, lines(rows).get(0));
        }
      }
    }
    try (PreparedStatement statement =
        connection.prepareStatement("EXPLAIN SELECT count(*) FROM stock WHERE what = ?")) {
      assertEquals("QUERY PLAN", statement.getMetaData().getColumnName(1));
      statement.setString(1, "x");
      try (ResultSet rows = statement.executeQuery()) {
        assertTrue(lines(rows).stream().anyMatch(line -> line.contains("'x'")));
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      assertEquals(3, statement.getParameterMetaData().getParameterCount());
      assertEquals("QUERY PLAN", statement.getMetaData().getColumnName(1));
    }
  }

  @Test
  void withoutAnalyzeNothingIsDone() throws SQLException {
    lines("EXPLAIN UPDATE stock SET what = 'done'");
    lines("EXPLAIN INSERT INTO stock VALUES (200, ''), (201, ''), (202, ''), (203, '')");
    lines("EXPLAIN " + call("note", ", 'done'"));
    assertEquals("0", value("SELECT count(*) FROM stock WHERE what = 'done' OR id >= 200"));
  }

  @Test
  void analyzeRunsItOnAllNodesAsAPartOfTheTransaction() throws SQLException {
    String update = "EXPLAIN (ANALYZE, COSTS OFF) UPDATE stock SET what = 'done'";
    connection.setAutoCommit(false);
    List<String> plans = lines(update);
    for (int node = 1; node <= 3; node++) {
      assertTrue(plans.contains("  Plan of node " + node + ":"), "" + plans);
    }
    assertEquals("31", value("SELECT count(*) FROM stock WHERE what = 'done'"));
    connection.rollback();
    assertEquals("0", value("SELECT count(*) FROM stock WHERE what = 'done'"));
    connection.commit();
    connection.setAutoCommit(true);
    execute("SET abelian.commit_notice = on");
    assertTrue(told(update).startsWith("commit class coordinated: "));
    assertEquals("31", value("SELECT count(*) FROM stock WHERE what = 'done'"));
    lines("EXPLAIN ANALYZE INSERT INTO stock VALUES (200, ''), (201, ''), (202, ''), (203, '')");
    assertEquals("4", value("SELECT count(*) FROM stock WHERE id >= 200"));
  }

  @Test
  void statementsOfOneQueryThatItRunsAreOneTransaction() throws SQLException {
    String one = "EXPLAIN ANALYZE UPDATE stock SET what = 'done' WHERE id = " + ids[0];
    String other = "EXPLAIN ANALYZE UPDATE stock SET what = (1 / (id - id))::text WHERE id = ";
    assertThrows(SQLException.class, () -> execute(one + "; " + other + ids[1]));
    assertEquals("0", value("SELECT count(*) FROM stock WHERE what = 'done'"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EXPLAIN ANALYZE CALL move(1, 2)",
        "EXPLAIN (ANALYZE true) CALL move(1, 1)",
      })
  void whatItCannotTellIsRefusedWithAHint(String sql) {
    PSQLException refusal = assertThrows(PSQLException.class, () -> lines(sql));
    assertEquals("0A000", refusal.getSQLState());
    assertFalse(refusal.getServerErrorMessage().getHint().isEmpty());
  }

  private static final String MANY =
      "ANALYZE, VERBOSE, COSTS OFF, BUFFERS, TIMING OFF, SUMMARY, SETTINGS, WAL, FORMAT ";

  private List<String> statements() {
    return List.of(
        "SELECT * FROM stock WHERE what <> '<&>' || chr(10) || $$'\"\n: - x$$",
        "SELECT what, count(*) FROM stock GROUP BY what ORDER BY what LIMIT 3",
        "UPDATE stock SET what = what",
        "INSERT INTO stock VALUES (200, ''), (201, ''), (202, ''), (203, '')",
        "SELECT * FROM stock WHERE id = " + ids[1]);
  }

  /** Both a node and the router give one value of that type. */
  private String document(String sql, String type) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertEquals("QUERY PLAN", rows.getMetaData().getColumnName(1));
      assertEquals(type, rows.getMetaData().getColumnTypeName(1));
      assertTrue(rows.next());
      String document = rows.getString(1);
      assertFalse(rows.next());
      return document;
    }
  }

  @Test
  void jsonNamesTheNodesAboveTheirPlans() throws Exception {
    connection.setAutoCommit(false);
    for (String sql : statements()) {
      JsonNode json =
          new ObjectMapper().readTree(document("EXPLAIN (" + MANY + "JSON) " + sql, "json"));
      assertEquals(1, json.size(), sql);
      JsonNode plan = json.get(0).get("Plan");
      if (sql.contains("id = ")) {
        assertEquals("Index Scan", plan.get("Node Type").asText());
        continue;
      }
      assertEquals("Abelian Router", plan.get("Custom Plan Provider").asText());
      assertEquals(3, plan.get("Tasks").size(), json.toPrettyString());
      for (int node = 1; node <= 3; node++) {
        JsonNode task = plan.get("Tasks").get(node - 1);
        assertEquals(node, task.get("Node").asInt());
        JsonNode remote = task.get("Remote Plan").get(0);
        assertTrue(remote.get("Plan").has("Actual Rows"), json.toPrettyString());
        assertTrue(remote.has("Execution Time"), json.toPrettyString());
      }
    }
    connection.rollback();
    JsonNode one =
        new ObjectMapper().readTree(document("EXPLAIN (FORMAT JSON) SELECT 1 FROM stock", "json"));
    assertEquals(1, one.get(0).get("Plan").get("Tasks").size());
    JsonNode call =
        new ObjectMapper().readTree(document("EXPLAIN (FORMAT JSON) " + call("move", ""), "json"));
    assertEquals("commuting", call.get(0).get("Plan").get("Commit Class").asText());
    connection.rollback();
    connection.setAutoCommit(true);
  }

  @Test
  void xmlNamesTheNodesAboveTheirPlans() throws Exception {
    connection.setAutoCommit(false);
    for (String sql : statements()) {
      String text = document("EXPLAIN (" + MANY + "XML) " + sql, "xml");
      Document xml =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(text)));
      assertEquals("explain", xml.getDocumentElement().getTagName());
      int tasks = sql.contains("id = ") ? 0 : 3;
      assertEquals(tasks, xml.getElementsByTagName("Remote-Plan").getLength(), text);
      assertEquals(Math.max(tasks, 1), xml.getElementsByTagName("Execution-Time").getLength());
    }
    connection.rollback();
    connection.setAutoCommit(true);
  }

  @Test
  void yamlNamesTheNodesAboveTheirPlans() throws SQLException {
    connection.setAutoCommit(false);
    for (String sql : statements()) {
      List<String> lines = document("EXPLAIN (" + MANY + "YAML) " + sql, "text").lines().toList();
      assertEquals("- Plan: ", lines.get(0));
      if (!sql.contains("id = ")) {
        assertTrue(lines.contains("    Tasks: "), "" + lines);
        for (int node = 1; node <= 3; node++) {
          int at = lines.indexOf("      - Node: " + node);
          assertTrue(lines.get(at + 1).startsWith("        Task: "), "" + lines);
          assertEquals("        Remote Plan: ", lines.get(at + 2));
          assertEquals("          - Plan: ", lines.get(at + 3));
          assertTrue(lines.get(at + 4).startsWith("              Node Type: "), "" + lines);
        }
      }
    }
    connection.rollback();
    connection.setAutoCommit(true);
  }

  @Test
  void aGatheredInsertShowsBothOfItsParts() throws Exception {
    String sql = "INSERT INTO stock (id, what) SELECT id + ?, what FROM stock WHERE what <> 'x'";
    for (int run = 0; run < 2; run++) {
      try (PreparedStatement statement =
          connection.prepareStatement("EXPLAIN (COSTS OFF) " + sql)) {
        statement.setInt(1, 1000);
        try (ResultSet rows = statement.executeQuery()) {
          List<String> lines = lines(rows);
          assertTrue(lines.contains("  Select:") && lines.contains("  Insert:"), "" + lines);
          int select = lines.indexOf("  Plan of node 1:");
          int insert = lines.indexOf("  Insert plan of node 1:");
          assertEquals("    Seq Scan on stock", lines.get(select + 1));
          assertEquals("    Insert on stock", lines.get(insert + 1));
        }
      }
    }
    String json = document("EXPLAIN (FORMAT JSON) " + sql.replace("?", "1000"), "json");
    assertEquals(2, new ObjectMapper().readTree(json).get(0).get("Plan").get("Tasks").size());
    assertEquals("31", value("SELECT count(*) FROM stock"));
  }

  /** The stages of an EXPLAIN ANALYZE in JSON: what, rows, bytes, how many nodes. */
  private List<String> exchanges(String sql) throws Exception {
    JsonNode plan =
        new ObjectMapper()
            .readTree(document("EXPLAIN (ANALYZE, FORMAT JSON) " + sql, "json"))
            .at("/0/Plan");
    List<String> all = new ArrayList<>();
    long moved = 0;
    for (JsonNode one : plan.get("Exchanges")) {
      String what = one.get("Exchange").asText();
      all.add(what + "|" + one.get("Rows") + "|" + one.get("Bytes") + "|" + one.get("To Nodes"));
      boolean divided = what.equals("inserted rows");
      moved += one.get("Bytes").asLong() * (divided ? 1 : one.get("To Nodes").asLong());
    }
    assertEquals(moved, plan.get("Exchanged Bytes").asLong(), plan.toPrettyString());
    return all;
  }

  /** Values and three bytes for each, as the bound of exchanges counts them. */
  private long bytes(String expression) throws SQLException {
    return Long.parseLong(value("SELECT sum(length(" + expression + "::text) + 3) FROM stock"));
  }

  @Test
  void analyzeTellsTheRowsAndBytesThatMoveInEachStageOfARead() throws Exception {
    assertEquals( // A number of one digit of each node.
        List.of("partial results|3|12|1"), exchanges("SELECT count(*) FROM stock WHERE id < 10"));
    String pairs = "SELECT count(*) FROM stock a JOIN stock b ON b.id = a.id + 1";
    long all = bytes("id");
    assertEquals(
        List.of(
            "gathered rows of part 0|31|" + all + "|1", "gathered rows of part 1|31|" + all + "|1"),
        exchanges(pairs));
    execute("ANALYZE stock");
    execute("SET abelian.min_broadcast_size = 0");
    List<String> join = exchanges(pairs + " WHERE b.id = 5");
    assertTrue(join.get(0).startsWith("broadcast rows|1|4|3"), "" + join);
    assertTrue(join.get(1).startsWith("joined rows|3|"), "" + join);
    execute("RESET abelian.min_broadcast_size");
    List<String> text = lines("EXPLAIN (ANALYZE, COSTS OFF) " + pairs);
    assertTrue(
        text.contains("  Exchange: gathered rows of part 1, 31 rows, " + all + " bytes, to 1 node"),
        "" + text);
    assertFalse(String.join("", lines("EXPLAIN " + pairs)).contains("Exchange:"));
  }

  @Test
  void analyzeOfAChangeByRowsOfOtherNodesRunsItOnceAndTellsWhatMoved() throws Exception {
    connection.setAutoCommit(false);
    assertEquals(
        List.of("inserted rows|31|" + (31L * 7 + 31 * 3) + "|3"),
        exchanges("INSERT INTO stock (id, what) SELECT id + 1000, '' FROM stock"));
    assertEquals("62", value("SELECT count(*) FROM stock"));
    connection.rollback();
    exchanges("UPDATE stock SET id = id + 500 WHERE id < 3");
    assertEquals("3", value("SELECT count(*) FROM stock WHERE id BETWEEN 500 AND 502"));
    List<String> gathered =
        exchanges("DELETE FROM stock s USING stock o WHERE o.id = s.id + 1 AND o.id < 6");
    assertEquals("gathered rows|3|12|3", gathered.get(0));
    assertEquals("29", value("SELECT count(*) FROM stock"));
    connection.rollback();
    assertEquals("31", value("SELECT count(*) FROM stock"));
    connection.commit();
    connection.setAutoCommit(true);
    lines("EXPLAIN ANALYZE INSERT INTO stock (id, what) SELECT id + 1000, '' FROM stock");
    assertEquals("62", value("SELECT count(*) FROM stock"));
  }

  @Test
  void documentsOfEveryFormatNameTheExchanges() throws Exception {
    String read = "SELECT count(*) FROM stock a JOIN stock b ON b.id = a.id + 1";
    String xml = document("EXPLAIN (ANALYZE, FORMAT XML) " + read, "xml");
    Document parsed =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)));
    assertEquals(4, parsed.getElementsByTagName("Exchange").getLength(), xml);
    assertEquals(1, parsed.getElementsByTagName("Exchanged-Bytes").getLength(), xml);
    List<String> yaml = document("EXPLAIN (ANALYZE, FORMAT YAML) " + read, "text").lines().toList();
    assertTrue(yaml.contains("      - Exchange: \"gathered rows of part 0\""), "" + yaml);
    assertTrue(yaml.contains("        Rows: 31"), "" + yaml);
  }

  @Test
  void wrongOptionsAreThoseOfOnePostgresql() throws SQLException {
    try (Connection node = cluster.nodes().get(0).connect();
        Statement direct = node.createStatement()) {
      for (String options : List.of("FORMAT ini", "WAL", "FORMAT json, nothing", "TIMING")) {
        String sql = "EXPLAIN (" + options + ") SELECT count(*) FROM stock";
        String state = assertThrows(SQLException.class, () -> direct.execute(sql)).getSQLState();
        SQLException routed = assertThrows(SQLException.class, () -> execute(sql), sql);
        assertEquals(state, routed.getSQLState());
      }
    }
  }

  @Test
  void anErrorPointsToItsPlaceInTheWholeText() {
    String sql = "EXPLAIN /* \u00fc */ (VERBOSE) SELECT missing FROM stock";
    PSQLException error = assertThrows(PSQLException.class, () -> lines(sql));
    assertEquals("42703", error.getSQLState());
    assertEquals(sql.indexOf("missing") + 1, error.getServerErrorMessage().getPosition());
  }
}
