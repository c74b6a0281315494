package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.advisor.LoggedServer;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;
import org.abelian.harness.LocalNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real server's log, by csvlog and jsonlog. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LogTraceIT {
  private static final String SCHEMA =
      """
      CREATE TABLE shop (id bigint PRIMARY KEY, name text, sales bigint NOT NULL DEFAULT 0);
      CREATE TABLE sale (shop_id bigint REFERENCES shop, sale_id bigint, currency text, amount numeric(12, 2),
        PRIMARY KEY (shop_id, sale_id));
      CREATE TABLE currency (code text PRIMARY KEY, name text);
      CREATE TABLE visit (shop_id bigint, visitor text);
      CREATE TABLE unused (id int PRIMARY KEY);
      CREATE TABLE person (id int PRIMARY KEY, email text, seen timestamptz);
      CREATE UNIQUE INDEX ON person (lower(email));
      """;

  private static final int SHOPS = 40;

  /** Of pgbench: branches, and transactions of each of two clients. */
  private static final int BRANCHES = 6;

  private static final int PAYMENTS = 700;

  @TempDir static Path folder;
  private final Map<List<String>, TraceFiles> traces = new HashMap<>();
  private LoggedServer server;
  private LocalNode node;
  private Path schema;

  @BeforeAll
  void run() throws Exception {
    server =
        new LoggedServer(folder, Map.of("shared_preload_libraries", "abelian,pg_stat_statements"));
    node = server.node();
    schema = Files.writeString(folder.resolve("schema.sql"), SCHEMA);
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE shops");
    }
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(SCHEMA);
      work(connection);
      statement.execute("SELECT name FROM currency WHERE code = 'USD'");
      visitUnseen(statement);
    }
    workThroughRouter("routed", "");
    workThroughRouter(
        "hashed",
        "&abelianTraceKeyFile="
            + Files.writeString(folder.resolve("key"), "a key of the operator"));
    pgbench();
    // Of another name, since what is looked up in a copy is logged as well.
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE copy_of_shops TEMPLATE shops");
    }
    server.awaitLogs("shops");
  }

  @AfterAll
  void drop() {
    if (server != null) {
      server.close();
    }
  }

  private String url(String database) {
    return server.url(database);
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url("shops"));
  }

  private static void work(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO currency VALUES ('EUR', 'Euro'), ('USD', 'Dollar')");
      statement.execute(
          "INSERT INTO shop (id, name) SELECT i, 'shop ' || i FROM generate_series(1, 40) i");
      statement.execute("INSERT INTO person VALUES (1, 'a@example.org', now())");
    }
    for (int i = 0; i < 400; i++) {
      sell(connection, 1 + i * 7 % SHOPS, i);
    }
    failures(connection);
  }

  /** The same, in a database that a router works on and records. */
  private void workThroughRouter(String database, String options) throws Exception {
    cluster(database).close();
    Path traces = folder.resolve(database + ".d");
    String url =
        "jdbc:abelian://" + node.address() + "/" + database + "?user=abelian&password=abelian";
    try (Connection connection =
            DriverManager.getConnection(url + "&abelianTraceFolder=" + traces + options);
        Statement statement = connection.createStatement()) {
      work(connection);
      statement.execute("SET abelian.transaction_name = 'Look up a currency'");
      statement.execute("SELECT name FROM currency WHERE code = 'USD'");
      statement.execute("RESET abelian.transaction_name");
      LoggedServer.awaitEnd(routed(database), "Look up a currency");
    }
  }

  private static Path routed(String database) {
    return folder.resolve(database + ".d").resolve("trace-0000000001.jsonl");
  }

  private static void sell(Connection connection, int shop, int sale) throws SQLException {
    connection.setAutoCommit(false);
    execute(connection, "SELECT name FROM currency WHERE code = ?", "EUR");
    execute(
        connection,
        "INSERT INTO sale (shop_id, sale_id, currency, amount) VALUES (?, ?, 'EUR', 1)",
        (long) shop,
        (long) sale);
    execute(connection, "UPDATE shop SET sales = sales + ? WHERE id = ?", 1L, (long) shop);
    connection.commit();
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO visit (shop_id, visitor) VALUES (" + shop + ", 'v" + sale + "')");
      statement.execute(
          "SELECT count(*) FROM shop s JOIN sale x ON x.shop_id = s.id WHERE s.id = " + shop);
    }
  }

  /** What is in no log, but counted: for each visit that is logged there are nine more. */
  private static void visitUnseen(Statement statement) throws SQLException {
    statement.execute("CREATE EXTENSION pg_stat_statements");
    statement.execute("SET log_min_duration_statement = -1");
    statement.execute("BEGIN"); // of which only the end waits for the disk
    for (int i = 0; i < 9 * 400; i++) {
      statement.execute("INSERT INTO visit (shop_id, visitor) VALUES (" + i + ", 'unseen')");
    }
    statement.execute("COMMIT");
    statement.execute("RESET log_min_duration_statement");
  }

  /** Nothing but the log and what pgbench itself does. */
  private void pgbench() throws SQLException, IOException, InterruptedException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE bank");
    }
    pgbench("-i", "-q", "-s", "" + BRANCHES);
    pgbench("-c", "2", "-t", "" + PAYMENTS, "--random-seed=7");
  }

  private void pgbench(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(LocalNode.binDirectory().resolve("pgbench").toString()));
    command.addAll(List.of("-h", "127.0.0.1", "-p", "" + node.port(), "-U", "abelian"));
    command.addAll(List.of(arguments));
    command.add("bank");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("pgbench.out").toFile());
    builder.environment().put("PGPASSWORD", "abelian");
    assertEquals(0, builder.start().waitFor(), () -> read(folder.resolve("pgbench.out")));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void failures(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    execute(connection, "UPDATE shop SET name = ? WHERE id = ?", "rolled back", 1L);
    connection.rollback();
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO currency VALUES ('EUR', 'again')");
    } catch (SQLException duplicate) {
      assertEquals("23505", duplicate.getSQLState());
    }
    execute(connection, "SELECT name FROM shop WHERE id IN (?, ?)", 3L, 4L);
  }

  private static void execute(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.execute();
    }
  }

  private TraceFiles trace(String log, String copy) {
    return trace(log, copy, null);
  }

  /** What the same log gives is made once. */
  private TraceFiles trace(String log, String copy, String calls) {
    return traces.computeIfAbsent(
        List.of(log, "" + copy, "" + calls), key -> read(log, copy, calls));
  }

  private TraceFiles read(String log, String copy, String calls) {
    String target = log + (copy == null ? "" : "-copy") + (calls == null ? "" : "-calls");
    return trace(target, List.of(folder.resolve("logs").resolve(log)), "shops", copy, calls);
  }

  private TraceFiles trace(
      String name, List<Path> logs, String database, String copy, String calls) {
    Path target = folder.resolve("trace-" + name);
    try (OutputFolder output = OutputFolder.begin(target)) {
      LogTrace.run(
          new LogTraceOptions(logs, database, url("abelian"), schema, copy, calls), output);
    }
    return new TraceFiles(target);
  }

  private TraceFiles routedTrace() {
    return traces.computeIfAbsent(
        List.of("routed"), key -> trace("routed", List.of(routed("routed")), "routed", null, null));
  }

  private static List<String> rows(String query) {
    List<String> rows = new ArrayList<>();
    try (Engine engine = Engine.open()) {
      engine.each(
          query,
          row -> {
            StringBuilder text = new StringBuilder();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
              text.append(i == 1 ? "" : " ").append(row.getString(i));
            }
            rows.add(text.toString());
          });
    }
    return rows;
  }

  private static String accesses(TraceFiles trace, String condition) {
    return " FROM " + Engine.parquet(trace.accesses()) + " WHERE " + condition;
  }

  @Test
  void findsWhatStatementsTouch() {
    TraceFiles trace = trace("server.csv", null);
    assertEquals(
        List.of("EUR [EUR] 1 false false null"),
        rows(
            "SELECT DISTINCT key, attributes, bound, write, commutes, retyped"
                + accesses(trace, "table_name = 'public.currency' AND NOT write AND key = 'EUR'")));
    assertEquals(
        List.of("10 1"),
        rows(
            "SELECT count(DISTINCT key), count(DISTINCT split_part(key, ',', 1))"
                + accesses(trace, "table_name = 'public.sale' AND write AND key LIKE '8,%'")));
    assertEquals(
        List.of("8 [8] 1 true shop.sales abelian.counter"),
        rows(
            "SELECT DISTINCT key, attributes, bound, write, retyped"
                + accesses(trace, "table_name = 'public.shop' AND write AND key = '8'")));
    // A sale and its shop are one transaction of three statements.
    assertEquals(
        List.of("400 3"),
        rows(
            "SELECT count(*), any_value(n) FROM (SELECT tx, count(*) AS n, max(step) AS last"
                + accesses(trace, "true GROUP BY tx")
                + ") WHERE last = 2"));
    // The join names the shop, and through it the sales' part of the key.
    assertEquals(
        List.of("400"),
        rows(
            "SELECT count(*)"
                + accesses(trace, "table_name = 'public.sale' AND NOT write AND key IS NULL")));
    assertEquals(
        List.of("3", "4"),
        rows(
            "SELECT key"
                + accesses(
                    trace,
                    "tx IN (SELECT tx FROM (SELECT tx"
                        + accesses(
                            trace,
                            "true GROUP BY tx HAVING count(*) = 2 AND count(DISTINCT"
                                + " table_name) = 1 AND NOT bool_or(write)")
                        + ")) AND table_name = 'public.shop' ORDER BY key")));
    TraceDescription description = trace.description();
    assertEquals(
        List.of("public.currency", "public.person", "public.sale", "public.shop", "public.visit"),
        description.tables().stream().map(table -> table.id()).toList());
    // Nothing that the unique index of an expression does not contain can place its rows.
    assertTrue(!description.tablesById().get("public.person").canDistribute("id"));
    assertTrue(description.tablesById().get("public.shop").canDistribute("id"));
    assertTrue(
        description.notes().stream().anyMatch(note -> note.startsWith("1 transactions failed")),
        description.notes()::toString);
  }

  @Test
  void readsBothKindsOfLogsAlike() {
    String all = "SELECT table_name, key, attributes, bound, write, commutes, retyped, count(*)";
    String grouped = "true GROUP BY ALL ORDER BY ALL";
    assertEquals(
        rows(all + accesses(trace("server.csv", null), grouped)),
        rows(all + accesses(trace("server.json", null), grouped)));
  }

  @Test
  void readsWhatARouterRecordsAsALogOfTheSameWork() {
    String all =
        "SELECT a.table_name, a.key, a.attributes, a.bound, a.write, a.commutes, a.retyped, a.step,"
            + " t.parameters, t.one_shot, count(*) FROM ";
    TraceFiles log = trace("server.csv", null);
    TraceFiles router = routedTrace();
    assertEquals(rows(all + joined(log)), rows(all + joined(router)));
    Map<String, String> classes = router.description().classes();
    assertEquals("SELECT name FROM currency WHERE code = ?", classes.get("Look up a currency"));
    assertEquals(
        new TreeSet<>(log.description().classes().values()), new TreeSet<>(classes.values()));
    assertEquals(log.description().notes(), router.description().notes());
    // With PostgreSQL's own in the same form it is one log.
    TraceFiles both =
        trace(
            "both",
            List.of(folder.resolve("logs/server.json"), routed("routed")),
            null,
            null,
            null);
    assertTrue(both.description().classes().size() >= log.description().classes().size());
  }

  private static String joined(TraceFiles trace) {
    return Engine.parquet(trace.accesses())
        + " a JOIN "
        + Engine.parquet(trace.transactions())
        + " t USING (tx) GROUP BY ALL ORDER BY ALL";
  }

  /** Which rows are together stays; what they are called does not. */
  @Test
  void readsHashedValues() throws IOException {
    String shapes =
        "SELECT table_name, count(DISTINCT key), count(DISTINCT attributes), bound, write,"
            + " commutes, count(*)";
    String grouped = "true GROUP BY ALL ORDER BY ALL";
    TraceFiles router = routedTrace();
    TraceFiles hashed = trace("hashed", List.of(routed("hashed")), "hashed", null, null);
    assertEquals(
        rows(shapes + accesses(router, grouped)), rows(shapes + accesses(hashed, grouped)));
    assertTrue(
        hashed.description().notes().stream()
            .anyMatch(note -> note.startsWith("values are hashed")),
        hashed.description().notes()::toString);
    String text = Files.readString(routed("hashed"));
    for (String value : List.of("EUR", "Dollar", "example.org", "'v7'", "'8'")) {
      assertTrue(Files.readString(routed("routed")).contains(value), value);
      assertTrue(!text.contains(value), value);
    }
  }

  /** A router that is killed leaves such an end. */
  @Test
  void readsATraceThatBreaksOff() throws IOException {
    String whole = Files.readString(routed("routed"));
    int withinALine = whole.indexOf('\n', whole.length() * 3 / 4) - 10;
    Path broken =
        Files.writeString(folder.resolve("router-trace.jsonl"), whole.substring(0, withinALine));
    TraceFiles trace = trace("broken", List.of(broken), "routed", null, null);
    assertTrue(
        trace.description().notes().stream().anyMatch(note -> note.startsWith("1 lines")),
        trace.description().notes()::toString);
    assertEquals(List.of("true"), rows("SELECT count(*) > 800" + accesses(trace, "true")));
  }

  @Test
  void looksRowsUpInACopy() {
    TraceFiles trace = trace("server.csv", url("copy_of_shops"));
    assertEquals(
        List.of("0"),
        rows("SELECT count(*)" + accesses(trace, "table_name = 'public.sale' AND key IS NULL")));
    // Ten sales of each shop, whatever the statement named.
    assertEquals(
        List.of("10 1"),
        rows(
            "SELECT DISTINCT count(*), bit_count(any_value(bound))"
                + accesses(trace, "table_name = 'public.sale' AND NOT write GROUP BY tx")));
  }

  @Test
  void comparesWithThePresentPlacement() throws SQLException {
    try (Connection connection = cluster("placed");
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT create_reference_table('currency')");
      statement.execute("SELECT create_reference_table('shop')");
      statement.execute("SELECT create_distributed_table('sale', 'sale_id')");
    }
    assertEquals(
        0,
        Commands.execute(
            "run",
            "--log",
            folder.resolve("logs/server.csv").toString(),
            "--database",
            "shops",
            "--analyze-on",
            url("placed"),
            "--output",
            folder.resolve("compared").toString()));
    Validation validation =
        JsonFile.read(
            ValidationPhase.file(folder.resolve("compared/validation")), Validation.class);
    // Every sale writes all copies of its shop.
    double present = validation.judgement("present").distributed();
    double advised = validation.judgement(validation.chosen()).distributed();
    assertTrue(present > 0.4 && advised < 0.1, "present " + present + ", advised " + advised);
  }

  private Connection cluster(String database) throws SQLException {
    return cluster(database, SCHEMA);
  }

  private Connection cluster(String database, String tables) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + database);
    }
    Connection connection = DriverManager.getConnection(url(database));
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE EXTENSION abelian_cluster CASCADE");
      statement.execute(tables);
      statement.execute("SET abelian.placement_version = 2147483647");
      statement.execute("SELECT abelian.add_node('127.0.0.1', " + node.port() + ")");
    }
    return connection;
  }

  /**
   * The log is all that is given. pgbench draws account, teller and branch independently of each
   * other: an account is not of the branch that its payment names, so placing accounts by their
   * branches would help no payment and hide them from statements, which name the account alone.
   * Each table by its own number then is right: the busy rows are spread, and every statement finds
   * its node. The history, which nobody reads, belongs to one of the three rows; a fourth key would
   * add a fourth place. On three nodes one payment of nine has all three rows on the same node.
   */
  @Test
  void advisesPgbenchFromNothingButItsLog() throws SQLException {
    assertEquals(
        0,
        Commands.execute(
            "--log",
            folder.resolve("logs/server.csv").toString(),
            "--database",
            "bank",
            "--analyze-on",
            url("abelian"),
            "--output",
            folder.resolve("bank").toString()));
    Validation validation =
        JsonFile.read(ValidationPhase.file(folder.resolve("bank/validation")), Validation.class);
    assertEquals(validation.chosen(), validation.loadable());
    Map<String, TablePlacement> tables =
        new ExplanationFiles(folder.resolve("bank/explanation"))
            .explanation().candidates().stream()
                .filter(one -> one.name().equals(validation.chosen()))
                .findFirst()
                .orElseThrow()
                .tables();
    assertEquals(new TablePlacement.Hash("aid"), tables.get("public.pgbench_accounts"));
    assertEquals(new TablePlacement.Hash("tid"), tables.get("public.pgbench_tellers"));
    assertEquals(new TablePlacement.Hash("bid"), tables.get("public.pgbench_branches"));
    TablePlacement history = tables.get("public.pgbench_history");
    assertTrue(
        Set.of("aid", "tid", "bid").stream()
            .anyMatch(column -> history.equals(new TablePlacement.Hash(column))),
        history::toString);
    Judgement judgement = validation.judgement(validation.chosen());
    assertEquals(0, judgement.misrouted());
    // Three standard deviations of a share among 350 payments.
    assertEquals(8 / 9.0, judgement.distributed(), 0.05);
    String bank =
        """
        CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84));
        CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84));
        CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88));
        CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp);
        """;
    try (Connection connection = cluster("banks", bank);
        Statement statement = connection.createStatement()) {
      statement.execute(read(folder.resolve("bank/report/placement.sql")));
    }
  }

  /**
   * TPC-C as somebody runs it who has read nothing: warehouses stay together, items are everywhere.
   */
  @Test
  void advisesWarehousesFromALogOfBenchBase() throws IOException, SQLException {
    Path log = folder.resolve("benchbase.csv");
    BenchBaseLog.write(log, 700);
    String tables =
        Files.readAllLines(Path.of("../oltpbench-configs/tpcc/ddl-plain.sql")).stream()
            .filter(line -> !line.startsWith("DROP") && !line.contains("create_"))
            .collect(Collectors.joining("\n"));
    Path script =
        Files.writeString(
            folder.resolve("tpcc.sql"),
            tables
                + "\n"
                + "ALTER TABLE order_line ADD FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES"
                + " stock (s_w_id, s_i_id) ON DELETE CASCADE;\n");
    assertEquals(
        0,
        Commands.execute(
            "run",
            "--log",
            log.toString(),
            "--database",
            "tpcc",
            "--schema",
            script.toString(),
            "--analyze-on",
            url("abelian"),
            "--nodes",
            "3",
            "--output",
            folder.resolve("tpcc").toString()));
    assertEquals(
        List.of(
            "SELECT create_reference_table('item');",
            "SELECT create_distributed_table('customer', 'c_w_id', colocate_with => 'warehouse');",
            "SELECT create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse');",
            "SELECT create_distributed_table('history', 'h_c_w_id', colocate_with => 'warehouse');",
            "SELECT create_distributed_table('new_order', 'no_w_id', colocate_with =>"
                + " 'warehouse');",
            "SELECT create_distributed_table('oorder', 'o_w_id', colocate_with => 'warehouse');",
            "SELECT create_distributed_table('order_line', 'ol_w_id', colocate_with =>"
                + " 'warehouse');",
            "SELECT create_distributed_table('stock', 's_w_id', colocate_with => 'warehouse');",
            "SELECT create_distributed_table('warehouse', 'w_id', colocate_with => 'none');"),
        Files.readAllLines(folder.resolve("tpcc/report/placement.sql")).stream()
            .filter(line -> line.startsWith("SELECT"))
            // A payment changes both of its warehouses, so its history may lie with either.
            .map(line -> line.replace("'h_w_id'", "'h_c_w_id'"))
            .sorted(
                Comparator.comparing((String line) -> !line.contains("reference"))
                    .thenComparing(line -> line))
            .toList());
    Validation validation =
        JsonFile.read(ValidationPhase.file(folder.resolve("tpcc/validation")), Validation.class);
    Judgement judgement = validation.judgement(validation.chosen());
    assertEquals(0, judgement.misrouted());
    assertTrue(judgement.distributed() < 0.16, judgement::toString);
    List<String> notes = new TraceFiles(folder.resolve("tpcc/trace")).description().notes();
    assertTrue(notes.stream().noneMatch(note -> note.contains("not understood")), notes::toString);
  }

  @Test
  void weighsClassesByTheCallsThatTheServerCounts() {
    TraceDescription weighed = trace("server.csv", null, url("shops")).description();
    double visits = weightOf(weighed.weights(), "insert visit");
    double joins = weightOf(weighed.weights(), "read shop, read sale");
    assertEquals(10, visits / joins, 0.1);
    assertTrue(
        weighed.notes().stream().anyMatch(note -> note.startsWith("classes count as")),
        weighed.notes()::toString);
    assertNull(trace("server.csv", null).description().weights());
  }

  private static double weightOf(Map<String, Double> weights, String name) {
    return weights.entrySet().stream()
        .filter(one -> one.getKey().endsWith(" " + name))
        .mapToDouble(Map.Entry::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in " + weights));
  }

  @Test
  void leavesNoDatabaseBehind() throws SQLException {
    trace("another", List.of(folder.resolve("logs/server.csv")), "shops", null, null);
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        var left =
            statement.executeQuery(
                "SELECT datname FROM pg_database WHERE datname LIKE 'advise%'")) {
      assertTrue(!left.next(), "a scratch database is left");
    }
  }

  /** From a server's log, from what a router records of the same work, and from that in hashes. */
  @ParameterizedTest
  @CsvSource({
    "logs/server.csv, shops",
    "routed.d/trace-0000000001.jsonl, routed",
    "hashed.d/trace-0000000001.jsonl, hashed"
  })
  void advisesTheShop(String log, String database) throws IOException, SQLException {
    Path advice = folder.resolve("advice-" + database);
    assertEquals(
        0,
        Commands.execute(
            "run",
            "--log",
            folder.resolve(log).toString(),
            "--database",
            database,
            "--schema",
            schema.toString(),
            "--analyze-on",
            url("abelian"),
            "--output",
            advice.toString()));
    String sql = Files.readString(advice.resolve("report/placement.sql"));
    try (Stream<String> lines = sql.lines()) {
      assertEquals(
          List.of(
              "SELECT create_reference_table('currency');",
              "SELECT create_distributed_table('shop', 'id', colocate_with => 'none');",
              "SELECT create_distributed_table('sale', 'shop_id', colocate_with => 'shop');"),
          lines
              .filter(
                  line ->
                      line.startsWith("SELECT")
                          && !line.contains("visit")
                          && !line.contains("person"))
              .toList());
    }
    try (Connection connection = cluster("advised_" + database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
