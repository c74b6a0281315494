package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Whatever a SELECT joins, nests or compares, over tables of every placement: the answer is that of
 * one PostgreSQL; and whatever an UPDATE or DELETE reads, so is what it changes. So many statements
 * as {@code -Dabelian.soak.statements} says.
 */
@WithNode
@WithCluster
class RandomQueriesIT {
  private static final int STATEMENTS = Integer.getInteger("abelian.soak.statements", 400);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  /** A statement that takes longer says nothing about answers. */
  private static final String BOUNDED = "SET statement_timeout = '20s'";

  private static final String DROP = "DROP TABLE IF EXISTS shop, sale, visit, item, local CASCADE";

  private static final String DROP_FUNCTIONS =
      "DROP FUNCTION IF EXISTS sold, busy, least_w, twice_sold, called_of, guests, longest,"
          + " callers";

  private static final List<String> FUNCTIONS =
      List.of(
          "CREATE FUNCTION sold(x int) RETURNS int STABLE LANGUAGE sql AS"
              + " 'SELECT sum(amount)::int FROM sale WHERE sale.shop = x'",
          "CREATE FUNCTION busy(x int) RETURNS int STABLE STRICT LANGUAGE sql AS"
              + " 'SELECT count(*)::int FROM visit WHERE stay > x'",
          "CREATE FUNCTION least_w(x int) RETURNS int STABLE LANGUAGE plpgsql AS 'DECLARE y int;"
              + " BEGIN SELECT min(w) INTO y FROM local WHERE k = x; RETURN y; END'",
          "CREATE FUNCTION twice_sold(x int) RETURNS int STABLE LANGUAGE sql AS"
              + " 'SELECT 2 * sold(x) + (SELECT min(price) FROM item WHERE id > x)'",
          "CREATE FUNCTION called_of(x int) RETURNS text STABLE LANGUAGE sql AS"
              + " 'SELECT name FROM shop WHERE city = x ORDER BY id DESC'",
          "CREATE FUNCTION guests(x int) RETURNS TABLE (a int, b text) STABLE LANGUAGE sql AS"
              + " 'SELECT n, guest FROM visit WHERE visit.shop = x OR stay = x'",
          "CREATE FUNCTION longest(x int) RETURNS int STABLE LANGUAGE plpgsql AS 'DECLARE y int; z"
              + " int; BEGIN SELECT max(stay), count(*) INTO y, z FROM visit WHERE visit.shop = x;"
              + " IF y IS NULL THEN y := x; ELSIF z > 2 THEN RETURN y - z; END IF; RETURN y +"
              + " (SELECT count(*) FROM local WHERE k > z); END'",
          "CREATE FUNCTION callers(x int) RETURNS TABLE (a int, b text) STABLE LANGUAGE plpgsql AS"
              + " 'BEGIN IF x > 4 THEN RETURN QUERY SELECT id, name FROM shop WHERE city = x - 4;"
              + " ELSE RETURN QUERY SELECT amount, note FROM sale WHERE sale.item = x; END IF;"
              + " RETURN QUERY SELECT x, min(label) FROM item WHERE price > x; END'");

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE shop (id int PRIMARY KEY, gone int, city int, name text, size int)",
          "ALTER TABLE shop DROP COLUMN gone",
          "CREATE TABLE sale (id int PRIMARY KEY, shop int, item int, amount int, note text)",
          "CREATE TABLE visit (shop int, n int, guest text, stay int, PRIMARY KEY (shop, n))",
          "CREATE TABLE item (id int PRIMARY KEY, label text, price int)",
          "CREATE TABLE local (k int, w int, tag text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('shop', 'id')",
          "SELECT create_distributed_table('sale', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('visit', 'shop', colocate_with => 'shop')",
          "SELECT create_reference_table('item')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO shop SELECT i, nullif(i % 4, 0), chr(97 + i % 5) || i, nullif(i % 7, 3)"
              + " FROM generate_series(1, 14) i",
          "INSERT INTO sale SELECT i, nullif(i * i % 15, 1), i % 6, i % 11, CASE WHEN i % 5 > 0"
              + " THEN chr(97 + i % 4) || i % 3 END FROM generate_series(1, 40) i",
          "INSERT INTO visit SELECT i % 9, i, nullif('c' || i % 3, 'c2'), i % 10 FROM"
              + " generate_series(1, 25) i",
          "INSERT INTO item SELECT i, 'b' || i, i * 2 FROM generate_series(0, 5) i",
          "INSERT INTO local VALUES (1, 5, 'a'), (2, NULL, 'c1'), (NULL, 3, NULL), (7, 7, 'bab')");

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  RandomQueriesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    twins = new Twins(single, router, "");
    twins.create(DROP, TABLES, PLACEMENTS);
    twins.same(DROP_FUNCTIONS);
    FUNCTIONS.forEach(twins::same);
    ROWS.forEach(twins::same);
    twins.same(BOUNDED);
  }

  @AfterEach
  void drop() throws SQLException {
    twins.same(DROP_FUNCTIONS);
    twins.same(DROP);
    twins.close();
  }

  @Test
  void everyQueryAnswersAsOnOnePostgreSql() {
    everyAnswerIsRight(new QueryGenerator(SEED), STATEMENTS / 2);
  }

  @Test
  void everyQueryAnswersAsOnOnePostgreSqlWhereItIsJoinedByBroadcast() throws SQLException {
    Twins.run(twins.routed(), "SET abelian.min_broadcast_size = 0");
    everyAnswerIsRight(new QueryGenerator(SEED + 1), STATEMENTS / 2);
  }

  private void everyAnswerIsRight(QueryGenerator generator, int statements) {
    int answered = 0;
    for (int i = 0; i < statements; i++) {
      String sql = generator.next();
      List<String> expected = sorted(twins.both().get(0), sql);
      assertEquals(
          expected,
          sorted(twins.both().get(1), sql),
          "statement " + i + " of seed " + SEED + ": " + sql);
      answered += expected.size() == 1 && expected.get(0).length() == 5 ? 0 : 1;
    }
    assertTrue(answered > statements * 9 / 10, "errors prove little, seed " + SEED);
  }

  @Test
  void everyChangeIsThatOfOnePostgreSql() {
    QueryGenerator generator = new QueryGenerator(SEED);
    int answered = 0;
    for (int i = 0; i < STATEMENTS / 4; i++) {
      boolean inBlock = i % 4 > 0;
      StringBuilder sent = new StringBuilder("changes " + i + " of seed " + SEED);
      if (inBlock) {
        twins.same("BEGIN");
      }
      for (int change = inBlock ? i % 3 : 0; change >= 0; change--) {
        String sql = generator.nextChange();
        sent.append("\n  ").append(sql).append(';');
        List<String> expected = sorted(twins.both().get(0), sql);
        assertEquals(expected, sorted(twins.both().get(1), sql), sent.toString());
        answered += expected.size() == 1 && expected.get(0).length() == 5 ? 0 : 1;
      }
      for (String table : List.of("shop", "sale", "visit", "item", "local")) {
        String all = "SELECT * FROM " + table;
        assertEquals(
            sorted(twins.both().get(0), all), sorted(twins.both().get(1), all), sent.toString());
      }
      if (inBlock) {
        twins.same("ROLLBACK");
      } else {
        twins.same("TRUNCATE shop, sale, visit, item, local");
        ROWS.forEach(twins::same);
      }
    }
    assertTrue(answered > STATEMENTS / 4, "errors prove little, seed " + SEED);
  }

  private static List<String> sorted(Connection connection, String sql) {
    return Twins.answer(connection, sql).stream().sorted().toList();
  }
}
