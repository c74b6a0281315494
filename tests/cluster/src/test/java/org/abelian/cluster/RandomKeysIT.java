package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.Fault;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * INSERTs whose keys are random UUIDs: the router makes them, so that transactions over several
 * nodes commit in one round and rows can be placed by them, and no client sees a difference.
 */
class RandomKeysIT {
  private static final String COMMUTING = "commit class commuting: it wrote on several nodes";

  private static ProxiedCluster cluster;
  private static int first;
  private static int second;

  @BeforeAll
  static void createCluster() throws SQLException {
    cluster = ProxiedCluster.create(2);
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE shop (id int PRIMARY KEY)");
      statement.execute("SELECT create_distributed_table('shop', 'id')");
      for (int id = 1; id <= 30; id++) {
        statement.execute("INSERT INTO shop VALUES (" + id + ")");
      }
      statement.execute(
          "CREATE TABLE bill (shop int, id uuid DEFAULT gen_random_uuid(), note text, at"
              + " timestamptz, PRIMARY KEY (shop, id))");
      statement.execute("SELECT create_distributed_table('bill', 'shop')");
      statement.execute(
          "CREATE TABLE page (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), note text)");
      statement.execute("SELECT create_distributed_table('page', 'id')");
      statement.execute(
          "CREATE TABLE currency (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text)");
      statement.execute("SELECT create_reference_table('currency')");
    }
    List<Integer> keys = cluster.keyOfEachNode("shop");
    first = keys.get(0);
    second = keys.get(1);
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Connection connect(String options) throws SQLException {
    String url = cluster.router().jdbcUrl() + "?" + options;
    return DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
  }

  /** Opens a transaction whose COMMIT tells its class. */
  private static Connection begin(String options) throws SQLException {
    Connection connection = connect(options);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_notice = on");
    }
    connection.setAutoCommit(false);
    return connection;
  }

  private static String commit(Connection connection) throws SQLException {
    connection.clearWarnings();
    connection.commit();
    return connection.getWarnings().getMessage();
  }

  private static Set<UUID> ids(ResultSet rows) throws SQLException {
    Set<UUID> ids = new HashSet<>();
    while (rows.next()) {
      ids.add(rows.getObject("id", UUID.class));
    }
    return ids;
  }

  /** The keys of a note's rows on a node. */
  private static Set<UUID> stored(int node, String table, String note) throws SQLException {
    try (Connection connection = cluster.node(node).connectAsSuperuser();
        PreparedStatement query =
            connection.prepareStatement("SELECT id FROM " + table + " WHERE note = ?")) {
      query.setString(1, note);
      return ids(query.executeQuery());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void explainTellsOfRowsThatAreRoutedByKeysOfTheRouter(String options) throws SQLException {
    String note = "explained " + options;
    try (Connection connection = connect(options);
        Statement statement = connection.createStatement()) {
      String one = plan(statement, "EXPLAIN INSERT INTO page (note) VALUES ('" + note + "')");
      assertTrue(one.startsWith("Insert on page"), one);
      String rows = ("('" + note + "'), ").repeat(9) + "('" + note + "')";
      String several = plan(statement, "EXPLAIN INSERT INTO page (note) VALUES " + rows);
      assertTrue(several.startsWith("Router: 2 of 2 nodes"), several);
      assertEquals(0, stored(0, "page", note).size() + stored(1, "page", note).size());
      plan(statement, "EXPLAIN (ANALYZE, TIMING off) INSERT INTO page (note) VALUES " + rows);
      assertEquals(10, stored(0, "page", note).size() + stored(1, "page", note).size());
      try (ResultSet count =
          statement.executeQuery("SELECT count(*) FROM page WHERE note = '" + note + "'")) {
        count.next();
        assertEquals(10, count.getInt(1), "each row is where its key is looked for");
      }
    }
  }

  private static String plan(Statement statement, String sql) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "preferQueryMode=simple",
        "prepareThreshold=0",
        "prepareThreshold=1",
        "prepareThreshold=-1&binaryTransfer=true"
      })
  void theClientIsToldTheKeysThatAreStored(String options) throws SQLException {
    String note = "told " + options;
    Set<UUID> ofFirst = new HashSet<>();
    Set<UUID> ofSecond = new HashSet<>();
    try (Connection connection = begin(options)) {
      // A timestamp has the driver ask for the types of the parameters before it binds them.
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO bill (shop, note, at) VALUES (?, ?, ?)", new String[] {"id"})) {
        for (int i = 0; i < 3; i++) {
          insert.setInt(1, first);
          insert.setString(2, note);
          insert.setTimestamp(3, new Timestamp(1_000_000L * i));
          assertEquals(1, insert.executeUpdate());
          ofFirst.addAll(ids(insert.getGeneratedKeys()));
        }
      }
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO bill AS b (note, shop, id) VALUES (?, ?, DEFAULT), (?, ?,"
                  + " gen_random_uuid()) RETURNING b.note, b.id")) {
        insert.setString(1, note);
        insert.setInt(2, second);
        insert.setString(3, note);
        insert.setInt(4, second);
        if (!options.contains("simple")) {
          assertEquals(4, insert.getParameterMetaData().getParameterCount());
        }
        ofSecond.addAll(ids(insert.executeQuery()));
      }
      assertEquals(COMMUTING, commit(connection));
    }
    assertEquals(3, ofFirst.size());
    assertEquals(2, ofSecond.size());
    ofFirst.forEach(id -> assertEquals(4, id.version()));
    assertEquals(ofFirst, stored(0, "bill", note));
    assertEquals(ofSecond, stored(1, "bill", note));
  }

  @Test
  void batchesAndTextsOfSeveralStatementsCommitInOneRound() throws SQLException {
    try (Connection connection = begin("prepareThreshold=1");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO bill (shop, note) VALUES (?, 'batch')");
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 20; i++) {
        insert.setInt(1, i % 2 == 0 ? first : second);
        insert.addBatch();
      }
      insert.executeBatch();
      assertEquals(COMMUTING, commit(connection));
      statement.execute(
          "INSERT INTO bill (shop, note) VALUES (%d, 'text'); INSERT INTO bill VALUES (%d, DEFAULT, 'text')"
              .formatted(first, second));
      assertEquals(COMMUTING, commit(connection));
      connection.setAutoCommit(true);
      for (int i = 0; i < 20; i++) {
        insert.setInt(1, i % 2 == 0 ? first : second);
        insert.addBatch();
      }
      insert.executeBatch();
      assertEquals(COMMUTING, connection.getWarnings().getMessage());
    }
    for (int node = 0; node < 2; node++) {
      assertEquals(20, stored(node, "bill", "batch").size());
      assertEquals(1, stored(node, "bill", "text").size());
    }
  }

  @Test
  void whatWasFirstRunAloneIsRunWithKeysInATransaction() throws SQLException {
    try (Connection connection = begin("prepareThreshold=1");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO bill (note, shop) VALUES ('alone', ?)")) {
      connection.setAutoCommit(true);
      insert.setInt(1, first);
      insert.executeUpdate();
      connection.setAutoCommit(false);
      for (int shop : List.of(first, second)) {
        insert.setInt(1, shop);
        insert.executeUpdate();
      }
      assertEquals(COMMUTING, commit(connection));
    }
    assertEquals(2, stored(0, "bill", "alone").size());
    assertEquals(1, stored(1, "bill", "alone").size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=1"})
  void whatIsATransactionByItselfGoesToItsNodeAsItIs(String options) throws Exception {
    Fault seen = Fault.hold(Fault.Moment.BEFORE, "/* as sent */", () -> {});
    cluster.proxy(0).arm(seen);
    try (Connection connection = connect(options);
        PreparedStatement insert =
            connection.prepareStatement("INSERT /* as sent */ INTO bill (shop) VALUES (?)")) {
      insert.setInt(1, first);
      connection.setAutoCommit(false);
      insert.executeUpdate();
      connection.commit();
      assertFalse(seen.hasStruck(0), "the node was sent the client's text in a transaction");
      connection.setAutoCommit(true);
      insert.executeUpdate();
      assertTrue(seen.hasStruck(0), "the node was sent another text than the client's");
    } finally {
      cluster.proxy(0).disarm();
    }
  }

  @Test
  void whatMakesATransactionCoordinatedIsTold() throws SQLException {
    String insert = "INSERT INTO bill (shop, note) VALUES (%d, 'why')";
    assertEquals(
        "commit class coordinated: INSERT: its RETURNING shows the row",
        classOf(insert.formatted(first) + " RETURNING at", insert.formatted(second)));
    assertEquals(
        "commit class coordinated: INSERT: the row that it inserts may collide with another in a"
            + " unique index",
        classOf(
            "INSERT INTO bill (shop, id) VALUES (" + first + ", '" + UUID.randomUUID() + "')",
            insert.formatted(second)));
    try (Connection connection = begin("");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute("SET abelian.commit_class = 'coordinated'");
      connection.setAutoCommit(false);
      statement.execute(insert.formatted(first));
      statement.execute(insert.formatted(second));
      assertEquals(
          "commit class coordinated: abelian.commit_class is coordinated", commit(connection));
    }
    try (Connection connection = begin("");
        Statement statement = connection.createStatement()) {
      statement.execute(insert.formatted(first));
      statement.setMaxRows(1);
      statement.executeQuery(
          "INSERT INTO bill (shop) VALUES (%1$d), (%1$d) RETURNING id".formatted(second));
      assertEquals(
          "commit class coordinated: its RETURNING is read in portions", commit(connection));
    }
  }

  private static String classOf(String... statements) throws SQLException {
    try (Connection connection = begin("");
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      return commit(connection);
    }
  }

  /** A moment's text that the nodes' own settings might read as another is in no intent. */
  @Test
  void valuesThatReadDifferentlyElsewhereAreNotWrittenDown() throws Exception {
    for (String at : List.of("2026-03-02 10:00:00+00", "02.03.2026 10:00:00+00")) {
      try (WireClient client = ParityFixture.wire(cluster.router().port())) {
        client.query("SET abelian.commit_notice = on; SET DateStyle = German").untilReady();
        client.query("BEGIN").untilReady();
        for (int shop : List.of(first, second)) {
          client.parse("", "INSERT INTO bill (shop, note, at) VALUES ($1, 'moment', $2)");
          client.bind("", "", 0, Integer.toString(shop), at).execute("", 0).sync().untilReady();
        }
        Message notice = client.query("COMMIT").until('N');
        boolean iso = at.startsWith("2026");
        assertEquals(
            iso ? "commuting" : "coordinated", notice.fields().get('M').split("[ :]+")[2], at);
      }
    }
    assertEquals(
        2,
        ProxiedCluster.number(
            cluster.node(0),
            "SELECT count(*) FROM bill WHERE note = 'moment' AND at = '2026-03-02 10:00+00'"));
  }

  /** Every message has the form that a node by itself gives it: no added parameter is seen. */
  @Test
  void theProtocolShowsNoParametersButTheClientsOwn() throws Exception {
    String table = "bill (shop int, id uuid DEFAULT gen_random_uuid(), note text, at timestamptz)";
    try (Connection connection = cluster.node(0).connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA bare");
      statement.execute("CREATE TABLE bare." + table);
    }
    List<String> routed;
    List<String> bare;
    try (WireClient client = ParityFixture.wire(cluster.router().port())) {
      routed = dialogue(client, second);
      client.query("COMMIT").untilReady();
    }
    try (WireClient client = ParityFixture.wire(cluster.node(0).port())) {
      client.query("SET search_path = bare").untilReady();
      bare = dialogue(client, second);
      client.query("COMMIT").untilReady();
    }
    assertEquals(bare, routed);
    assertTrue(bare.stream().anyMatch(line -> line.startsWith("t 2")), bare.toString());
  }

  private static List<String> dialogue(WireClient client, int shop) throws Exception {
    String key = Integer.toString(shop);
    List<Message> answers = new ArrayList<>(client.query("BEGIN").untilReady());
    String sql = "INSERT INTO bill (shop, note) VALUES ($1, $2) RETURNING id, shop";
    client.parse("s", sql).describe('S', "s").sync();
    answers.addAll(client.untilReady());
    // Described together with its Bind, and its portal too; named and not.
    client.parse("", sql).describe('S', "").bind("p", "", 0, key, "x").describe('P', "p");
    client.execute("p", 0).bind("", "s", 1, key, null).describe('P', "").execute("", 0).sync();
    answers.addAll(client.untilReady());
    client.bind("", "s", 0, key).execute("", 0).sync(); // one value is missing
    answers.addAll(client.untilReady());
    return answers.stream().map(RandomKeysIT::form).toList();
  }

  /** A message without what differs from node to node: keys, and numbers of tables. */
  private static String form(Message message) {
    ByteBuffer body = ByteBuffer.wrap(message.body());
    return switch (message.type()) {
      case 't' -> "t " + body.getShort() + " " + body.getInt();
      case 'D' -> "D " + message.values().length + " " + message.body().length;
      case 'T' -> "T " + body.getShort() + " " + message.body().length;
      case 'E' -> "E " + message.sqlState();
      default -> message.toString();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=1"})
  void rowsArePlacedByTheKeyThatTheRouterMakes(String options) throws SQLException {
    String note = "placed " + options;
    Set<UUID> told = new HashSet<>();
    try (Connection connection = connect(options);
        PreparedStatement one =
            connection.prepareStatement("INSERT INTO page (note) VALUES (?) RETURNING id");
        PreparedStatement several =
            connection.prepareStatement(
                "INSERT INTO page (note, id) VALUES (?, DEFAULT), (?, gen_random_uuid())"
                    + " RETURNING id");
        PreparedStatement find =
            connection.prepareStatement("SELECT note FROM page WHERE id = ?")) {
      for (int i = 0; i < 20; i++) {
        one.setString(1, note);
        told.addAll(ids(one.executeQuery()));
        several.setString(1, note);
        several.setString(2, note);
        told.addAll(ids(several.executeQuery()));
      }
      for (UUID id : told) {
        find.setObject(1, id);
        ResultSet found = find.executeQuery();
        assertTrue(found.next(), "not where it is looked for: " + id);
        assertEquals(note, found.getString(1));
      }
    }
    assertEquals(60, told.size());
    Set<UUID> all = new HashSet<>(stored(0, "page", note));
    assertFalse(all.isEmpty() || all.size() == 60, "all on one node");
    all.addAll(stored(1, "page", note));
    assertEquals(told, all);
  }

  @Test
  void copiesOfAReferenceTableGetTheSameKey() throws SQLException {
    try (Connection connection = cluster.router().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO currency (name) VALUES ('euro'), ('pound')");
    }
    List<List<String>> copies = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      List<String> copy = new ArrayList<>();
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT id, name FROM currency ORDER BY name")) {
        while (rows.next()) {
          copy.add(rows.getString(1) + " " + rows.getString(2));
        }
      }
      copies.add(copy);
    }
    assertEquals(2, copies.get(0).size());
    assertEquals(copies.get(0), copies.get(1));
  }
}
