package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** What a router records of what its clients do: each statement once, and no secrets. */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RouterTraceIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CLIENTS = 16;
  private static final int ROUNDS = 25;
  private static final int LOOKS = 600;

  @TempDir static Path parent;

  private final LocalCluster cluster;
  private RouterServer router;
  private Path folder;
  private int markers;

  /** Rows of two nodes. */
  private int here;

  private int there;

  RouterTraceIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void create() throws SQLException {
    folder = parent.resolve("trace");
    router = RouterServer.start(cluster, "--trace-folder", folder.toString());
    try (Connection connection = router.connect()) {
      run(
          connection,
          "CREATE TABLE traced (id int PRIMARY KEY, likes abelian.counter DEFAULT 0, note text)",
          "SELECT create_distributed_table('traced', 'id')",
          "CREATE PROCEDURE traced_move(a int, b int) LANGUAGE plpgsql AS $$ BEGIN"
              + " UPDATE traced SET likes = likes - 1 WHERE id = a;"
              + " UPDATE traced SET likes = likes + 1 WHERE id = b; END $$",
          "SELECT create_distributed_procedure('traced_move(int, int)', 'a, b', 'traced')");
      for (int id = 1; id <= 40; id++) {
        run(connection, "INSERT INTO traced (id) VALUES (" + id + ")");
      }
    }
    here = keyOf(0);
    there = keyOf(1);
  }

  @AfterAll
  void drop() throws SQLException {
    try (Connection connection = router.connect()) {
      run(connection, "DROP PROCEDURE traced_move(int, int)", "DROP TABLE traced");
    } finally {
      router.close();
    }
  }

  private int keyOf(int node) throws SQLException {
    return (int) ProxiedCluster.number(cluster.node(node), "SELECT min(id) FROM traced");
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    }
  }

  private static String text(Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path file : files(folder)) {
      text.append(Files.readString(file));
    }
    return text.toString();
  }

  /** All lines once those are there that were handed over before. */
  private List<JsonNode> lines() throws Exception {
    String marker = "marker_" + ++markers;
    try (Connection connection = router.connect()) {
      run(connection, "SELECT id AS " + marker + " FROM traced WHERE id = 1");
    }
    for (int i = 0; i < LOOKS; i++) {
      String all = text(folder);
      if (all.contains(marker) && all.endsWith("\n")) {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : all.split("\n")) {
          lines.add(JSON.readTree(line));
        }
        return lines;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("the trace does not get " + marker + ": " + text(folder));
  }

  /** The transactions one of whose statements has the word, each as its lines. */
  private List<List<JsonNode>> transactions(String word) throws Exception {
    return lines().stream()
        .collect(Collectors.groupingBy(line -> line.get("vxid").asText()))
        .values()
        .stream()
        .filter(
            lines -> lines.stream().anyMatch(line -> line.get("message").asText().contains(word)))
        .toList();
  }

  private static String message(JsonNode line) {
    return line.get("message").asText().replaceAll("^duration: [0-9.]+ ms  ", "");
  }

  private static List<String> messages(List<JsonNode> transaction) {
    return transaction.stream().map(RouterTraceIT::message).toList();
  }

  private List<JsonNode> transaction(String word) throws Exception {
    List<List<JsonNode>> all = transactions(word);
    assertEquals(1, all.size(), () -> word + ": " + all);
    return all.get(0);
  }

  @Test
  void tellsNodesRowsKeysAndCommitClass() throws Exception {
    try (Connection connection = router.connect();
        PreparedStatement add =
            connection.prepareStatement(
                "UPDATE traced SET likes = likes + 1, note = note WHERE id = ? /* class */")) {
      connection.setAutoCommit(false);
      for (int id : new int[] {here, there}) {
        add.setInt(1, id);
        add.executeUpdate();
      }
      connection.commit();
    }
    List<JsonNode> lines = transaction("class */");
    assertEquals(4, lines.size(), lines::toString);
    assertEquals("statement: BEGIN", message(lines.get(0)));
    JsonNode first = lines.get(1).get("abelian");
    assertEquals(1, first.get("rows").asInt());
    assertEquals(1, first.get("nodes").size());
    assertEquals(
        "[{\"table\":\"public.traced\",\"write\":true,\"key\":{\"id\":\"" + here + "\"}}]",
        first.get("tuples").toString());
    assertEquals("parameters: $1 = '" + there + "'", lines.get(2).get("detail").asText());
    JsonNode end = lines.get(3).get("abelian");
    assertEquals("statement: COMMIT", message(lines.get(3)));
    assertEquals("committed", end.get("outcome").asText());
    assertEquals("coordinated", end.get("commit_class").asText());
    assertEquals(2, end.get("transaction_nodes").size());
  }

  @Test
  void tellsOfCommutingTransactions() throws Exception {
    try (Connection connection = router.connect()) {
      run(
          connection,
          "BEGIN",
          "UPDATE traced SET likes = likes + 7 WHERE id = " + here,
          "UPDATE traced SET likes = likes + 7 WHERE id = " + there,
          "COMMIT");
    }
    List<JsonNode> lines = transaction("likes + 7");
    assertEquals("commuting", lines.get(3).get("abelian").get("commit_class").asText());
  }

  @Test
  void tellsWhatFailedAndWhatWasRolledBack() throws Exception {
    try (Connection connection = router.connect()) {
      run(connection, "BEGIN", "SELECT 1 AS rolled FROM traced WHERE id = 1", "ROLLBACK");
      assertThrows(
          SQLException.class,
          () -> run(connection, "INSERT INTO traced (id, note) VALUES (1, 'duplicate')"));
      assertThrows(
          SQLException.class,
          () ->
              run(
                  connection,
                  "SELECT 1 AS together FROM traced WHERE id = 1; SELECT 1 / 0 FROM traced WHERE id"
                      + " = 1"));
      connection.setAutoCommit(false);
      run(connection, "SELECT 1 AS kept FROM traced WHERE id = 1");
      Savepoint savepoint = connection.setSavepoint();
      assertThrows(
          SQLException.class,
          () -> run(connection, "INSERT INTO traced (id, note) VALUES (1, 'duplicate')"));
      connection.rollback(savepoint);
      run(connection, "SELECT 2 AS after FROM traced WHERE id = 2");
      connection.commit();
    }
    assertEquals(
        List.of(
            "statement: BEGIN",
            "statement: SELECT 1 AS rolled FROM traced WHERE id = 1",
            "statement: ROLLBACK"),
        messages(transaction("rolled FROM")));
    assertEquals(List.of(), transactions("duplicate"), "what fails has touched nothing that stays");
    assertEquals("rolled back", message(transaction("together").get(1)));
    assertEquals(
        List.of(
            "statement: BEGIN",
            "statement: SELECT 1 AS kept FROM traced WHERE id = 1",
            "statement: SELECT 2 AS after FROM traced WHERE id = 2",
            "statement: COMMIT"),
        messages(transaction("kept FROM")));
  }

  @Test
  void recordsAPipelineAsOneTransaction() throws Exception {
    try (WireClient client =
        WireClient.connect(router.port(), LocalNode.USER, LocalNode.USER, LocalNode.DATABASE)) {
      client.parse("s", "UPDATE traced SET note = $2 WHERE id = $1 /* piped */");
      for (int i = 0; i < 5; i++) {
        client.bind("", "s", 0, "" + here, "a'b\n" + i).execute("", 0);
      }
      client.sync().untilReady();
      // What is bound and never executed has done nothing.
      client.bind("idle", "s", 0, "" + here, "never").sync().untilReady();
    }
    List<JsonNode> lines = transaction("piped");
    assertEquals(5, lines.size(), lines::toString);
    assertEquals(
        "parameters: $1 = '" + here + "', $2 = 'a''b\n4'", lines.get(4).get("detail").asText());
    assertEquals("committed", lines.get(4).get("abelian").get("outcome").asText());
  }

  @Test
  void endsTransactionsWhereCommitStandsWithoutBegin() throws Exception {
    try (Connection connection = router.connect()) {
      run(
          connection,
          "UPDATE traced SET note = 'first part' WHERE id = 1; COMMIT;"
              + " UPDATE traced SET note = 'second part' WHERE id = 1; ROLLBACK;"
              + " UPDATE traced SET note = 'third part' WHERE id = 1");
    }
    assertEquals(1, transaction("first part").size());
    assertEquals("rolled back", message(transaction("second part").get(1)));
    assertEquals(1, transaction("third part").size());
  }

  @Test
  void recordsBatchesOfJdbc() throws Exception {
    try (Connection connection = router.connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO traced (id, note) VALUES (?, ?)")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 50; i++) {
        insert.setInt(1, 1000 + i);
        insert.setString(2, "of the batch");
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
      run(connection, "DELETE FROM traced WHERE id >= 1000");
      connection.commit();
    }
    List<List<JsonNode>> all = transactions("INSERT INTO traced (id, note) VALUES ($1");
    List<JsonNode> lines =
        all.stream()
            .filter(one -> one.size() == 52)
            .findFirst()
            .orElseThrow(() -> new AssertionError(all));
    TreeSet<Integer> keys = new TreeSet<>();
    for (JsonNode line : lines.subList(1, 51)) {
      keys.add(line.get("abelian").get("tuples").get(0).get("key").get("id").asInt());
    }
    assertEquals(50, keys.size());
    assertEquals(3, lines.get(51).get("abelian").get("transaction_nodes").size());
  }

  @Test
  void recordsPreparedStatementsOfSqlByWhatTheyRun() throws Exception {
    try (Connection connection = router.connect()) {
      run(
          connection,
          "PREPARE q (int) AS SELECT likes AS by_sql FROM traced WHERE id = $1",
          "EXECUTE q(" + here + ")",
          "DECLARE c CURSOR WITH HOLD FOR SELECT note AS by_cursor FROM traced WHERE id = 1");
    }
    List<JsonNode> lines = transaction("by_sql");
    assertEquals(1, lines.size(), lines::toString);
    assertEquals("parameters: $1 = '" + here + "'", lines.get(0).get("detail").asText());
    assertEquals(1, transaction("by_cursor").size());
  }

  @Test
  void letsClientsNameWhatTheyDo() throws Exception {
    try (Connection connection = router.connect()) {
      run(
          connection,
          "SET abelian.transaction_name = 'New \"Order\"'",
          "SELECT 1 AS for_all FROM traced WHERE id = 1",
          "BEGIN",
          "SET LOCAL abelian.transaction_name = 'Payment'",
          "SELECT 1 AS for_one FROM traced WHERE id = " + here,
          "SELECT 1 AS for_another FROM traced WHERE id = " + there,
          "COMMIT",
          "SELECT 1 AS as_before FROM traced WHERE id = 1",
          "RESET abelian.transaction_name",
          "SELECT 1 AS for_none FROM traced WHERE id = 1");
    }
    assertEquals("New \"Order\"", name("for_all"));
    assertEquals("Payment", name("for_one"));
    assertEquals("New \"Order\"", name("as_before"));
    assertEquals("", name("for_none"));
  }

  private String name(String word) throws Exception {
    List<JsonNode> lines = transaction(word);
    return lines.get(lines.size() == 1 ? 0 : 1).get("abelian").path("transaction_name").asText();
  }

  @Test
  void recordsCopyWithoutItsData() throws Exception {
    try (Connection connection = router.connect()) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY traced (id, note) FROM STDIN",
              new StringReader("2001\tcopied data\n2002\tx\n"));
      run(connection, "DELETE FROM traced WHERE id >= 2000");
    }
    List<JsonNode> lines = transaction("COPY traced");
    assertEquals(1, lines.size(), lines::toString);
    assertEquals(2, lines.get(0).get("abelian").get("rows").asInt());
    assertFalse(text(folder).contains("copied data"));
  }

  @Test
  void recordsEachClientsStatementOnceThoughTheyRunTogether() throws Exception {
    String update = "UPDATE traced SET likes = likes + 3 WHERE id = " + here;
    String call = "CALL traced_move(" + here + ", " + there + ")";
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            pool.submit(
                () -> {
                  try (Connection connection = router.connect()) {
                    for (int round = 0; round < ROUNDS; round++) {
                      run(connection, update, call);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    } finally {
      pool.shutdownNow();
    }
    List<List<JsonNode>> updates = transactions(update);
    assertEquals(CLIENTS * ROUNDS, updates.size());
    for (List<JsonNode> one : updates) {
      assertEquals(1, one.size(), one::toString);
      assertEquals(1, one.get(0).get("abelian").get("rows").asInt(), one::toString);
    }
    List<List<JsonNode>> calls = transactions("CALL traced_move");
    assertEquals(CLIENTS * ROUNDS, calls.size());
    for (List<JsonNode> one : calls) {
      assertEquals(1, one.size(), one::toString);
      JsonNode own = one.get(0).get("abelian");
      assertTrue(own.get("procedure").asText().contains("traced_move"), own::toString);
      assertEquals("commuting", own.get("commit_class").asText());
      assertEquals(2, own.get("transaction_nodes").size());
    }
  }

  @Test
  void keepsSecretsOut() throws Exception {
    try (Connection connection = router.connect()) {
      run(
          connection,
          "SET application_name = 'secret_name'",
          "SELECT set_config('application_name', 'secret_function', false)",
          "PREPARE secret_prepared AS SELECT 'secret_never_run' FROM traced WHERE id = 1",
          "CREATE TABLE secret_table (a text DEFAULT 'secret_default')",
          "DROP TABLE secret_table");
      assertThrows(
          SQLException.class,
          () -> run(connection, "ALTER ROLE nobody PASSWORD 'secret_password'"));
    }
    lines();
    assertFalse(text(folder).contains("secret"), "a secret is in the trace");
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(files(folder).get(0))));
  }

  @Test
  void countsWhatItWrites() throws Exception {
    lines();
    try (Connection connection = router.connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery("SHOW abelian.commit_statistics")) {
        row.next();
        JsonNode counts = JSON.readTree(row.getString(1)).get("trace");
        assertTrue(counts.get("lines").asLong() > 0, counts::toString);
        assertEquals(0, counts.get("dropped_transactions").asLong(), counts::toString);
      }
    }
  }

  /** SIGKILL while clients write: each line but the last of a file is whole, and it goes on. */
  @Test
  void leavesCompleteLinesWhenItIsKilled() throws Exception {
    Path killed = parent.resolve("killed");
    try (RouterServer second =
        RouterServer.start(
            cluster, "--trace-folder", killed.toString(), "--trace-file-megabytes", "1")) {
      ExecutorService pool = Executors.newFixedThreadPool(2);
      for (int i = 0; i < 2; i++) {
        pool.submit(
            () -> {
              try (Connection connection = second.connect()) {
                while (true) {
                  run(connection, "SELECT '" + "x".repeat(500) + "' FROM traced WHERE id = 1");
                }
              }
            });
      }
      for (int i = 0; i < LOOKS && (!Files.exists(killed) || files(killed).size() < 3); i++) {
        Thread.sleep(50);
      }
      second.kill();
      pool.shutdownNow();
      second.start();
      try (Connection connection = second.connect()) {
        run(connection, "SELECT 1 FROM traced WHERE id = 1");
      }
    }
    List<Path> files = files(killed);
    assertTrue(files.size() > 3, files::toString);
    for (Path file : files) {
      assertTrue(Files.size(file) <= 1 << 20);
      String text = Files.readString(file);
      int whole = text.lastIndexOf('\n') + 1;
      for (String line : text.substring(0, whole).split("\n")) {
        assertTrue(line.isEmpty() || JSON.readTree(line).has("message"), line);
      }
    }
    String last = Files.readString(files.get(files.size() - 1));
    assertEquals(1, last.lines().count(), "what is left is written when the server ends");
  }

  @Test
  void tracesInTheDriverForWhomHasTheFolder() throws Exception {
    Path own = parent.resolve("driver");
    String url = cluster.driverUrl() + "?abelianTraceFolder=";
    try (Connection connection =
            DriverManager.getConnection(url + own, LocalNode.USER, LocalNode.USER);
        Connection untraced =
            DriverManager.getConnection(url + folder, LocalNode.USER, LocalNode.USER)) {
      run(connection, "SELECT 1 AS by_driver FROM traced WHERE id = 1");
      run(untraced, "SELECT 1 AS of_another FROM traced WHERE id = 1");
      for (int i = 0; i < LOOKS && !text(own).contains("by_driver"); i++) {
        Thread.sleep(50);
      }
      assertTrue(text(own).contains("by_driver"));
      lines();
      assertFalse(text(folder).contains("of_another"), "the folder is the server's");
    }
  }
}
