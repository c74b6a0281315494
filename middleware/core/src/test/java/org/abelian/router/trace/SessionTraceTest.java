package org.abelian.router.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongPredicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.junit.jupiter.api.Test;

/** From what a session does to lines. */
class SessionTraceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Catalog CATALOG =
      new Catalog(1, List.of(new Node(1, "localhost", 1), new Node(2, "localhost", 2)), Map.of());
  private static final String TABLE =
      "\"relations\": [{\"id\": 1, \"schema\": \"public\", \"name\": \"t\", \"write\": true}]";

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final TraceQueue queue = new TraceQueue(16 << 20);
  private ValueHash hash;
  private LongPredicate sampling = number -> true;
  private SessionTrace trace;

  private final class Memory implements TraceSink {
    @Override
    public long most() {
      return 8 << 20;
    }

    @Override
    public void write(byte[] lines, int length) {
      written.write(lines, 0, length);
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private static final class Value {
    final byte[] bytes;
    final boolean binary;

    Value(byte[] bytes, boolean binary) {
      this.bytes = bytes;
      this.binary = binary;
    }
  }

  private static Value text(String text) {
    return new Value(text == null ? null : text.getBytes(StandardCharsets.UTF_8), false);
  }

  private static Value binary(byte... bytes) {
    return new Value(bytes, true);
  }

  private static BindMessage bind(Value... values) {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).string("").string("").int2(values.length);
    for (Value value : values) {
      writer.int2(value.binary ? 1 : 0);
    }
    writer.int2(values.length);
    for (Value value : values) {
      if (value.bytes == null) {
        writer.int4(-1);
      } else {
        writer.int4(value.bytes.length).bytes(value.bytes);
      }
    }
    writer.int2(0).end();
    BindMessage bind = new BindMessage();
    bind.look(queue.toByteArray(), 0);
    return bind;
  }

  private static StatementFacts facts(String json) {
    return FactsParser.parse("[{" + json + "}]").get(0);
  }

  private static StatementFacts update(int... types) {
    StringBuilder oids = new StringBuilder();
    for (int type : types) {
      oids.append(oids.isEmpty() ? "" : ",").append(type);
    }
    return facts("\"kind\": \"update\", \"parameters\": [" + oids + "], " + TABLE);
  }

  private SessionTrace trace() {
    if (trace == null) {
      trace =
          new SessionTrace(queue, sampling, 0, new TracedTransaction.Session("r.1", "app", "shop"));
    }
    return trace;
  }

  private TracedStatement bound(String sql, StatementFacts facts, Value... values) {
    return trace().bound(sql, facts, CATALOG, new int[] {2}, bind(values));
  }

  private void run(String sql, StatementFacts facts, boolean block, Value... values) {
    trace().executed(bound(sql, facts, values), block, "UPDATE 1", null);
  }

  private List<JsonNode> lines() throws IOException {
    new TraceWriter(queue, new TraceLines(hash, queue.counts()), new Memory()).writeAll();
    String all = written.toString(StandardCharsets.UTF_8);
    assertTrue(all.isEmpty() || all.endsWith("\n"), all);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : all.split("\n")) {
      if (!line.isEmpty()) {
        lines.add(JSON.readTree(line));
      }
    }
    assertEquals(0, queue.held(), "all memory is given back");
    return lines;
  }

  private static List<String> messages(List<JsonNode> lines) {
    return lines.stream()
        .map(line -> line.get("message").asText().replaceAll("duration: [0-9.]+ ms  ", ""))
        .toList();
  }

  private long count(String name) {
    return queue.counts().all().get(name);
  }

  @Test
  void writesWhatPostgresqlWouldLog() throws IOException {
    run(
        "UPDATE t SET a = $1, b = $2, c = $3 WHERE d = $4",
        update(25, 23, 20, 23),
        false,
        text("it's\n\"so\"\t\\ \u0001 é \uD83D\uDE00"),
        text(null),
        new Value(null, true),
        binary((byte) 0, (byte) 0, (byte) 1, (byte) 2));
    trace().ended(true);
    JsonNode line = lines().get(0);
    assertEquals(
        "parameters: $1 = 'it''s\n"
            + "\"so\"\t\\ \u0001 é \uD83D\uDE00', $2 = NULL, $3 = NULL, $4 = '258'",
        line.get("detail").asText());
    assertEquals("LOG", line.get("error_severity").asText());
    assertEquals("shop", line.get("dbname").asText());
    assertEquals("r.1", line.get("session_id").asText());
    assertEquals("r.1/1", line.get("vxid").asText());
    assertEquals(1, line.get("line_num").asInt());
    JsonNode own = line.get("abelian");
    assertEquals(1, own.get("rows").asInt());
    assertEquals("[2]", own.get("nodes").toString());
    assertEquals("committed", own.get("outcome").asText());
    assertEquals("single", own.get("commit_class").asText());
    assertEquals(
        "[{\"table\":\"public.t\",\"write\":true,\"key\":{}}]", own.get("tuples").toString());
  }

  @Test
  void tellsBlocksRollbacksAndErrors() throws IOException {
    run("UPDATE t SET a = 1", update(), true);
    trace().commitClass("coordinated");
    trace().ended(true);
    run("UPDATE t SET a = 2", update(), true);
    trace().ended(false);
    run("UPDATE t SET a = 3", update(), false);
    trace().ended(false);
    trace().ended(true); // Nothing was done.
    List<JsonNode> lines = lines();
    assertEquals(
        List.of(
            "statement: BEGIN",
            "statement: UPDATE t SET a = 1",
            "statement: COMMIT",
            "statement: BEGIN",
            "statement: UPDATE t SET a = 2",
            "statement: ROLLBACK",
            "statement: UPDATE t SET a = 3",
            "rolled back"),
        messages(lines));
    assertEquals("coordinated", lines.get(2).get("abelian").get("commit_class").asText());
    assertEquals("ERROR", lines.get(7).get("error_severity").asText());
    for (int i = 0; i < lines.size(); i++) {
      assertEquals(i + 1, lines.get(i).get("line_num").asInt());
    }
    assertEquals(3, count("transactions"));
    assertEquals(8, count("lines"));
  }

  @Test
  void recordsAStatementOnceHoweverOftenItsPortalRuns() throws IOException {
    TracedStatement statement = bound("SELECT a FROM t", update());
    trace().executed(statement, false, null, null);
    trace().executed(statement, false, "SELECT 2", null);
    trace().executed(bound("SELECT b FROM t", update()), false, "BEGIN", null);
    trace().ended(true);
    List<JsonNode> lines = lines();
    assertEquals(2, lines.size());
    assertEquals(2, lines.get(0).get("abelian").get("rows").asInt());
    assertFalse(lines.get(1).get("abelian").has("rows"));
  }

  @Test
  void forgetsWhatRunsAgain() throws IOException {
    run("UPDATE t SET a = 1", update(), false);
    trace().runsAgain();
    run("UPDATE t SET a = 1", update(), false);
    trace().ended(true);
    assertEquals(1, lines().size());
  }

  @Test
  void knowsNoSecrets() throws IOException {
    for (String secret :
        List.of(
            "\"kind\": \"utility\", \"utility\": \"ddl\"",
            "\"kind\": \"utility\", \"utility\": \"set\"",
            "\"kind\": \"utility\", \"utility\": \"other\"",
            "\"kind\": \"utility\", \"utility\": \"do\"",
            "\"kind\": \"utility\", \"utility\": \"explain\", " + TABLE,
            "\"kind\": \"select\", \"sets\": true",
            "\"kind\": \"select\", \"relations\": [{\"id\": 1, \"schema\": \"pg_catalog\","
                + " \"name\": \"pg_authid\", \"catalog\": true}]")) {
      assertNull(bound("ALTER ROLE app PASSWORD 'secret'", facts(secret)), secret);
    }
    trace().ended(true);
    assertEquals(List.of(), lines());
  }

  @Test
  void cutsLongValuesAndSaysSo() throws IOException {
    byte[] long30 = new byte[30 << 20];
    java.util.Arrays.fill(long30, (byte) 'x');
    run(
        "UPDATE t SET a = $1, b = $2",
        update(25, 17),
        false,
        new Value(long30, false),
        binary(long30));
    trace().ended(true);
    JsonNode line = lines().get(0);
    assertEquals("[1,2]", line.get("abelian").get("cut_parameters").toString());
    assertEquals(2, count("cut_values"));
    String detail = line.get("detail").asText();
    assertTrue(detail.length() < 4 * TracedStatement.VALUE_MAX, () -> "" + detail.length());
    assertTrue(detail.contains("xxx...', $2 = '\\x787878"), detail);
  }

  @Test
  void leavesOutWhatIsTooLarge() throws IOException {
    assertNull(bound("SELECT '" + "x".repeat(5 << 20) + "'", update()));
    assertNull(bound("UPDATE t SET a = 1", update()), "the rest of it too");
    trace().ended(true);
    run("UPDATE t SET a = 2", update(), false);
    trace().ended(true);
    for (int i = 0; i < 100_000; i++) {
      TracedStatement one = bound("UPDATE t SET a = 3", update());
      if (one == null) {
        break;
      }
      trace().executed(one, false, null, null);
    }
    trace().ended(true);
    assertEquals(List.of("statement: UPDATE t SET a = 2"), messages(lines()));
    assertEquals(2, count("dropped_transactions"));
    assertTrue(count("dropped_lines") > 10_000);
  }

  @Test
  void isNotHarmedByBrokenValues() throws IOException {
    run(
        "UPDATE t SET a = $1, b = $2, c = $3, d = $4, e = $5, f = $6",
        update(23, 1700, 2950, 1007, 25, 1082),
        false,
        binary((byte) 1),
        binary((byte) 1, (byte) 2),
        binary(),
        binary((byte) 9),
        new Value(new byte[] {(byte) 0xff, 'a', 0, (byte) 0xc3}, false),
        binary((byte) 0, (byte) 0, (byte) 0, (byte) 31));
    trace().ended(true);
    assertEquals(
        "parameters: $1 = '\\x01', $2 = '\\x0102', $3 = '\\x', $4 = '\\x09', $5 ="
            + " '\uFFFDa\0\uFFFD', $6 = '2000-02-01'",
        lines().get(0).get("detail").asText());
  }

  @Test
  void readsBinaryArrays() throws IOException {
    ByteBuffer array = ByteBuffer.allocate(12 + 8 + 4 + 4 + 4);
    array.putInt(1).putInt(1).putInt(23).putInt(2).putInt(1).putInt(4).putInt(77).putInt(-1);
    run("UPDATE t SET a = 1 WHERE b = ANY ($1)", update(1007), false, binary(array.array()));
    trace().ended(true);
    assertEquals("parameters: $1 = '{\"77\",NULL}'", lines().get(0).get("detail").asText());
  }

  @Test
  void hashesParametersLiteralsAndKeys() throws IOException {
    hash = new ValueHash("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    run("UPDATE t SET a = 'secret' WHERE b = $1 AND c = 7", update(23), false, text("7"));
    run(
        "COPY t (a) FROM STDIN WITH (NULL 'secret')",
        facts("\"kind\": \"utility\", \"utility\": \"copy_from\", " + TABLE),
        false);
    run("UPDATE t SET a = 'x\\'secret'", update(), true);
    trace().ended(true);
    assertEquals(List.of(), lines());
    assertEquals(1, count("dropped_transactions"), "its literals are not certain");
    run("UPDATE t SET a = 'secret' WHERE b = $1 AND c = 7", update(23), false, text("7"));
    run(
        "COPY t (a) FROM STDIN WITH (NULL 'secret')",
        facts("\"kind\": \"utility\", \"utility\": \"copy_from\", " + TABLE),
        false);
    trace().ended(true);
    List<JsonNode> lines = lines();
    assertEquals(
        List.of(
            "execute <unnamed>: UPDATE t SET a = $2 WHERE b = $1 AND c = $3",
            "statement: COPY \"public\".\"t\" FROM STDIN"),
        messages(lines));
    assertEquals(
        "parameters: $1 = '949809723721431417', $2 = '"
            + hash.of("secret", 0)
            + "', $3 = '949809723721431417'",
        lines.get(0).get("detail").asText());
    assertTrue(lines.get(0).get("abelian").get("hashed").asBoolean());
  }

  @Test
  void samplesByTheNumberOfTheTransactionAlone() throws IOException {
    sampling = number -> number % 3 == 0;
    for (int i = 1; i <= 9; i++) {
      TracedStatement one = bound("UPDATE t SET a = " + i, update());
      assertEquals(i % 3 == 0, one != null);
      if (one != null) {
        trace().executed(one, false, null, null);
        assertNotNull(bound("UPDATE t SET b = " + i, update()), "the whole of it");
      }
      trace().ended(true);
    }
    assertEquals(3, lines().size());
    LongPredicate tenth = Sampling.of(0.1, 42);
    int taken = 0;
    for (long number = 0; number < 100_000; number++) {
      taken += tenth.test(number) ? 1 : 0;
      assertEquals(tenth.test(number), Sampling.of(0.1, 42).test(number));
    }
    assertEquals(10_000, taken, 300);
    assertTrue(Sampling.of(1, 7).test(5));
  }

  @Test
  void dropsAndCountsWhenNothingCanBeWritten() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    List<Integer> sizes = new ArrayList<>();
    TraceSink slow =
        new TraceSink() {
          @Override
          public long most() {
            return 1 << 20;
          }

          @Override
          public void write(byte[] lines, int length) throws IOException {
            stuck.countDown();
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            sizes.add(length);
            throw new IOException("No space left on device");
          }

          @Override
          public void close() {
            // Nothing is open.
          }
        };
    Tracer tracer = Tracer.open(number -> true, null, slow);
    SessionTrace session = tracer.session(1, "app", "shop");
    BindMessage bind = bind(text("x".repeat(1000)));
    long runs = 0;
    do {
      TracedStatement one = session.bound("UPDATE t", update(25), CATALOG, new int[0], bind);
      if (one != null) {
        session.executed(one, false, null, null);
      }
      session.ended(true);
      runs++;
    } while (tracer.counts().get("dropped_transactions") == 0);
    // The writer hangs in its first write, and this thread has come here all the same.
    stuck.await();
    release.countDown();
    tracer.close();
    assertEquals(runs, tracer.counts().get("dropped_transactions"));
    assertEquals(0, tracer.counts().get("lines"));
    assertFalse(sizes.isEmpty());
  }

  @Property
  void writesAnyTextAsOneLine(@ForAll String sql, @ForAll byte[] bytes) throws IOException {
    written.reset();
    trace = null;
    run(sql, update(25), false, new Value(bytes, false));
    trace().ended(true);
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size());
    String value = new String(bytes, StandardCharsets.UTF_8).replace("'", "''");
    assertEquals("parameters: $1 = '" + value + "'", lines.get(0).get("detail").asText());
  }
}
