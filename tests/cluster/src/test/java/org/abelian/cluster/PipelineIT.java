package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However much a client sends or is sent before it synchronizes, it gets its answers. */
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineIT {
  private static final String UPSERT =
      "INSERT INTO piped VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET t = excluded.t";

  private static final String WRITE =
      "INSERT INTO piped VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET t = excluded.t";
  private static final String ALL = "SELECT count(*) FROM piped";

  private final RouterServer router;

  PipelineIT(RouterServer router) {
    this.router = router;
  }

  @BeforeEach
  void createTable() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      run(client, "DROP TABLE IF EXISTS piped");
      run(client, "CREATE TABLE piped (id int PRIMARY KEY, t text)");
      run(client, "SELECT create_distributed_table('piped', 'id')");
    }
  }

  private static void run(WireClient client, String sql) throws IOException {
    List<Message> answer = client.query(sql).untilReady();
    assertEquals(0, count(answer, 'E'), answer::toString);
  }

  /** What is sent while the answers are read, as libraries do it that pipeline. */
  private interface Sender {
    void send() throws IOException;
  }

  private static CompletableFuture<Void> beside(Sender sender) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            sender.send();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Map<Character, Long> types(List<Message> messages) {
    return messages.stream().collect(Collectors.groupingBy(Message::type, Collectors.counting()));
  }

  private static long count(List<Message> messages, char type) {
    return types(messages).getOrDefault(type, 0L);
  }

  /** Rows with keys from 0 on, and texts of that length which begin with the key. */
  private static void fill(WireClient client, int rows, int length) throws IOException {
    client.parse("fill", UPSERT);
    for (int i = 0; i < rows; i++) {
      client.bind("", "fill", 0, "" + i, text(i, length)).execute("", 0);
    }
    client.sync();
    assertEquals(rows, count(client.untilReady(), 'C'));
  }

  private static String text(int key, int length) {
    String start = key + ".";
    return start + "t".repeat(length - start.length());
  }

  private static String value(WireClient client, String query) throws IOException {
    return client.query(query).untilReady().stream()
        .filter(message -> message.type() == 'D')
        .findFirst()
        .orElseThrow()
        .values()[0];
  }

  @Test
  void manyLargeRowsAreBoundBeforeOneSync() throws IOException {
    int rows = 128;
    try (WireClient client = ParityFixture.wire(router.port())) {
      CompletableFuture<Void> sending =
          beside(
              () -> {
                client.parse("up", UPSERT);
                for (int i = 0; i < rows; i++) {
                  client.bind("", "up", 0, "" + i, "x".repeat(100_000)).execute("", 0);
                }
                client.sync().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      assertEquals(Map.of('1', 1L, '2', 128L, 'C', 128L, 'Z', 1L), types(answers));
      assertEquals("12800000", value(client, "SELECT sum(length(t)) FROM piped"));
    }
  }

  /** Another node is asked for the time of the transaction, when rows for the client are due. */
  @Test
  void aLargeAnswerComesBeforeAStatementThatAsksForTheTime() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      fill(client, 8, 100_000);
      run(client, "ALTER TABLE piped ADD COLUMN at timestamptz");
      for (boolean block : new boolean[] {true, false}) {
        if (block) {
          client.parse("", "BEGIN").bind("", "", 0).execute("", 0);
        }
        for (int i = 0; i < 8; i++) {
          client
              .parse("", "SELECT t, now() FROM piped, generate_series(1, 9) WHERE id = " + i)
              .bind("", "", 0)
              .execute("", 0)
              .parse("", "UPDATE piped SET at = now() WHERE id = " + (i + 1) % 8)
              .bind("", "", 0)
              .execute("", 0);
        }
        client.parse("", "SELECT count(*) FROM piped WHERE at = now()");
        client.bind("", "", 0).execute("", 0).sync().flush();
        List<Message> answers = client.untilReady();
        assertEquals(0, count(answers, 'E'), answers::toString);
        assertEquals(8 * 9 + 1, count(answers, 'D'));
        assertEquals("1", value(client, "SELECT count(DISTINCT at) FROM piped"));
        if (block) {
          run(client, "COMMIT");
        }
      }
    }
  }

  @Test
  void batchesOfManyRowsWithLongTextsAreSplitBeforeOneSync() throws IOException {
    int batches = 24;
    try (WireClient client = ParityFixture.wire(router.port())) {
      Function<Integer, String> insert =
          batch ->
              IntStream.range(0, 64)
                  .mapToObj(i -> "(%d, '%s')".formatted(64 * batch + i, "y".repeat(8000)))
                  .collect(Collectors.joining(",", "INSERT INTO piped VALUES ", ""));
      CompletableFuture<Void> sending =
          beside(
              () -> {
                for (int batch = 0; batch < batches; batch++) {
                  client.parse("", insert.apply(batch)).bind("", "", 0).execute("", 0);
                }
                client.sync().flush();
              });
      assertEquals(batches, count(client.untilReady(), 'C'));
      sending.join();
      assertEquals("1536", value(client, "SELECT count(*) FROM piped"));
    }
  }

  @Test
  void tensOfThousandsOfSmallStatementsAreAnsweredInOrder() throws IOException {
    int statements = 20_000;
    try (WireClient client = ParityFixture.wire(router.port())) {
      fill(client, 100, 10);
      CompletableFuture<Void> sending =
          beside(
              () -> {
                client.parse("get", "SELECT t FROM piped WHERE id = $1");
                for (int i = 0; i < statements; i++) {
                  client.bind("", "get", 0, "" + i % 100).execute("", 0);
                }
                client.sync().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      List<String> rows =
          answers.stream().filter(m -> m.type() == 'D').map(m -> m.values()[0]).toList();
      assertEquals(statements, rows.size());
      for (int i = 0; i < statements; i++) {
        assertEquals(text(i % 100, 10), rows.get(i));
      }
    }
  }

  @Test
  void everyFlushIsAnsweredWhereverItStands() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.askForAnswers();
      for (int i = 0; i < 50; i++) {
        client.parse("", UPSERT, 23, 25).askForAnswers().until('1');
        client.askForAnswers().bind("", "", 0, "" + i, "z".repeat(i * 1000)).askForAnswers();
        client.until('2');
        client.describe('P', "").askForAnswers().until('n');
        client.execute("", 0).askForAnswers().askForAnswers().until('C');
      }
      client.sync().until('Z');
      assertEquals("50", value(client, "SELECT count(*) FROM piped"));
    }
  }

  @Test
  void aQueryOfThousandsOfStatementsIsAnswered() throws IOException {
    int statements = 1600;
    String query =
        IntStream.range(0, statements)
            .mapToObj(i -> "INSERT INTO piped VALUES (%d, '%s')".formatted(i, "q".repeat(1000)))
            .collect(Collectors.joining(";"));
    try (WireClient client = ParityFixture.wire(router.port())) {
      assertEquals(statements, count(client.query(query).untilReady(), 'C'));
      assertEquals("1600", value(client, "SELECT count(*) FROM piped"));
    }
  }

  @Test
  void largeMessagesGoBothWaysAtTheSameTime() throws IOException {
    int rows = 64;
    try (WireClient client = ParityFixture.wire(router.port())) {
      CompletableFuture<Void> sending =
          beside(
              () -> {
                client.parse("up", UPSERT + " RETURNING t");
                for (int i = 0; i < rows; i++) {
                  client.bind("", "up", 0, "" + i, "r".repeat(1_000_000)).execute("", 0);
                }
                client.sync().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      assertEquals(rows, count(answers, 'D'));
      assertEquals(rows, count(answers, 'C'));
    }
  }

  @Test
  void smallRequestsForMuchAreFollowedByLargeOnes() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      fill(client, 10, 1_000_000);
      CompletableFuture<Void> sending =
          beside(
              () -> {
                client.parse("get", "SELECT t FROM piped WHERE id = $1");
                client.parse("up", UPSERT);
                for (int i = 0; i < 40; i++) {
                  client.bind("", "get", 0, "" + i % 10).execute("", 0);
                }
                client.bind("", "up", 0, "1", "b".repeat(20_000_000)).execute("", 0);
                client.bind("", "up", 0, "2", "b".repeat(20_000_000)).execute("", 0);
                client.sync().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      assertEquals(40, count(answers, 'D'));
      assertEquals(42, count(answers, 'C'));
    }
  }

  /** PostgreSQL tells an error when it comes; clients wait for it before they go on. */
  @Test
  void anErrorIsToldBeforeTheSyncAndItsGroupIsUndone() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.parse("", WRITE).bind("", "", 0).execute("", 0);
      client.parse("", "SELECT 1 / 0").bind("", "", 0).execute("", 0);
      client.parse("", ALL).bind("", "", 0).execute("", 0).flush();
      assertEquals("22012", client.until('E').sqlState());
      client.parse("", ALL).bind("", "", 0).execute("", 0);
      assertEquals(List.of("Z I"), ParityFixture.answers(client.sync().untilReady()));
      assertEquals("[0]", ParityFixture.ask(client, ALL).get(0));
      client.parse("", "SELECT nothing FROM piped").flush();
      assertEquals("42703", client.until('E').sqlState());
      client.sync().untilReady();
    }
  }

  /** The client need not wait until it is asked for the rows. */
  @ParameterizedTest
  @ValueSource(strings = {"piped", "pg_temp.piped"})
  void rowsOfACopyMayFollowItsExecuteAtOnce(String table) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      run(client, table.equals("piped") ? "SELECT 1" : "CREATE TEMP TABLE piped (id int, t text)");
      for (int i = 0; i < 3; i++) {
        client.parse("", "COPY %s FROM STDIN".formatted(table)).bind("", "", 0).execute("", 0);
        client.copyData("%d\ta\n%d\tb\n".formatted(2 * i + 1, 2 * i + 2)).copyDone();
        assertEquals(List.of("C COPY 2", "Z I"), ParityFixture.answers(client.sync().untilReady()));
      }
      assertEquals("[6]", ParityFixture.ask(client, "SELECT count(*) FROM " + table).get(0));
      client.parse("", "COPY nothing FROM STDIN").bind("", "", 0).execute("", 0);
      client.copyData("1\ta\n").copyDone();
      assertEquals(List.of("E 42P01", "Z I"), ParityFixture.answers(client.sync().untilReady()));
      run(client, ALL);
    }
  }

  /** Nodes are not told whether the client is silent; the router keeps the time. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET idle_in_transaction_session_timeout = '200ms'; BEGIN // 25P03",
        "SET idle_in_transaction_session_timeout = '200ms'; BEGIN; SELECT 1 / 0 // 25P03",
        "SET idle_in_transaction_session_timeout = '200ms'; BEGIN; SELECT * FROM piped // 25P03",
        "SET idle_session_timeout = '200ms' // 57P05",
        "SET idle_session_timeout = '200ms'; SELECT * FROM piped // 57P05"
      })
  void aClientThatIsSilentForTooLongIsToldSo(String script) throws IOException {
    String[] parts = script.split(" // ");
    try (WireClient client = ParityFixture.wire(router.port())) {
      for (String sql : parts[0].split("; ")) {
        client.query(sql).untilReady();
      }
      assertEquals(parts[1], client.until('E').sqlState());
    }
  }

  @Test
  void anErrorInALongPipelineSkipsTheRestAndUndoesTheWhole() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      CompletableFuture<Void> sending =
          beside(
              () -> {
                client.parse("up", UPSERT);
                for (int i = 0; i < 200; i++) {
                  String key = i == 100 ? "no number" : "" + i;
                  client.bind("", "up", 0, key, "e".repeat(100_000)).execute("", 0);
                }
                client.sync().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      assertEquals(1, count(answers, 'E'));
      assertEquals("0", value(client, "SELECT count(*) FROM piped"));
    }
  }

  @Test
  void aCopyWhoseRowsRaiseNoticesGoesToItsEnd() throws IOException {
    int rows = 12_000;
    try (WireClient client = ParityFixture.wire(router.port())) {
      run(
          client,
          "CREATE OR REPLACE FUNCTION talk(text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$"
              + " BEGIN RAISE NOTICE '%', repeat('n', 5000); RETURN true; END $$");
      run(client, "DROP TABLE IF EXISTS talking");
      run(client, "CREATE TABLE talking (id int PRIMARY KEY, t text CHECK (talk(t)))");
      run(client, "SELECT create_distributed_table('talking', 'id')");
      client.query("COPY talking FROM STDIN").until('G');
      CompletableFuture<Void> sending =
          beside(
              () -> {
                for (int i = 0; i < rows; i++) {
                  client.copyData(i + "\t" + "c".repeat(5000) + "\n");
                }
                client.copyDone().flush();
              });
      List<Message> answers = client.untilReady();
      sending.join();
      assertEquals(rows, count(answers, 'N'));
      assertEquals("12000", value(client, "SELECT count(*) FROM talking"));
    }
  }

  @Test
  void aClientThatDoesNotReadALargeResultHindersNobodyElse() throws IOException {
    try (WireClient slow = ParityFixture.wire(router.port());
        WireClient other = ParityFixture.wire(router.port())) {
      fill(slow, 400, 100_000);
      slow.query("SELECT t FROM piped").flush();
      for (int i = 0; i < 100; i++) {
        assertEquals("100000", value(other, "SELECT length(t) FROM piped WHERE id = " + i));
      }
      assertEquals(400, count(slow.untilReady(), 'D'));
    }
  }

  /** A block that has ended takes no part in the next one of the same group. */
  @Test
  void aBlockOfAnyLevelFollowsAnotherInOneGroup() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      for (String first : List.of("SELECT 1", "SELECT t FROM piped WHERE id = 1", WRITE, ALL)) {
        for (String end : List.of("COMMIT", "ROLLBACK")) {
          for (String level : List.of("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")) {
            String begin = "BEGIN ISOLATION LEVEL " + level;
            allSucceed(client, List.of("BEGIN", first, end, begin, ALL, WRITE, "COMMIT"));
            allSucceed(client, List.of(begin, first, end, begin, WRITE, ALL, end, first));
            allSucceed(client, List.of(first, "BEGIN", ALL, end, begin, "SELECT 1", WRITE, end));
          }
        }
      }
    }
  }

  /** A COMMIT or ROLLBACK that finds nothing to end ends nothing of what is sent behind it. */
  @ParameterizedTest
  @ValueSource(strings = {"COMMIT", "ROLLBACK"})
  void anEndWithoutABlockEndsNothingBehindIt(String end) throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.run(end, WRITE);
      client.askForAnswers();
      client.run("ROLLBACK");
      assertEquals(0, count(client.sync().untilReady(), 'E'));
      assertEquals("0", value(client, ALL));
      client.run(end, WRITE, WRITE.replace("(1,", "(2,"), WRITE.replace("(1,", "(3,"));
      client.askForAnswers();
      client.run("SELECT 1 / 0");
      assertEquals(1, count(client.sync().untilReady(), 'E'));
      assertEquals("0", value(client, ALL));
    }
  }

  /** What a block has set and committed is not taken back by what fails behind it in its group. */
  @ParameterizedTest
  @ValueSource(strings = {"BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ"})
  void whatACommittedBlockHasSetStaysBehindAnError(String begin) throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      for (List<String> work : List.of(List.<String>of(), List.of(WRITE), List.of(WRITE, ALL))) {
        run(client, "SET extra_float_digits = 1");
        client.run(begin, "SET extra_float_digits = 3");
        client.run(work.toArray(String[]::new));
        client.run("COMMIT", "SELECT 1 / 0");
        assertEquals(1, count(client.sync().untilReady(), 'E'));
        assertEquals("3", value(client, "SHOW extra_float_digits"));
        assertEquals(
            "3",
            value(
                client,
                "SELECT current_setting('extra_float_digits') FROM piped UNION SELECT"
                    + " current_setting('extra_float_digits')"));
      }
    }
  }

  /** The error comes while the MERGE's own steps are answered; what follows is skipped. */
  @Test
  void whatFollowsAnErrorThatWasAnsweredAheadIsSkipped() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      run(client, "DROP TABLE IF EXISTS unmatched");
      run(client, "CREATE TABLE unmatched (id int)");
      for (int attempt = 0; attempt < 3; attempt++) {
        createTable();
        run(client, "REVOKE ALL ON piped FROM CURRENT_USER");
        client.run(
            "SELECT 1",
            "MERGE INTO piped USING unmatched u ON piped.id = u.id"
                + " WHEN NOT MATCHED THEN INSERT VALUES (u.id, 'x')",
            "SELECT 2");
        List<Message> answer = client.sync().untilReady();
        assertEquals(1, count(answer, 'E'), answer::toString);
        assertEquals(1, count(answer, 'C'), answer::toString);
      }
      run(client, "DROP TABLE unmatched");
    }
  }

  /** A client that waits for what it has asked for does not send a Sync before. */
  @Test
  void aGroupThatRunsAgainAnswersItsFlush() throws Exception {
    CompletableFuture<Void> changes =
        beside(
            () -> {
              try (WireClient client = ParityFixture.wire(router.port())) {
                for (int i = 0; i < 25; i++) {
                  run(client, "CREATE TABLE changing (a int)");
                  run(client, "SELECT create_distributed_table('changing', 'a')");
                  run(client, "DROP TABLE changing");
                }
              }
            });
    try (WireClient client = ParityFixture.wire(router.port())) {
      int answered = 0;
      for (int round = 0; !changes.isDone(); round++) {
        // A new text each time: what is known already need not run again.
        String sql = round % 2 == 0 ? "SELECT " + round : ALL + " WHERE id > " + round;
        client.parse("", sql).describe('S', "").bind("", "", 0).execute("", 0).askForAnswers();
        client.flush();
        Message message;
        do {
          message = client.read();
        } while (message.type() != 'C' && message.type() != 'E');
        answered += message.type() == 'C' ? 1 : 0;
        client.sync().untilReady();
      }
      assertEquals(true, answered > 0);
    }
    changes.get();
  }

  private static void allSucceed(WireClient client, List<String> statements) throws IOException {
    client.run(statements.toArray(String[]::new));
    client.sync();
    List<Message> answer = client.untilReady();
    assertEquals(0, count(answer, 'E'), () -> statements + ": " + answer);
    assertEquals(statements.size(), count(answer, 'C'), answer::toString);
    assertEquals("Z I", answer.get(answer.size() - 1).toString());
  }
}
