package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.Ports;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The router as a service: its file, its signals, its figures. */
@WithCluster
class RouterServiceIT {
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final long PATIENCE_SECONDS = 30;

  private final LocalCluster cluster;
  private final HttpClient http = HttpClient.newHttpClient();
  private final int metricsPort = Ports.reserve();
  @TempDir private Path folder;

  RouterServiceIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  private RouterServer start(String... options) {
    String[] all = new String[options.length + 2];
    System.arraycopy(options, 0, all, 0, options.length);
    all[options.length] = "--metrics-listen";
    all[options.length + 1] = "127.0.0.1:" + metricsPort;
    return RouterServer.start(cluster, all);
  }

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + metricsPort + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private double metric(String name) throws IOException, InterruptedException {
    String all = ask("GET", "/metrics").body();
    Matcher line = Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$").matcher(all);
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }

  /** What is counted once a client has its answer. */
  private void assertBecomes(double expected, String name) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (metric(name) < expected && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    assertEquals(expected, metric(name), name);
  }

  @Test
  void metricsCountWhatTheRouterDoes() throws Exception {
    try (RouterServer server = start();
        Connection connection = server.connect()) {
      execute(
          connection,
          "DROP TABLE IF EXISTS watched",
          "CREATE TABLE watched (id int PRIMARY KEY, n int)",
          "SELECT create_distributed_table('watched', 'id')",
          "INSERT INTO watched SELECT i, 0 FROM generate_series(1, 30) i");
      double scattered = metric("abelian_statements_total{route=\"scatter\"}");
      double alone = metric("abelian_statements_total{route=\"one_node\"}");
      double coordinated = metric("abelian_commits_total{class=\"coordinated\"}");
      double requests = metric("abelian_requests_seconds_count");
      server.liveBytes(); // Collects garbage, which must not take away what meters read.
      for (int i = 0; i < 3; i++) {
        execute(connection, "SELECT sum(n) FROM watched", "UPDATE watched SET n = 1 WHERE id = 1");
      }
      execute(connection, "UPDATE watched SET n = n + 1");
      assertBecomes(scattered + 3, "abelian_statements_total{route=\"scatter\"}");
      assertBecomes(alone + 3, "abelian_statements_total{route=\"one_node\"}");
      assertBecomes(coordinated + 1, "abelian_commits_total{class=\"coordinated\"}");
      assertTrue(metric("abelian_requests_seconds_count") >= requests + 6, "too few answers");
      assertEquals(1, metric("abelian_sessions"));
      assertEquals(0, metric("abelian_in_doubt"));
      String node = "{node=\"" + cluster.addresses().split(",")[0] + "\"}";
      assertTrue(metric("abelian_node_connections" + node) >= 1);

      String told = value(connection, "SHOW abelian.router_statistics");
      assertTrue(told.contains("\"sessions\":1"), told);
      assertTrue(told.contains("\"scatter\":" + (long) (scattered + 3)), told);
      assertEquals(METHOD_NOT_ALLOWED, ask("POST", "/metrics").statusCode());
    }
  }

  @Test
  void viewsTellWhatShowAndMetricsTell() throws Exception {
    try (RouterServer server = start();
        Connection connection = server.connect()) {
      execute(
          connection,
          "DROP TABLE IF EXISTS viewed",
          "CREATE TABLE viewed (id int PRIMARY KEY, n int)",
          "SELECT create_distributed_table('viewed', 'id')",
          "INSERT INTO viewed SELECT i, 0 FROM generate_series(1, 30) i",
          "UPDATE viewed SET n = n + 1",
          "SELECT sum(n) FROM viewed");
      String of = "SELECT value FROM abelian.router_statistics WHERE name = ";
      long scattered = (long) metric("abelian_statements_total{route=\"scatter\"}");
      assertEquals(
          scattered, Long.parseLong(value(connection, of + "'statements' AND label = 'scatter'")));
      long coordinated = (long) metric("abelian_commits_total{class=\"coordinated\"}");
      assertTrue(coordinated > 0, "nothing was coordinated");
      assertEquals(
          Long.toString(coordinated),
          value(connection, of + "'commits' AND label = 'coordinated'"));
      assertEquals("1", value(connection, of + "'sessions' AND label IS NULL"));
      assertEquals("0", value(connection, of + "'misrouted_attempts'"));
      String node = cluster.addresses().split(",")[0];
      assertEquals("0", value(connection, of + "'node_waiting' AND label = '" + node + "'"));
      assertEquals("0", value(connection, "SELECT count(*) FROM abelian.routing_rules"));
      // Joined with catalogues, prepared, and in a block whose settings are not left changed.
      assertEquals(
          "app",
          value(
              connection,
              "SELECT rolname FROM abelian.router_statistics, pg_roles"
                  + " WHERE name = 'sessions' AND rolname = current_user AND value > 0"));
      assertEquals("", value(connection, "SELECT current_setting('abelian.router_statistics')"));
      connection.setAutoCommit(false);
      assertEquals("1", value(connection, of + "'sessions'"));
      execute(connection, "UPDATE viewed SET n = n + 1");
      assertEquals("1", value(connection, of + "'sessions'"));
      connection.commit();
      connection.setAutoCommit(true);
      SQLException refused =
          assertThrows(
              SQLException.class,
              () ->
                  execute(
                      connection,
                      "INSERT INTO viewed SELECT value FROM abelian.router_statistics"));
      assertEquals("0A000", refused.getSQLState());
      execute(connection, "DROP TABLE viewed");
    }
  }

  @Test
  void metricsTellWhatIsSplitOnNodes() throws Exception {
    try (RouterServer server = start();
        Connection connection = server.connect()) {
      execute(
          connection,
          "DROP TABLE IF EXISTS split_watched",
          "CREATE TABLE split_watched (id int PRIMARY KEY, n abelian.counter DEFAULT 0)",
          "SELECT create_distributed_table('split_watched', 'id')",
          "INSERT INTO split_watched SELECT generate_series(1, 30)",
          "SET abelian.split = 'always'",
          "UPDATE split_watched SET n = n + 1");
      awaitMetric("abelian_node_split_objects\\{node=\"[^\"]+\"\\} [1-9]");
      awaitMetric("abelian_node_lag_seconds\\{node=\"[^\"]+\"\\} ");
      execute(connection, "DROP TABLE split_watched");
    }
  }

  private void awaitMetric(String line) throws Exception {
    Pattern pattern = Pattern.compile("(?m)^" + line);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!pattern.matcher(ask("GET", "/metrics").body()).find()) {
      assertTrue(System.nanoTime() < deadline, () -> line + " is not told");
      Thread.sleep(100);
    }
  }

  @Test
  void theDashboardShowsMetricsThatThereAre() throws Exception {
    Path dashboard =
        Path.of(System.getenv("ABELIAN_REPOSITORY"), "docs/guide/grafana-dashboard.json");
    try (RouterServer server = start();
        Connection connection = server.connect()) {
      execute(connection, "SELECT 1");
      awaitMetric("abelian_node_split_objects"); // Nodes are asked now and then.
      String all = ask("GET", "/metrics").body();
      Matcher name = Pattern.compile("abelian_[a-z_]+").matcher(Files.readString(dashboard));
      int count = 0;
      for (; name.find(); count++) {
        assertTrue(all.contains("\n" + name.group()), name.group());
      }
      assertTrue(count > 0, "it shows nothing");
    }
  }

  @Test
  void sigtermLetsTransactionsEndAndTellsTheIdleWhy() throws Exception {
    try (RouterServer server = start("--drain-timeout", "20000");
        Connection idle = server.connect();
        Connection busy = server.connect()) {
      execute(
          busy,
          "DROP TABLE IF EXISTS drained",
          "CREATE TABLE drained (id int PRIMARY KEY)",
          "SELECT create_distributed_table('drained', 'id')",
          "BEGIN",
          "INSERT INTO drained VALUES (1)");
      assertEquals(OK, ask("GET", "/health").statusCode());
      CompletableFuture<Void> end = CompletableFuture.runAsync(server::stop);
      awaitShuttingDown();
      assertThrows(SQLException.class, server::connect, "nobody else is let in");
      SQLException told = assertThrows(SQLException.class, () -> execute(idle, "SELECT 1"));
      assertEquals("57P01", told.getSQLState(), told.getMessage());
      assertFalse(end.isDone(), "a transaction is open");
      execute(busy, "INSERT INTO drained VALUES (2)", "COMMIT");
      end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    try (Connection connection = cluster.connect()) {
      assertEquals("2", value(connection, "SELECT count(*) FROM drained"));
    }
  }

  private void awaitShuttingDown() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (ask("GET", "/health").statusCode() != UNAVAILABLE) {
      assertTrue(System.nanoTime() < deadline, "it goes on serving");
      Thread.sleep(20);
    }
  }

  @Test
  void sighupReadsTheBoundsInTheFileAgain() throws Exception {
    Path file = Files.writeString(folder.resolve("router.conf"), "max_clients = 5\n");
    try (RouterServer server = start("--config-file", file.toString());
        Connection first = server.connect()) {
      server.connect().close();
      Files.writeString(file, "max_clients = 1\nmemory = 100 # needs a restart\n");
      server.hangUp();
      awaitLog(server, "\"memory\" cannot be changed without restarting the server");
      SQLException full = assertThrows(SQLException.class, server::connect);
      assertEquals("53300", full.getSQLState());
      Files.writeString(file, "max_clients = many\n");
      server.hangUp();
      awaitLog(server, "those before are kept");
      assertEquals("1", value(first, "SELECT 1"), "who is there stays");
    }
  }

  @Test
  void theLogCanBeAnObjectPerLine() throws Exception {
    try (RouterServer server = start("--log-format", "json")) {
      server.connect().close();
      server.hangUp();
      awaitLog(server, "received SIGHUP");
      List<String> lines = server.log().lines().filter(line -> line.startsWith("{")).toList();
      assertFalse(lines.isEmpty(), server.log());
      for (String line : lines) {
        JsonNode entry = new ObjectMapper().readTree(line);
        assertFalse(entry.path("@timestamp").asText().isEmpty(), line);
        assertFalse(entry.path("log.level").asText().isEmpty(), line);
        assertFalse(entry.path("message").asText().isEmpty(), line);
      }
    }
  }

  @Test
  void theLogCanBeKeptToWhatIsTrouble() throws Exception {
    try (RouterServer server = start("--log-level", "error");
        Connection client = server.connect()) {
      server.hangUp();
      assertEquals("1", value(client, "SELECT 1"));
      assertFalse(server.log().contains("INFO"), server.log());
    }
  }

  private static void awaitLog(RouterServer server, String text) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!server.log().contains(text)) {
      assertTrue(System.nanoTime() < deadline, server.log());
      Thread.sleep(20);
    }
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String value(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertTrue(row.next());
      return row.getString(1);
    }
  }
}
