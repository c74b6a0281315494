package org.abelian.cluster;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a literal means depends on settings: each session, and each statement, reads it by those
 * that hold for it, whatever others have run in the same words, compared with one PostgreSQL.
 */
@WithNode
@WithCluster
class LiteralSettingsIT {
  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE day (day date PRIMARY KEY, number int)",
          "CREATE TABLE moment (id int PRIMARY KEY, at timestamptz)");
  private static final List<String> PLACEMENT =
      List.of(
          "SELECT create_distributed_table('day', 'day')",
          "SELECT create_distributed_table('moment', 'id')");
  private static final List<String> ROWS =
      List.of(
          "INSERT INTO day SELECT date '2026-01-01' + i, i FROM generate_series(0, 364) i",
          "INSERT INTO moment SELECT i, timestamptz '2026-01-01 05:00Z' FROM generate_series(1, 9)"
              + " i");
  private static boolean created;

  private final LocalNode single;
  private final RouterServer router;

  LiteralSettingsIT(LocalNode single, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    if (created) {
      return;
    }
    try (Connection bare = single.connect();
        Connection routed = router.connect()) {
      run(bare, TABLES);
      run(routed, TABLES);
      run(routed, PLACEMENT);
      run(bare, ROWS);
      run(routed, ROWS);
    }
    created = true;
  }

  private static void run(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Test
  void whatAFunctionSetsForATransactionIsNotHowOthersReadTheSameText() throws IOException {
    try (WireClient alone = wire(single.port());
        WireClient one = wire(router.port());
        WireClient other = wire(router.port())) {
      for (String set :
          List.of(
              "SELECT set_config('DateStyle', 'ISO, DMY', true)",
              "SET LOCAL DateStyle = 'ISO, DMY'")) {
        // New texts for each way.
        String suffix = " AND number IS NOT NULL -- " + set.length();
        for (int month = 7; month <= 12; month++) {
          String sql =
              "SELECT number FROM day WHERE day = '%02d/%02d/2026'".formatted(month - 6, month)
                  + suffix;
          List<String> dayFirst = new ArrayList<>();
          for (WireClient client : List.of(alone, one)) {
            ask(client, "BEGIN");
            ask(client, set);
            dayFirst.add(ask(client, sql).toString());
            ask(client, "COMMIT");
          }
          assertEquals(dayFirst.get(0), dayFirst.get(1), sql);
          assertEquals(ask(alone, sql), ask(other, sql), sql);
          assertEquals(ask(alone, sql), ask(one, sql), sql);
        }
      }
    }
  }

  @Test
  void aStatementIsReadAnewWhenTheSessionHasSetSomethingElse() throws IOException {
    try (WireClient alone = wire(single.port());
        WireClient through = wire(router.port())) {
      String sql = "SELECT id FROM moment WHERE id = 5 AND at > timestamptz '2026-01-01 04:00'";
      for (String set :
          List.of(
              "SET TIME ZONE 'UTC'",
              "SET TIME ZONE 'America/New_York'",
              "SET TIME ZONE 'UTC'",
              "SELECT set_config('TimeZone', 'America/New_York', false)",
              "BEGIN",
              "SET LOCAL TimeZone = 'UTC'",
              "COMMIT")) {
        ask(alone, set);
        ask(through, set);
        for (int i = 0; i < 4; i++) {
          assertEquals(extended(alone, sql), extended(through, sql), set + ", time " + i);
        }
      }
    }
  }

  @Test
  void aConnectionThatAnotherSessionUsedDoesNotKeepItsLiterals() throws IOException {
    String sql = "SELECT id FROM moment WHERE id = 6 AND at > timestamptz '2026-01-01 04:00'";
    for (int round = 0; round < 3; round++) {
      for (String zone : List.of("UTC", "America/New_York")) {
        try (WireClient alone = wire(single.port());
            WireClient through = wire(router.port())) {
          ask(alone, "SET TIME ZONE '" + zone + "'");
          ask(through, "SET TIME ZONE '" + zone + "'");
          for (int i = 0; i < 5; i++) {
            assertEquals(extended(alone, sql), extended(through, sql), zone);
          }
        }
      }
    }
  }

  /** A prepared statement has the values that its literals had when it was prepared. */
  @Test
  void aPreparedStatementKeepsItsLiteralsWhateverIsSetLater() throws IOException {
    List<String> texts =
        List.of(
            "SELECT timestamptz '2026-01-01 18:05:10.123', interval '-1 2:03', date '02/03/2026'",
            "SELECT id FROM moment WHERE id < 7 AND at > timestamptz '2026-01-01 04:00'",
            "SELECT number FROM day WHERE day = '02/03/2026'",
            "SELECT number FROM day WHERE day = ANY ('{02/03/2026,03/05/2026}')",
            "SELECT count(*) FROM day WHERE day < '04/05/2026' GROUP BY day > '02/03/2026'",
            "UPDATE moment SET at = '2026-02-03 00:00' WHERE id = 9 RETURNING at",
            "WITH u AS (UPDATE day SET number = number WHERE day = '02/03/2026' RETURNING number)"
                + " SELECT number FROM u",
            "SELECT tstzrange('2026-01-01 00:00', '2026-01-02 00:00'), '1 2:00'::interval",
            "SELECT '{[01/02/2026,01/03/2026)}'::datemultirange, E'it''s\\\\', $$03/04/2026$$::date"
                + " -- what?",
            "SELECT 'a\\\\n', id FROM moment WHERE id = 1 AND '\\\\' || 'x' = E'\\\\\\\\x'",
            "INSERT INTO moment SELECT id + 100, '01/02/2026 00:00' FROM moment WHERE id < 3"
                + " ON CONFLICT (id) DO UPDATE SET at = '02/03/2026 00:00' RETURNING at");
    List<String> sets =
        List.of(
            "SET TimeZone = 'EST'",
            "SET DateStyle = 'ISO, DMY'",
            "SET IntervalStyle = 'sql_standard'",
            "SET standard_conforming_strings = off",
            "SET standard_conforming_strings = on",
            "BEGIN",
            "SELECT set_config('TimeZone', 'Asia/Tokyo', true)",
            "SET LOCAL DateStyle = 'German'",
            "COMMIT",
            "RESET TimeZone");
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(single.port(), router.port())) {
      List<String> answers = new ArrayList<>();
      try (WireClient client = wire(port)) {
        ask(client, "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'");
        for (int i = 0; i < texts.size(); i++) {
          answers.addAll(ask(client, "PREPARE p%d AS %s".formatted(i, texts.get(i))));
          client.parse("q" + i, texts.get(i)).sync().untilReady();
        }
        for (String set : sets) {
          answers.addAll(ask(client, set));
          answers.addAll(ask(client, "SELECT id, at AT TIME ZONE 'UTC' FROM moment"));
          for (int i = 0; i < texts.size(); i++) {
            answers.add(set + ": " + texts.get(i));
            answers.addAll(ask(client, "EXECUTE p" + i));
            client.describe('S', "q" + i).bind("", "q" + i, 0).execute("", 0);
            answers.addAll(ParityFixture.answers(client.sync().untilReady()));
          }
        }
      }
      both.add(answers);
    }
    for (int i = 0; i < both.get(0).size(); i++) {
      assertEquals(both.get(0).get(i), both.get(1).get(i), both.get(0).subList(0, i).toString());
    }
  }

  @Test
  void anEncodingThatTheRouterCannotReadIsRefusedHoweverItIsSet() throws IOException {
    try (WireClient client = wire(router.port())) {
      for (String set :
          List.of(
              "SELECT set_config('client_encoding', 'LATIN1', false)",
              "SET client_encoding = 'LATIN1'")) {
        assertTrue(ask(client, set).toString().contains("0A000"), set);
        assertEquals("[UTF8]", ask(client, "SHOW client_encoding").get(0), set);
        assertEquals("[é]", ask(client, "SELECT 'é' FROM moment WHERE id = 1").get(0), set);
      }
      ask(client, "BEGIN");
      String local = "SELECT set_config('client_encoding', 'LATIN1', true)";
      assertTrue(ask(client, local).toString().contains("0A000"));
      ask(client, "ROLLBACK");
      assertEquals("[UTF8]", ask(client, "SHOW client_encoding").get(0));
    }
  }

  /** Names in it stand for what they would have stood for anyway. */
  @Test
  void aPreparedStatementWithLiteralsNamesWhatItNamed() throws IOException {
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(single.port(), router.port())) {
      List<String> answers = new ArrayList<>();
      try (WireClient client = wire(port)) {
        for (String sql :
            List.of(
                "CREATE SCHEMA other_names",
                "CREATE TABLE other_names.moment (id int PRIMARY KEY, at timestamptz)",
                "SET TimeZone = 'UTC'",
                "PREPARE named AS UPDATE public.moment SET at = '2026-01-01 05:00+00' WHERE id = 4",
                "PREPARE bare AS SELECT id FROM moment WHERE id < 4 AND at > '2026-01-01 04:00'",
                "PREPARE whole AS SELECT *, timestamp '2026-01-01' FROM moment WHERE id = 5",
                "SET TimeZone = 'Asia/Tokyo'",
                "SET search_path = other_names",
                "EXECUTE named",
                "EXECUTE bare",
                "EXECUTE whole",
                "SET search_path = public",
                "EXECUTE named",
                "EXECUTE bare",
                "EXECUTE whole",
                "ALTER TABLE moment ADD note text",
                "EXECUTE whole",
                "ALTER TABLE moment DROP note",
                "DROP SCHEMA other_names CASCADE")) {
          answers.add(sql);
          answers.addAll(ask(client, sql));
        }
      }
      both.add(answers);
    }
    assertEquals(both.get(0), both.get(1));
  }

  @Test
  void textsThatAreNoUtf8AreRefused() throws IOException {
    byte[] text = "SELECT id FROM moment WHERE id::text = '\u00c3('".getBytes(ISO_8859_1);
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(single.port(), router.port())) {
      try (WireClient client = wire(port)) {
        List<String> answers = new ArrayList<>();
        client.raw(message('Q', 0, text, 1)).flush();
        answers.addAll(ParityFixture.answers(client.untilReady()));
        client.raw(message('P', 1, text, 3));
        answers.addAll(ParityFixture.answers(client.sync().untilReady()));
        answers.addAll(ask(client, "SELECT count(*) FROM moment"));
        both.add(answers);
      }
    }
    assertEquals(both.get(0), both.get(1));
    assertTrue(both.get(1).contains("E 22021"), both::toString);
  }

  /** With so many zero bytes before and behind the text. */
  private static byte[] message(char type, int before, byte[] text, int behind) {
    int length = 4 + before + text.length + behind;
    return ByteBuffer.allocate(1 + length)
        .put((byte) type)
        .putInt(length)
        .put(new byte[before])
        .put(text)
        .array();
  }

  private static WireClient wire(int port) throws IOException {
    return ParityFixture.wire(port);
  }

  private static List<String> ask(WireClient client, String sql) throws IOException {
    return ParityFixture.ask(client, sql);
  }

  private static List<String> extended(WireClient client, String sql) throws IOException {
    return ParityFixture.answers(
        client.parse("", sql).bind("", "", 0).execute("", 0).sync().untilReady());
  }
}
