package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Texts that differ in their literals, as clients send that write values into them: answers are
 * those of one PostgreSQL, and nodes are not asked about each text.
 */
@WithNode
@WithCluster
class LiteralTextsIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS lit, lit_text, lit_day, lit_ref, lit_pad, lit_serial, lit_wrong,"
          + " lit_uuid";
  private static final int TEXTS = 9;
  private static final Pattern ANALYSES = Pattern.compile("\"analyses\":(\\d+)");

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE lit (id bigint PRIMARY KEY, n int, s text, at date, x numeric)",
          "CREATE TABLE lit_text (k text COLLATE \"C\" PRIMARY KEY, n int)",
          "CREATE TABLE lit_day (k date PRIMARY KEY, n int)",
          "CREATE TABLE lit_pad (k char(5) PRIMARY KEY, n smallint)",
          "CREATE TABLE lit_serial (id serial PRIMARY KEY, n int, s char(8) DEFAULT 'x', UNIQUE"
              + " (id, n))",
          "CREATE TABLE lit_wrong (id serial PRIMARY KEY, n int, s char(8))",
          "CREATE TABLE lit_uuid (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, n int)",
          "CREATE TABLE lit_ref (id int PRIMARY KEY, s text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('lit', 'id')",
          "SELECT create_distributed_table('lit_text', 'k', colocate_with => 'none')",
          "SELECT create_distributed_table('lit_day', 'k', colocate_with => 'none')",
          "SELECT create_distributed_table('lit_pad', 'k', colocate_with => 'none')",
          "SELECT create_distributed_table('lit_serial', 'id')",
          "SELECT create_distributed_table('lit_wrong', 'id')",
          "SELECT create_distributed_table('lit_uuid', 'id', colocate_with => 'none')",
          "SELECT create_reference_table('lit_ref')");

  /** {@code #} is a number that is another one in each text. */
  private static final List<String> SHAPES =
      List.of(
          "INSERT INTO lit VALUES (#, #, 'it''s #', '2024-01-0#', #.5)",
          "INSERT INTO lit (id, n, s) VALUES (-#, -#, '')",
          "INSERT INTO lit (id, n) VALUES ('#0', #), (1#0, 1)",
          "INSERT INTO lit (id, n) VALUES (3000000000 + #, 1)",
          "INSERT INTO lit (id, n) VALUES (300000000#, 1)",
          "INSERT INTO lit (id, n) VALUES (#, 7) ON CONFLICT (id) DO UPDATE SET n = 70#",
          "SELECT n, s, at, x FROM lit WHERE id = #",
          "SELECT n FROM lit WHERE id = '#'",
          "SELECT n FROM lit WHERE id = -#",
          "SELECT n FROM lit WHERE id = #.0",
          "SELECT n FROM lit WHERE id = # AND s = 'it''s #'",
          "SELECT n, 'it''s', $$#$$ FROM lit WHERE id = #",
          "SELECT id FROM lit WHERE id IN (#, 1#0, -#) ORDER BY 1",
          "SELECT n, count(*) FROM lit WHERE id = # GROUP BY 1 ORDER BY 2",
          "SELECT n FROM lit WHERE id = # ORDER BY 1 LIMIT 1 OFFSET 0",
          "SELECT n FROM lit WHERE id = # AND at = date '2024-01-0#'",
          "SELECT n FROM lit WHERE id = # AND at > '2024-01-0#'::date - 1",
          "SELECT n FROM lit WHERE id = # OR id = 1#0 ORDER BY n",
          "SELECT n FROM lit WHERE id = 300000000#",
          "SELECT n FROM lit WHERE id = 30000000000000000000000#",
          "SELECT n FROM lit WHERE id = 'abc#'",
          "SELECT n / (# - #) FROM lit WHERE id = #",
          "SELECT no_such_column FROM lit WHERE id = #",
          "SELECT l.n, r.s FROM lit l JOIN lit_ref r ON r.id = l.n WHERE l.id = #",
          "INSERT INTO lit_ref VALUES (#, 'r#')",
          "SELECT s FROM lit_ref WHERE id = #",
          "UPDATE lit SET n = n + #, s = s || 'x#' WHERE id = #",
          "UPDATE lit SET n = -# WHERE id = '#' RETURNING id, n",
          "UPDATE lit SET n = # WHERE n = # + 1000",
          "INSERT INTO lit_text VALUES ('k#', #), ('K#', 1)",
          "SELECT n FROM lit_text WHERE k = 'k#'",
          "SELECT n FROM lit_text WHERE k = #::text",
          "SELECT n FROM lit_text WHERE k LIKE 'k#%' AND k = 'k#'",
          "INSERT INTO lit_day VALUES ('2024-02-0#', #)",
          "SELECT n FROM lit_day WHERE k = '2024-02-0#'",
          "SELECT n FROM lit_day WHERE k = 'Feb # 2024'",
          "INSERT INTO lit_pad VALUES ('a#', #)",
          "SELECT n, k FROM lit_pad WHERE k = 'a# '",
          "UPDATE lit_pad SET n = 40000# WHERE k = 'a#'",
          "SELECT # AS a, 'b#' AS b, coalesce(NULL, #)",
          "SELECT n FROM lit WHERE id = # FOR UPDATE",
          "SELECT 'lit'::regclass, # FROM lit WHERE id = #",
          "SELECT n FROM lit_text WHERE k = 'k#xyz'::varchar(2)",
          "SELECT s FROM lit_ref WHERE id = # AND tableoid = 'lit_ref'::regclass",
          "DELETE FROM lit WHERE id = -# RETURNING n",
          "INSERT INTO lit VALUES (5#, #, 'it''s #', '2024-01-0#', #.5), (6#, #, NULL, NULL, -#)",
          "SELECT id, n FROM lit WHERE id BETWEEN # AND 6# ORDER BY id",
          "SELECT id, n FROM lit WHERE n > # ORDER BY n DESC, id LIMIT #",
          "SELECT id FROM lit WHERE n >= # ORDER BY 1 DESC",
          "SELECT id % 2, count(*) FROM lit WHERE n <> # GROUP BY 1 ORDER BY 1",
          "SELECT id, n FROM lit WHERE id > # ORDER BY 3",
          "SELECT id, n FROM lit WHERE id > # ORDER BY -1",
          "SELECT id, n FROM lit WHERE id > # ORDER BY 'x'",
          "SELECT DISTINCT ON (1) n, id FROM lit WHERE id > # ORDER BY 1, 2",
          "SELECT sum(n), 'x#', # + 0.5, count(*) FILTER (WHERE n = #) FROM lit WHERE n <> #",
          "SELECT DISTINCT n FROM lit WHERE id > # ORDER BY n",
          "SELECT n, count(*) FROM lit WHERE id > # GROUP BY n HAVING count(*) > # - 1 ORDER BY n",
          "SELECT n + # FROM lit WHERE id > # GROUP BY n + # ORDER BY 1",
          "SELECT s || '#' AS t FROM lit WHERE n = # ORDER BY t",
          "SELECT n FROM lit WHERE at > '2024-01-0#' ORDER BY n, id",
          "SELECT n FROM lit WHERE at > 'no date #'",
          "SELECT n / (# - #) FROM lit WHERE id > 0",
          "SELECT count(*) FROM lit WHERE s LIKE '%#%'",
          "SELECT id FROM lit WHERE s IN ('it''s #', 'b#') ORDER BY id",
          "SELECT id FROM lit WHERE id > # ORDER BY id OFFSET # ROWS FETCH NEXT 2 ROWS ONLY",
          "SELECT row_number() OVER (ORDER BY id), n + # FROM lit WHERE id > # ORDER BY 1",
          "SELECT -2147483648, -#, max(-9223372036854775808) FROM lit WHERE id > #",
          "SELECT pg_typeof('x#'), pg_typeof(#) FROM lit WHERE id > 0",
          "SELECT format('%s-%s', 'a#', #), id FROM lit WHERE n = # ORDER BY id",
          "SELECT CASE WHEN n = # THEN 'one' ELSE 'x#' END FROM lit WHERE id > # ORDER BY id",
          "SELECT id FROM lit WHERE id > # AND s = ANY ('{it''s #,b}') ORDER BY id",
          "SELECT count(*) FROM lit WHERE id > # AND n > (SELECT #)",
          "UPDATE lit SET n = n + # WHERE id BETWEEN # AND 6#",
          "UPDATE lit SET at = '2024-02-3#' WHERE n > #",
          "UPDATE lit SET s = 's#' WHERE n > # AND id = ANY (ARRAY[#, 5#])",
          "DELETE FROM lit WHERE n = # AND s = 's#'",
          "INSERT INTO lit_serial (n, s) VALUES (#, 'a#')",
          "INSERT INTO lit_serial (n) VALUES (#), (1#) RETURNING id, n",
          "INSERT INTO lit_wrong (n, s) VALUES (#, 'far too long #')",
          "INSERT INTO lit_wrong (n) VALUES ('x#')",
          "INSERT INTO lit_serial VALUES (default, #)",
          "INSERT INTO lit_serial (id, n) VALUES (nextval('lit_serial_id_seq'), #) RETURNING *",
          "INSERT INTO lit_serial (n) VALUES (#) ON CONFLICT (id, n) DO NOTHING",
          "INSERT INTO lit_serial (n) SELECT # RETURNING id",
          "SELECT currval('lit_serial_id_seq'), #",
          "SELECT id, n, s FROM lit_serial WHERE n >= # ORDER BY id",
          "INSERT INTO lit_uuid (n) VALUES (#)",
          "INSERT INTO lit_uuid (n) VALUES (#), (#) RETURNING n",
          "SELECT n FROM lit_uuid WHERE n >= # ORDER BY n",
          "DELETE FROM lit WHERE id = #");

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  LiteralTextsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  private void create(String options) throws SQLException {
    twins = new Twins(single, router, options);
    twins.create(DROP, TABLES, PLACEMENTS);
  }

  @AfterEach
  void drop() throws SQLException {
    for (Connection connection : twins.both()) {
      Twins.run(connection, "ROLLBACK");
    }
    twins.same(DROP);
    twins.close();
  }

  private static String text(String shape, int number) {
    return shape.replace("#", Integer.toString(number));
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "", "prepareThreshold=-1"})
  void answersAreThoseOfOnePostgres(String options) throws Exception {
    create(options);
    for (String shape : SHAPES) {
      for (int i = 1; i <= TEXTS; i++) {
        twins.same(text(shape, i));
      }
    }
    twins.sameUnordered("SELECT * FROM lit");
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", ""})
  void alsoInTransactions(String options) throws Exception {
    create(options);
    for (int i = 1; i <= TEXTS; i++) {
      twins.same("BEGIN");
      for (String shape : SHAPES) {
        twins.same("SAVEPOINT s" + i);
        twins.same(text(shape, i));
        twins.same("ROLLBACK TO s" + i);
        if (!shape.startsWith("SELECT")) {
          twins.same(text(shape, i));
        }
        twins.same("ROLLBACK TO s" + i);
      }
      twins.same(i % 2 == 0 ? "COMMIT" : "ROLLBACK");
    }
  }

  /** What a text means may change; what is known about its like must not outlive that. */
  @Test
  void anotherTableOfTheNameIsNoticed() throws Exception {
    create("preferQueryMode=simple");
    for (int i = 1; i <= TEXTS; i++) {
      twins.same("INSERT INTO lit (id, n) VALUES (" + i + ", 1)");
      twins.same("SELECT n FROM lit WHERE id = " + i);
    }
    twins.same("CREATE TEMPORARY TABLE lit (id bigint, n int)");
    twins.same("SELECT n FROM lit WHERE id = 20");
    twins.same("INSERT INTO lit VALUES (1, 5)");
    twins.same("SELECT n FROM lit WHERE id = 1");
    twins.same("DROP TABLE pg_temp.lit");
    twins.same("SELECT n FROM lit WHERE id = 3");
    twins.same("ALTER TABLE lit RENAME n TO m");
    twins.same("SELECT n FROM lit WHERE id = 4");
    twins.same("ALTER TABLE lit RENAME m TO n");
    twins.same("SELECT n FROM lit WHERE id = 5");
    Twins.run(twins.routed(), "SELECT undistribute_table('lit')");
    Twins.run(twins.routed(), "SELECT create_reference_table('lit')");
    twins.same("SELECT n FROM lit WHERE id = 6");
  }

  @Test
  void nodesAreNotAskedAboutEachText() throws Exception {
    create("preferQueryMode=simple");
    List<String> shapes =
        List.of(
            "INSERT INTO lit (id, n, s) VALUES (#, #, 'a#')",
            "SELECT s FROM lit WHERE id = #",
            "UPDATE lit SET n = n + # WHERE id = #",
            "SELECT s FROM lit_ref WHERE id = #",
            "DELETE FROM lit WHERE id = #",
            "INSERT INTO lit_serial (n, s) VALUES (#, 'a#')",
            "INSERT INTO lit_uuid (n) VALUES (#)",
            "INSERT INTO lit (id, n) VALUES (1000 + #, 1), (2000#, 2), (3000#, 3)",
            "SELECT count(*) FROM lit WHERE n = #",
            "SELECT n, s FROM lit WHERE id BETWEEN # AND 6# ORDER BY 1",
            "UPDATE lit SET s = 'x#' WHERE n = #");
    shapes.forEach(shape -> run(shape, 1, 6));
    long before = analyses();
    shapes.forEach(shape -> run(shape, 7, 106));
    assertEquals(before, analyses());
    run("SELECT r.s FROM lit l JOIN lit_ref r ON r.id = l.n WHERE l.n > #", 1, 10);
    assertTrue(analyses() >= before + 10, "joins over several nodes are planned by their literals");
  }

  private void run(String shape, int from, int to) {
    for (int i = from; i <= to; i++) {
      Twins.answer(twins.routed(), text(shape, i));
    }
  }

  private long analyses() throws SQLException {
    String told = Twins.run(twins.routed(), "SHOW abelian.router_statistics").get(0);
    Matcher count = ANALYSES.matcher(told);
    assertTrue(count.find(), told);
    return Long.parseLong(count.group(1));
  }
}
