package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows travel between nodes as texts, and say all of their values whatever form the session wants
 * to see: abbreviations of time zones that mean others, too, and numbers without their last digits.
 */
@WithNode
@WithCluster
class ExactTextsIT {
  private static final String DROP = "DROP TABLE IF EXISTS m, other, copied, rate, made CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE m (id int PRIMARY KEY, k int, f float8, r real, t timestamptz, i interval,"
              + " a timestamptz[], g tstzrange, p point, n numeric)",
          "CREATE TABLE other (id int PRIMARY KEY, k int)",
          "CREATE TABLE copied (id int PRIMARY KEY, f float8, t timestamptz)",
          "CREATE TABLE rate (id int PRIMARY KEY, f float8 DEFAULT sqrt(2) + 0 * extract(epoch FROM"
              + " now()), t timestamptz DEFAULT date_trunc('year', now()))");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('m', 'id')",
          "SELECT create_distributed_table('other', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('copied', 'id', colocate_with => 'none')",
          "SELECT create_reference_table('rate')");

  private final LocalNode single;
  private final RouterServer router;

  /** Drivers like JDBC's allow no other DateStyle: these are no drivers. */
  private Dialogue alone;

  private Dialogue through;

  ExactTextsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws Exception {
    try (Twins twins = new Twins(single, router, "")) {
      twins.create(DROP, TABLES, PLACEMENTS);
    }
    alone = new Dialogue(single.port());
    through = new Dialogue(router.port());
    same(
        "INSERT INTO m VALUES (1, 1, 0.1::float8 + 0.2, 1.23456789, '2024-01-01"
            + " 10:00:00.123456+02', '1 year -2 days 03:04:05.6', '{2024-06-01 10:00+02}',"
            + " '[2024-01-01 10:00+02, infinity)', point(0.1::float8 + 0.2, 1), 0.1), (2, 2, 1e15 +"
            + " 0.3, 16777217, '1850-01-01', '-1 mon', '{}', 'empty', point(1, 2), 1e20), (3, 1,"
            + " -1e-300, 'NaN', '-infinity', NULL, NULL, NULL, NULL, 'NaN')");
    same("INSERT INTO other SELECT i, i FROM generate_series(1, 9) i");
  }

  @AfterEach
  void drop() throws Exception {
    alone.close();
    through.close();
    try (Twins twins = new Twins(single, router, "")) {
      twins.same(DROP);
    }
  }

  private static Dialogue.Answer ask(Dialogue session, String sql) throws IOException {
    return session.run(new StatementCase.Step(sql, false, null, List.of()));
  }

  private void same(String sql) throws IOException {
    Dialogue.Answer expected = ask(alone, sql);
    Dialogue.Answer actual = ask(through, sql);
    assertTrue(actual.agreesWith(expected), () -> sql + "\n" + expected + "\n" + actual);
  }

  private void set(String settings) throws IOException {
    for (String one : settings.split(";")) {
      same("SET " + one.strip());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DateStyle = 'ISO, DMY'",
        "DateStyle = 'SQL, DMY'; TimeZone = 'Asia/Kolkata'",
        "DateStyle = 'German'; TimeZone = 'Australia/Sydney'; IntervalStyle = 'sql_standard'",
        "DateStyle = 'Postgres, MDY'; TimeZone = 'America/New_York'; extra_float_digits = -5",
        "extra_float_digits = 0; IntervalStyle = 'postgres_verbose'"
      })
  void rowsOfOtherNodesAreWhatTheyWere(String settings) throws IOException {
    set(settings);
    for (String broadcast : List.of("-1", "0")) {
      ask(through, "SET abelian.min_broadcast_size = " + broadcast);
      for (String join : List.of("JOIN", "FULL JOIN")) {
        String from = " FROM m " + join + " other o ON o.k = m.k ";
        same("SELECT m.*" + from + "ORDER BY m.id, o.id");
        same(
            "SELECT f = 0.1::float8 + 0.2, f = 1e15 + 0.3, r = 16777217::real, t = '2024-01-01"
                + " 08:00:00.123456+00', a[1] = '2024-06-01 08:00+00', lower(g), p[0] = 0.1::float8"
                + " + 0.2, i = '1 year -2 days 03:04:05.6', t::text, f::text"
                + from
                + "ORDER BY m.id, o.id");
        same(
            "SELECT o.k, max(t), min(f), sum(f) = 0.1::float8 + 0.2"
                + from
                + "GROUP BY o.k"
                + " ORDER BY o.k, 2");
      }
    }
    same("SELECT max(t), min(t), max(f) = 1e15 + 0.3, max(i), array_agg(t ORDER BY t) FROM m");
    same("SELECT DISTINCT t, f, tstzrange(t, t + '1 day') FROM m ORDER BY 1");
    same("CREATE TABLE made AS SELECT m.* FROM m JOIN other o ON o.k = m.k");
    same("SELECT * FROM made ORDER BY id");
    same("INSERT INTO copied SELECT m.id + 10, m.f, m.t FROM m JOIN other o ON o.k = m.k");
    same("INSERT INTO rate (id) VALUES (1), (2)");
    same(
        "INSERT INTO rate VALUES (3, sqrt(3) + 0 * extract(epoch FROM now()), date_trunc('day',"
            + " now()) + interval '1.25s')");
    same("UPDATE rate SET f = (SELECT max(f) FROM m), t = (SELECT max(t) FROM m) WHERE id = 2");
    same(
        "MERGE INTO copied c USING (SELECT id, f, t FROM m) s ON c.id = s.id + 100 WHEN NOT MATCHED"
            + " THEN INSERT VALUES (s.id + 100, s.f, s.t)");
    StatementCase.Step copy =
        new StatementCase.Step("COPY rate (id) FROM STDIN", false, null, List.of("7", "8"));
    assertEquals(alone.run(copy).tags(), through.run(copy).tags());
    same("RESET DateStyle");
    same("RESET extra_float_digits");
    same("SELECT * FROM copied ORDER BY id");
    same("SELECT id, f, t FROM rate ORDER BY id");
    same("SELECT * FROM made ORDER BY id");
  }

  /** What a change returns comes in the form that the client wants. */
  @ParameterizedTest
  @ValueSource(strings = {"DateStyle = 'German'", "extra_float_digits = 0"})
  void whatWouldLoseSomethingIsRefused(String settings) throws IOException {
    String passed =
        "WITH u AS (UPDATE m SET k = k RETURNING id, %s) INSERT INTO copied (id, %s) SELECT * FROM"
            + " u";
    set(settings);
    for (String sql : List.of("UPDATE m SET id = id + 100", passed.formatted("f, t", "f, t"))) {
      assertEquals("0A000", ask(through, sql).sqlState(), sql);
    }
    same("WITH u AS (UPDATE m SET k = k RETURNING id) INSERT INTO copied (id) SELECT * FROM u");
    same("UPDATE other SET id = id + 100");
    same("SELECT * FROM other ORDER BY id");
    same("SELECT * FROM copied ORDER BY id");
    same("SELECT id, k, f, t FROM m ORDER BY id");
  }
}
