package org.abelian.cluster.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Messages as clients send them: queries, prepared statements, COPY, and their ends. */
final class WellFormed {
  /**
   * Of a table {@code fuzzed (id int PRIMARY KEY, n bigint, t text, hits abelian.counter)},
   * distributed by id.
   */
  private static final List<String> STATEMENTS =
      List.of(
          "SELECT id, n, t FROM fuzzed WHERE id = $1",
          "SELECT count(*), sum(n) FROM fuzzed",
          "SELECT * FROM fuzzed ORDER BY id LIMIT 3",
          "UPDATE fuzzed SET n = n + 1 WHERE id = $1",
          "INSERT INTO fuzzed VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
          "DELETE FROM fuzzed WHERE id = $1 AND n < 0",
          "BEGIN",
          "COMMIT",
          "ROLLBACK",
          "SAVEPOINT s",
          "ROLLBACK TO s",
          "SET work_mem = '4MB'",
          "SHOW work_mem",
          "EXPLAIN SELECT * FROM fuzzed WHERE id = 1",
          "COPY fuzzed TO STDOUT",
          "COPY fuzzed FROM STDIN",
          "DECLARE c CURSOR FOR SELECT * FROM fuzzed WHERE id = 1",
          "FETCH 2 FROM c",
          "VALUES (1), (2); SELECT 3",
          "UPDATE fuzzed SET n = n + 1",
          "UPDATE fuzzed SET hits = hits + 1 WHERE id = $1",
          "UPDATE fuzzed SET hits = hits + 1 WHERE id = 1; UPDATE fuzzed SET hits = hits + 1",
          "INSERT INTO fuzzed (id, n) SELECT 9, 1 ON CONFLICT DO NOTHING",
          "SELECT t, count(*) FROM fuzzed GROUP BY t",
          "SELECT 1 / $1::int",
          "SELECT set_config('abelian.distributed_isolation', 'per_node', true)",
          "SET LOCAL search_path = pg_catalog, public",
          "SET nothing.known = 'a value'",
          "RESET ALL",
          "DISCARD ALL",
          "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY",
          "COMMIT AND CHAIN",
          "RELEASE s",
          "PREPARE p AS SELECT 1",
          "EXECUTE p",
          "DEALLOCATE ALL",
          "LISTEN fuzz",
          "NOTIFY fuzz",
          "DECLARE h CURSOR WITH HOLD FOR SELECT 1",
          "CLOSE ALL",
          "EXPLAIN (ANALYZE, TIMING OFF) UPDATE fuzzed SET n = 0 WHERE id = $1",
          "DO $$ BEGIN RAISE NOTICE 'from the node'; END $$",
          "CREATE TEMP TABLE mine AS SELECT 1",
          "DROP TABLE IF EXISTS mine",
          "SELECT * FROM fuzzed FOR UPDATE",
          "COPY fuzzed (id, n) FROM STDIN (FORMAT csv, HEADER)",
          "COPY (SELECT * FROM fuzzed) TO STDOUT (FORMAT binary)",
          "COPY fuzzed FROM STDIN (FORMAT binary)",
          "PREPARE TRANSACTION 'fuzz'",
          "SELECT abelian.analyze('SELECT 1', NULL)",
          "");

  private static final List<String> NAMES = List.of("", "a", "b", "a name");
  private static final List<String> VALUES =
      List.of("1", "2", "17", "-1", "2147483647", "x", "", "1e3");

  private WellFormed() {}

  /** One message with its type and length. */
  static byte[] message(SplittableRandom random) {
    return switch (random.nextInt(12)) {
      case 0, 1 -> framed('Q', text(STATEMENTS.get(random.nextInt(STATEMENTS.size()))));
      case 2, 3 -> framed('P', parse(random));
      case 4, 5 -> framed('B', bind(random));
      case 6 ->
          framed('D', joined(new byte[] {(byte) (random.nextBoolean() ? 'S' : 'P')}, name(random)));
      case 7 -> framed('E', joined(name(random), int4(random.nextInt(3))));
      case 8 ->
          framed('C', joined(new byte[] {(byte) (random.nextBoolean() ? 'S' : 'P')}, name(random)));
      case 9 -> framed('S', new byte[0]);
      case 10 -> framed('H', new byte[0]);
      default -> copy(random);
    };
  }

  private static byte[] parse(SplittableRandom random) {
    String sql = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
    return joined(name(random), text(sql), int2(1), int4(random.nextBoolean() ? 23 : 0));
  }

  private static byte[] bind(SplittableRandom random) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(joined(name(random), name(random), int2(1), int2(random.nextInt(2))));
    int count = random.nextInt(4);
    body.writeBytes(int2(count));
    for (int i = 0; i < count; i++) {
      byte[] value = VALUES.get(random.nextInt(VALUES.size())).getBytes(StandardCharsets.UTF_8);
      body.writeBytes(random.nextInt(8) == 0 ? int4(-1) : joined(int4(value.length), value));
    }
    body.writeBytes(joined(int2(1), int2(random.nextInt(2))));
    return body.toByteArray();
  }

  private static byte[] copy(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> framed('c', new byte[0]);
      case 1 -> framed('f', text("enough"));
      case 2 -> framed('F', joined(int4(2200), int2(0), int2(0), int2(0)));
      default -> framed('d', "5\t6\tseven\n".getBytes(StandardCharsets.UTF_8));
    };
  }

  /** The first message of SCRAM, for a nonce of the client's. */
  static byte[] firstProof(SplittableRandom random) {
    String mechanism = random.nextInt(8) == 0 ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256";
    String flag = List.of("n,,", "n,,", "y,,", "p=tls-server-end-point,,").get(random.nextInt(4));
    byte[] first = (flag + "n=,r=a nonce").getBytes(StandardCharsets.UTF_8);
    return framed('p', joined(text(mechanism), int4(first.length), first));
  }

  /** The last one, which proves nothing. */
  static byte[] lastProof(SplittableRandom random) {
    String proof = List.of("AAAA", "", "not base 64").get(random.nextInt(3));
    String last = "c=biws,r=a nonce,p=" + proof;
    return framed('p', last.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] name(SplittableRandom random) {
    return text(NAMES.get(random.nextInt(NAMES.size())));
  }

  static byte[] framed(char type, byte[] body) {
    return joined(new byte[] {(byte) type}, int4(body.length + 4), body);
  }

  static byte[] text(String text) {
    return joined(text.getBytes(StandardCharsets.UTF_8), new byte[1]);
  }

  static byte[] int2(int value) {
    return ByteBuffer.allocate(2).putShort((short) value).array();
  }

  static byte[] int4(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
