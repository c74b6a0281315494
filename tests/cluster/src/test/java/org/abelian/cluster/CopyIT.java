package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * COPY FROM STDIN into placed tables: the same messages and the same rows as one PostgreSQL gives.
 */
@WithNode
@WithCluster
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CopyIT {
  private static final String ACCOUNTS =
      "SELECT id, owner, balance::numeric, hits, born FROM account ORDER BY id";

  private static boolean created;

  private final LocalNode node;
  private final LocalCluster cluster;
  private final RouterServer router;

  CopyIT(LocalNode node, LocalCluster cluster, RouterServer router) {
    this.node = node;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void startWithTheSameRows() throws SQLException, IOException {
    if (!created) {
      ParityFixture.create(node, router);
      created = true;
      return;
    }
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        client.query("DELETE FROM account WHERE id > 20").untilReady();
        client.query("DELETE FROM entry WHERE n > 2").untilReady();
        client.query("DELETE FROM kind WHERE name NOT IN ('in', 'out')").untilReady();
      }
    }
  }

  /** One COPY by the simple protocol, its data in these messages. */
  private static List<Message> copy(WireClient client, String sql, String... data)
      throws IOException {
    client.query(sql).flush();
    List<Message> all = new ArrayList<>(List.of(client.read()));
    if (all.get(0).type() == 'G') {
      for (String piece : data) {
        client.copyData(piece);
      }
      client.copyDone();
    }
    all.addAll(client.untilReady());
    return all;
  }

  private interface Conversation {
    List<Message> hold(WireClient client) throws IOException;
  }

  private static Arguments copy(String sql, String... data) {
    String shown = sql + " " + Arrays.toString(data);
    return Arguments.of(
        shown.substring(0, Math.min(200, shown.length())),
        (Conversation) client -> copy(client, sql, data));
  }

  /** One for each id of these, upwards or downwards. */
  private static String lines(int first, int last, String rest) {
    int step = last < first ? -1 : 1;
    return IntStream.rangeClosed(0, Math.abs(last - first))
        .mapToObj(i -> first + step * i + "\t" + rest + "\n")
        .collect(Collectors.joining());
  }

  static Stream<Arguments> loads() {
    String wide = "COPY account (id, owner, balance) FROM STDIN";
    return Stream.of(
        copy("COPY account FROM STDIN", "101\tann\t1.5\t3\t2001-02-03\n102\tbob\t2\t\\N\t\\N\n"),
        copy(wide, "103\ttab\\tand \\\\ and\\nline\t1\n104\tover\\\nlines\t2\n105\t\\101\\x42\t3"),
        copy(wide, "106\ta\t1\r\n107\tb\t2\r\n"),
        copy(wide, "1", "08", "\ta\t1", "\n10", "9\tb\t", "2\n\\", ".\n", "ignored\n"),
        copy("COPY account (owner, balance, id) FROM STDIN", "a\t1\t110\nb\t2\t\\x31\\61\\x31\n"),
        copy(wide + " WITH (FORMAT csv, HEADER)", "id,owner,balance\n112,\"a, \"\"b\"\"\nc\",1\n"),
        copy(
            wide + " WITH (FORMAT csv, HEADER match)",
            "id,owner,balance\n\"113\",\"\",1\n114,x,2\n115,y,\n"),
        copy(wide + " WITH (FORMAT csv, HEADER match)", "id,owner,wrong\n116,x,1\n117,y,2\n"),
        copy(
            wide + " (FORMAT csv, DELIMITER ';', NULL '-', QUOTE '''', ESCAPE '\\')",
            "118;'it\\'s; so';-\n119;'-';1\n"),
        copy(wide + " DELIMITER '|' CSV HEADER", "id|owner|balance\n120|a|1\n"),
        copy(wide + " (FORMAT csv, NULL 'x', FORCE_NOT_NULL (owner))", "121,x,1\n122,\"x\",2\n"),
        copy(wide + " (FORMAT csv, NULL '-', FORCE_NULL (balance))", "123,a,\"-\"\n124,a,-\n"),
        copy(wide + " (ENCODING 'LATIN1', NULL 'nil')", "125\tab\tnil\n126\tcd\t1\n"),
        copy(wide + "; SELECT count(*) FROM account", "127\ta\t1\n128\tb\t2\n"),
        copy("COPY scratch FROM STDIN; SELECT count(*) FROM scratch", "a\tb\n", "c\td\n"),
        copy("COPY kind FROM STDIN; SELECT 1 / 0; SELECT 2", "lost\tb\n"),
        copy("COPY account (id, owner) FROM STDIN", ""),
        copy("COPY entry FROM STDIN", "1\t7\tin\t1\t\\N\n20\t7\tout\t\\N\t2020-01-01 00:00:00\n"),
        copy("COPY kind FROM STDIN", "a\tb\n\\N\tc\n"),
        copy("COPY kind FROM STDIN (FORMAT csv)", "x,\"1\n2\"\n", "y,2\n"),
        copy(wide + " WHERE id > 131 AND owner <> 'b'", "130\ta\t1\n132\ta\t1\n133\tb\t2\n"),
        copy("COPY kind FROM STDIN WHERE name > 'b'", "a\tb\nx\tc\n"),
        copy("COPY kind FROM STDIN", "in\ttwice\n"));
  }

  static Stream<Arguments> mistakes() {
    String wide = "COPY account (id, owner, balance) FROM STDIN";
    String good =
        IntStream.range(200, 220).mapToObj(i -> i + "\to\t1\n").collect(Collectors.joining());
    return Stream.of(
        copy(wide, good + "x\ta\t1\n" + good),
        copy(wide, good + "1.5\ta\t1\n"),
        copy(wide, good + "99999999999\ta\t1\n"),
        copy(wide, good + "\\N\ta\t1\n"),
        copy(wide, good + "300\ta\tmuch\n301\tb\t2\n"),
        copy(wide, good + "300\ta\t-1\n"),
        copy(wide, good + "300\t\\N\t1\n"),
        copy(wide, good + "1\ttwice\t1\n"),
        copy(wide, lines(20, 1, "twice\t1")),
        copy(wide, lines(1, 20, "twice\t1") + "300\ta\tmuch\n"),
        copy(wide, lines(1, 20, "twice\t1") + "x\ta\t1\n"),
        copy(wide, lines(300, 320, "a\t-1") + lines(1, 20, "twice\t1")),
        copy(wide, lines(300, 320, "a\tmuch") + "x\ta\t1\n"),
        copy(wide, lines(310, 300, "a\tmuch") + "400\ta\n"),
        copy(wide, "18\ta\t1\n" + lines(2000, 10000, "a\t1") + "x\ta\t1\n"),
        copy(wide, good + "300\n"),
        copy(wide, good + "300\ta\t1\tmore\n"),
        copy(wide, good + "300\ta\t1\r\n"),
        copy(wide, good + "300\ta\\.b\t1\n"),
        copy(wide, good + "\n"),
        copy(wide + " CSV", "200,\"two\nlines\",1\n201,\"one\",2\n202,\"two\nlines\",x\n"),
        copy(wide + " CSV", "200,a,1\n201,\"open,1\n"),
        copy(wide + " WHERE nothing = 1", good),
        copy(wide + " WHERE id = (SELECT 1)", good),
        copy(wide + " WHERE 1 / (id - 210) < 5", good),
        copy("COPY account (id, nothing) FROM STDIN", ""),
        copy("COPY account FROM STDIN (FORMAT xml)", ""),
        copy("COPY account FROM STDIN (DELIMITER 'ab')", ""),
        copy("COPY account FROM STDIN (FORMAT csv, FORCE_QUOTE (id))", ""),
        copy("COPY account FROM STDIN (DEFAULT '\\D')", ""),
        copy("COPY account FROM STDIN (ON_ERROR ignore)", ""),
        copy("COPY account FROM STDIN (LOG_VERBOSITY verbose)", ""),
        copy("COPY account FROM STDIN (REJECT_LIMIT 3)", ""),
        copy("COPY account FROM STDIN (FORMAT csv, FORCE_NULL *)", ""),
        copy(wide + "; SELECT 1", good + "x\ta\t1\n"));
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("loads")
  void loadsTheSameRowsAsOneNode(String name, Conversation conversation) throws IOException {
    compare(conversation);
  }

  /** The error is PostgreSQL's own, with the client's line, and nothing is loaded. */
  @ParameterizedTest(name = "[{index}] {0}")
  @MethodSource("mistakes")
  void aMistakeIsToldAsByOneNodeAndLoadsNothing(String name, Conversation conversation)
      throws IOException {
    List<String> told = compare(conversation);
    assertTrue(told.stream().anyMatch(message -> message.startsWith("E ")), told.toString());
    try (WireClient routed = ParityFixture.wire(router.port())) {
      Message count = routed.query("SELECT count(*) FROM account").untilReady().get(1);
      assertEquals("20", count.values()[0]);
    }
  }

  private List<String> compare(Conversation conversation) throws IOException {
    List<String> expected;
    List<String> actual;
    try (WireClient bare = ParityFixture.wire(node.port())) {
      expected = ParityFixture.comparable(conversation.hold(bare));
      expected.addAll(content(bare));
    }
    try (WireClient routed = ParityFixture.wire(router.port())) {
      actual = ParityFixture.comparable(conversation.hold(routed));
      actual.addAll(content(routed));
    }
    assertEquals(String.join("\n", expected), String.join("\n", actual));
    return actual;
  }

  private static List<String> content(WireClient client) throws IOException {
    List<Message> all = new ArrayList<>(client.query(ACCOUNTS).untilReady());
    all.addAll(client.query("SELECT * FROM entry ORDER BY account, n").untilReady());
    all.addAll(client.query("SELECT * FROM kind ORDER BY name").untilReady());
    return ParityFixture.comparable(all);
  }

  @Test
  void aCopyBelongsToItsTransaction() throws IOException {
    compare(
        client -> {
          List<Message> all = new ArrayList<>(client.query("BEGIN").untilReady());
          all.addAll(copy(client, "COPY account (id, owner) FROM STDIN", "301\ta\n302\tb\n"));
          all.addAll(client.query("SAVEPOINT s").untilReady());
          all.addAll(copy(client, "COPY account (id, owner) FROM STDIN", "303\ta\n1\tb\n"));
          all.addAll(client.query("ROLLBACK TO SAVEPOINT s").untilReady());
          all.addAll(copy(client, "COPY account (id, owner) FROM STDIN", "304\td\n"));
          all.addAll(client.query(ACCOUNTS).untilReady());
          all.addAll(client.query("COMMIT").untilReady());
          all.addAll(client.query("BEGIN").untilReady());
          all.addAll(copy(client, "COPY account (id, owner) FROM STDIN", "305\ta\n306\tb\n"));
          all.addAll(client.query("ROLLBACK").untilReady());
          return all;
        });
  }

  /** Statements before, between and behind, and a COPY whose data are not all there at once. */
  @Test
  void copiesStandAmongOtherStatements() throws IOException {
    compare(
        client -> {
          client.query(
              "SELECT 1; COPY account (id, owner) FROM STDIN; SELECT count(*) FROM account; COPY"
                  + " kind FROM STDIN; COPY (SELECT name FROM kind ORDER BY 1) TO STDOUT; SELECT"
                  + " 2");
          client.until('G');
          for (int id = 401; id < 440; id++) {
            client.copyData(id + "\tab").flush();
            client.copyData("c\n");
          }
          client.copyDone().until('G');
          client.copyData("u\tv\n").copyData("w\tx\n").copyDone();
          List<Message> all = new ArrayList<>(client.untilReady());
          client.query("COPY account (id, owner) FROM STDIN; SELECT 3").until('G');
          all.addAll(client.copyData("501\ta\n").copyFail("no more").untilReady());
          all.addAll(client.query("SELECT 4").untilReady());
          return all;
        });
  }

  @Test
  void aClientMayGiveUp() throws IOException {
    compare(
        client -> {
          client.query("COPY account (id, owner) FROM STDIN").until('G');
          return client.copyData("301\ta\n302\tb\n303").copyFail("no more").untilReady();
        });
    compare(
        client -> {
          client.query("COPY account (id, owner) FROM STDIN").until('G');
          client.copyData(lines(310, 300, "a\tmuch"));
          return client.copyFail("no more").untilReady();
        });
  }

  /** A node cannot go on with such a client; the router can, and runs the message. */
  @Test
  void anotherMessageThanDataIsAViolation() throws IOException {
    for (int port : List.of(node.port(), router.port())) {
      for (String table : List.of("account (id, owner)", "scratch")) {
        try (WireClient client = ParityFixture.wire(port)) {
          client.query("COPY " + table + " FROM STDIN").until('G');
          Message error = client.copyData("901\ta\n").query("SELECT 1").until('E');
          assertEquals("08P01", error.sqlState(), error::toString);
          assertEquals(
              "unexpected message type 0x51 during COPY from stdin", error.fields().get('M'));
        }
      }
    }
    compare(client -> client.query(ACCOUNTS).untilReady());
  }

  @Test
  void theExtendedProtocolCopiesToo() throws IOException {
    compare(
        client -> {
          client.parse("", "COPY account (id, owner) FROM STDIN").bind("", "", 0);
          client.describe('P', "").execute("", 0).sync().flush();
          List<Message> all = new ArrayList<>();
          do {
            all.add(client.read());
          } while (all.get(all.size() - 1).type() != 'G');
          client.copyData("301\ta\n302\tb\n303\tc\n").copyDone().sync();
          all.addAll(client.untilReady());
          all.addAll(client.query("SELECT 1").untilReady());
          return all;
        });
  }

  @Test
  void aStatementThatFailsBeforeTheCopyEndsTheQuery() throws IOException {
    compare(client -> copy(client, "INSERT INTO account VALUES (1); COPY account FROM STDIN"));
    compare(client -> copy(client, "INSERT INTO account VALUES (1); COPY scratch FROM STDIN"));
  }

  /** Of binary data a piece is put in place of another; each must be told as by one node. */
  private List<String> copyBinary(String table, UnaryOperator<String> change) throws IOException {
    StringBuilder file = new StringBuilder();
    try (WireClient bare = ParityFixture.wire(node.port())) {
      String query = "COPY (SELECT id + 500, owner, balance FROM account ORDER BY id) TO STDOUT";
      for (Message message : bare.query(query + " (FORMAT binary)").untilReady()) {
        if (message.type() == 'd') {
          file.append(new String(message.body(), StandardCharsets.ISO_8859_1));
        }
      }
    }
    String data = change.apply(file.toString());
    String sql = "COPY " + table + " (id, owner, balance) FROM STDIN (FORMAT binary)";
    return compare(
        client -> {
          client.query(sql).until('G');
          byte[] bytes = data.getBytes(StandardCharsets.ISO_8859_1);
          for (int at = 0; at < bytes.length; at += 37) {
            client.copyData(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 37)));
          }
          client.copyDone();
          return client.untilReady();
        });
  }

  @Test
  void binaryDataIsLoadedAsByOneNode() throws IOException {
    List<String> told = copyBinary("account", data -> data);
    assertTrue(told.contains("C COPY 20"), told.toString());
    assertTrue(told.stream().anyMatch(line -> line.startsWith("D [520, ")), told.toString());
  }

  @Test
  void dataWithoutATrailerAreWhole() throws IOException {
    copyBinary("account", data -> data.substring(0, data.length() - 2));
  }

  @Test
  void mistakesOfBinaryDataAreToldAsByOneNode() throws IOException {
    String id = "\0\3\0\0\0\4\0\0\2\0"; // 512
    List<UnaryOperator<String>> changes =
        List.of(
            data -> "no" + data,
            data -> data.substring(0, 15),
            data -> data.substring(0, data.length() - 30),
            data -> data + "more",
            data -> data.replace(id, "\0\2\0\0\0\4\0\0\2\0"),
            data -> data.replace(id, "\0\3\0\0\0\4\0\0\0\1"),
            data -> data.replace(id, "\0\3\0\0\0\3\0\2\0"),
            data -> data.replace(id, "\0\3\377\377\377\377"),
            data -> data.replace(id, "\0\3\377\377\377\376\0\0\2\0"));
    for (UnaryOperator<String> change : changes) {
      List<String> told = copyBinary("account", change);
      assertTrue(told.get(0).startsWith("E "), told.toString());
    }
  }

  @Test
  void eachRowLiesWhereItsKeyIsLookedFor() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      StringBuilder data = new StringBuilder();
      for (int id = 1000; id < 21_000; id++) {
        data.append(id).append("\towner ").append(id).append("\t1\n");
      }
      List<Message> answer =
          copy(client, "COPY account (id, owner, balance) FROM STDIN", data.toString());
      assertEquals("COPY 20000", answer.get(1).text());
      for (int id = 1000; id < 21_000; id += 577) {
        Message row =
            client.query("SELECT owner FROM account WHERE id = " + id).untilReady().get(1);
        assertEquals("owner " + id, row.values()[0]);
      }
    }
  }

  @Test
  void aReferenceTableIsTheSameOnEveryNode() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      copy(client, "COPY kind FROM STDIN", "b\t2\nc\t", "3\n");
    }
    for (LocalNode each : cluster.nodes()) {
      try (WireClient direct = ParityFixture.wire(each.port())) {
        List<Message> rows = direct.query("SELECT name FROM kind ORDER BY name").untilReady();
        assertEquals(
            List.of("b", "c", "in", "out"),
            rows.stream().filter(m -> m.type() == 'D').map(m -> m.values()[0]).toList());
      }
    }
  }

  @Test
  void whateverTheRowsAndHoweverCutTheyComeAsByOneNode() throws IOException {
    long seed = Long.getLong("abelian.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      boolean csv = random.nextBoolean();
      String data = randomRows(random, 1000 * (round + 1), csv);
      String[] pieces = cut(random, data);
      String sql = "COPY account (id, owner, balance) FROM STDIN" + (csv ? " CSV" : "");
      try {
        compare(client -> copy(client, sql, pieces));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", round " + round + ": " + data, e);
      }
    }
  }

  private static String randomRows(Random random, int firstId, boolean csv) {
    String end = List.of("\n", "\r\n", "\r").get(random.nextInt(3));
    StringBuilder rows = new StringBuilder();
    for (int row = 0; row < random.nextInt(30); row++) {
      String owner = randomText(random, csv, end);
      String separator = csv ? "," : "\t";
      String id = "" + (random.nextInt(20) == 0 ? random.nextInt(20) : firstId + row);
      rows.append(csv && random.nextBoolean() ? "\"" + id + "\"" : id);
      rows.append(separator).append(owner).append(separator).append(random.nextInt(100));
      rows.append(end);
    }
    return rows.toString();
  }

  private static String randomText(Random random, boolean csv, String end) {
    StringBuilder text = new StringBuilder();
    List<String> parts =
        csv
            ? List.of("a", "é", "\"\"", ",", "\\", "\\.", end, "\n", "\r", " ")
            : List.of("a", "é", "\\\\", "\\t", "\"", ",", "\\\n", "\\x41", "\\7", " ");
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(parts.get(random.nextInt(parts.size())));
    }
    return csv ? "\"" + text + "\"" : text.toString();
  }

  private static String[] cut(Random random, String data) {
    List<String> pieces = new ArrayList<>();
    for (int at = 0; at < data.length(); ) {
      int next = Math.min(data.length(), at + 1 + random.nextInt(random.nextInt(40) + 1));
      pieces.add(data.substring(at, next));
      at = next;
    }
    return pieces.toArray(String[]::new);
  }
}
