package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows that meet nothing where all that they could meet is on their own node do not move, and
 * answers are those of one PostgreSQL.
 */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReducedRowsIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS shop, visit, sale, item, maker, far CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE shop (id int PRIMARY KEY, region text, rank int)",
          "CREATE TABLE visit (shop int, n int, guest text COLLATE \"C\", stay int, PRIMARY KEY"
              + " (shop, n))",
          "CREATE TABLE sale (id int PRIMARY KEY, shop int, item int, amount int, note text)",
          "CREATE TABLE item (id int PRIMARY KEY, label text COLLATE \"C\", maker int)",
          "CREATE TABLE maker (id int PRIMARY KEY, country text)",
          "CREATE TABLE far (k int PRIMARY KEY, stay int, item int)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('shop', 'id')",
          "SELECT create_distributed_table('visit', 'shop', colocate_with => 'shop')",
          "SELECT create_distributed_table('sale', 'id', colocate_with => 'none')",
          "SELECT create_distributed_table('far', 'k', colocate_with => 'none')",
          "SELECT create_reference_table('item')",
          "SELECT create_reference_table('maker')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO maker SELECT i, 'land' || i % 5 FROM generate_series(1, 20) i",
          "INSERT INTO item SELECT i, chr(97 + i % 26) || i, nullif(i % 21, 0) FROM"
              + " generate_series(1, 200) i",
          "INSERT INTO shop SELECT i, nullif('r' || i % 50, 'r7'), i % 4 FROM"
              + " generate_series(1, 200) i",
          "INSERT INTO visit SELECT 1 + i % 220, i, nullif('g' || i % 9, 'g4'), i % 30 FROM"
              + " generate_series(1, 2000) i",
          "INSERT INTO sale SELECT i, nullif(i % 211, 0), nullif(i % 223, 3), i % 50, repeat('x',"
              + " 20) FROM generate_series(1, 3000) i",
          "INSERT INTO far SELECT i, nullif(i % 40, 2), i % 230 FROM generate_series(1, 2500) i");

  private final TwinTables tables;
  private Twins twins;

  /** The test leaves the tables as they were made. */
  private boolean keeps;

  ReducedRowsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    tables = new TwinTables(single, router, ReducedRowsIT::make, DROP);
  }

  private static void make(Twins twins) throws SQLException {
    twins.create(DROP, TABLES, PLACEMENTS);
    ROWS.forEach(twins::same);
    for (String table : List.of("shop", "visit", "sale", "item", "maker", "far")) {
      twins.same("ANALYZE " + table);
    }
  }

  @BeforeEach
  void open() throws SQLException {
    twins = tables.open();
    keeps = false;
    Twins.run(twins.routed(), "SET abelian.min_broadcast_size = 0");
  }

  @AfterEach
  void close() throws SQLException {
    tables.close(twins, keeps);
  }

  @AfterAll
  void remove() throws SQLException {
    tables.remove();
  }

  /** The rows that move before any are joined. */
  private long moved(String sql) throws Exception {
    String plan = Twins.run(twins.routed(), "EXPLAIN (ANALYZE, FORMAT JSON) " + sql).get(0);
    JsonNode json = new ObjectMapper().readTree(plan.substring(0, plan.length() - 1));
    long rows = 0;
    for (JsonNode exchange : json.at("/0/Plan/Exchanges")) {
      boolean before = !exchange.get("Exchange").asText().startsWith("joined");
      rows += before ? exchange.get("Rows").asLong() : 0;
    }
    return rows;
  }

  /** The most rows that may move, of 2000 visits, 3000 sales and 2500 rows far away. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          300; SELECT f.k, v.n FROM visit v JOIN far f ON f.stay = v.stay JOIN item i ON i.id = f.item WHERE i.label = 'c2' AND v.n = 42 ORDER BY 1, 2
          300; SELECT f.k, v.n FROM visit v JOIN shop s ON s.id = v.shop JOIN far f ON f.stay = v.stay WHERE s.region = 'r1' AND f.k < 50 ORDER BY 1, 2
          300; SELECT count(*), sum(f.k) FROM far f, sale, item i, maker m WHERE f.item = i.id AND i.maker = m.id AND m.country = 'land1' AND i.id < 30 AND sale.item = f.k AND sale.amount = 7
          300; SELECT f.k, s.id FROM far f, sale s WHERE s.amount = f.stay AND f.item IN (SELECT id FROM item WHERE label LIKE 'd%') AND s.id < 40 ORDER BY 1, 2
          400; SELECT s.id, g.total FROM shop s JOIN (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop) g ON g.shop = s.id WHERE s.region = 'r1' ORDER BY 1
          400; SELECT f.k FROM far f, item i WHERE i.id = f.item AND i.label = 'c2' AND f.stay < (SELECT 2 * avg(amount) FROM sale WHERE sale.item = f.item) ORDER BY 1
          300; SELECT v.n, f.k FROM visit v, far f WHERE EXISTS (SELECT FROM shop WHERE shop.id = v.shop AND region = 'r3') AND v.stay = f.stay AND f.k < 60 ORDER BY 1, 2
          """)
  void rowsThatMeetNothingOnTheirNodeDoNotMove(long most, String sql) throws Exception {
    keeps = true;
    twins.same(sql);
    long rows = moved(sql);
    assertTrue(rows > 0 && rows <= most, rows + " rows: " + sql);
    Twins.run(twins.routed(), "SET abelian.plan_exchanges = off");
    assertTrue(moved(sql) > 1000, sql);
    assertTrue(Twins.run(twins.routed(), sql).size() > 0, "nothing was found: " + sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The outer side keeps rows that meet nothing.
        "SELECT f.k, i.id FROM far f LEFT JOIN item i ON i.id = f.item AND i.label = 'c2' JOIN sale"
            + " s ON s.id = f.k WHERE s.amount = 3 ORDER BY 1",
        "SELECT f.k, v.n FROM far f LEFT JOIN (visit v JOIN shop s ON s.id = v.shop AND s.region ="
            + " 'r1') ON v.stay = f.stay WHERE f.k < 30 ORDER BY 1, 2",
        "SELECT f.k, i.id FROM item i LEFT JOIN far f ON f.item = i.id AND f.stay = 7 WHERE i.label"
            + " LIKE 'c%' ORDER BY 2, 1",
        "SELECT f.k, s.id FROM far f FULL JOIN sale s ON s.id = f.k AND s.amount = 4 JOIN item i ON"
            + " i.id = f.item WHERE i.label = 'c2' ORDER BY 1, 2",
        // Duplicates, and sides without rows.
        "SELECT i.label, count(*) FROM far f, sale s, item i WHERE f.item = i.id AND s.item = i.id"
            + " AND i.maker = 2 GROUP BY 1 ORDER BY 1",
        "SELECT f.k FROM far f, sale s, item i WHERE f.item = i.id AND s.item = f.k AND i.label ="
            + " 'none' ORDER BY 1",
        "SELECT count(*), max(f.k) FROM far f, sale s, item i, maker m WHERE f.item = i.id AND"
            + " s.item = f.k AND i.maker = m.id AND m.id < 0",
        // NULLs on either side, and what NULL fails or does not fail.
        "SELECT f.k, s.id FROM far f, sale s, item i WHERE s.item = f.item AND i.id = s.item AND"
            + " i.maker IS NULL ORDER BY 1, 2",
        "SELECT count(*) FROM far f, sale s, item i WHERE s.shop = f.stay AND (i.id = f.item OR"
            + " f.item IS NULL) AND i.label = 'c2'",
        "SELECT f.k FROM far f, sale s WHERE s.id = f.stay AND f.item NOT IN (SELECT id FROM item"
            + " WHERE maker > 3) ORDER BY 1",
        "SELECT v.n FROM visit v, far f WHERE f.k = v.n AND NOT EXISTS (SELECT FROM shop WHERE"
            + " shop.id = v.shop) ORDER BY 1",
        "SELECT v.n FROM visit v, far f WHERE f.k = v.n AND v.shop IN (SELECT id FROM shop WHERE"
            + " rank IS NOT DISTINCT FROM 2 AND region IS NULL) ORDER BY 1",
        // Subqueries that need rows of other nodes.
        "SELECT f.k FROM far f, item i WHERE i.id = f.item AND f.stay IN (SELECT n FROM visit WHERE"
            + " shop = 3) AND i.label > 'c' ORDER BY 1",
        "SELECT v.n FROM visit v, far f WHERE f.k = v.stay AND EXISTS (SELECT FROM visit w WHERE"
            + " w.stay = v.shop AND w.n < 20) ORDER BY 1",
        // LIMIT, order and collations.
        "SELECT v.guest, i.label, v.n FROM visit v, far f, item i WHERE f.stay = v.stay AND i.id ="
            + " f.item AND i.label < 'd' AND v.guest > 'g2' ORDER BY 2 DESC, 1, 3, f.k LIMIT 7",
        "SELECT v.n, f.k FROM visit v, far f, item i WHERE f.stay = v.stay AND i.id = f.item AND"
            + " i.label COLLATE \"C\" = 'c2' AND v.n < 100 ORDER BY 1, 2 OFFSET 1 ROWS FETCH FIRST"
            + " 3 ROWS WITH TIES",
        // The same table twice, by key and not.
        "SELECT a.n, b.n, f.k FROM visit a JOIN visit b ON a.shop = b.shop AND b.n < a.n JOIN far f"
            + " ON f.stay = a.stay WHERE b.guest = 'g1' AND f.k < 20 AND a.n < 300 ORDER BY 1, 2,"
            + " 3",
        "SELECT count(*) FROM visit a, visit b, far f WHERE a.stay = b.stay AND f.k = a.n AND b.n ="
            + " 8",
        // Not only equalities.
        "SELECT count(*) FROM far f, item i, sale s WHERE f.item = i.id AND i.maker < f.stay AND"
            + " s.id = f.k AND i.maker + s.amount = 12",
        "SELECT count(*) FROM far f, item i, maker m, sale s WHERE f.item = i.id AND m.id = f.stay"
            + " AND i.maker < m.id AND i.label LIKE 'e%' AND s.id = f.k",
        // Two tables that know each other only by the one that moves.
        "SELECT f.k, i.label, m.country FROM far f, item i, maker m, sale s WHERE f.item = i.id AND"
            + " m.id = f.stay AND i.label = 'c2' AND m.country = 'land2' AND s.id = f.k ORDER BY 1",
        // Below the statement's own level.
        "SELECT region, (SELECT count(*) FROM visit v, far f, item i WHERE v.shop = shop.id AND"
            + " f.stay = v.stay AND i.id = f.item AND i.label = 'c2') FROM shop WHERE id < 30 ORDER"
            + " BY id",
        "WITH few AS (SELECT f.* FROM far f JOIN item i ON i.id = f.item WHERE i.label = 'c2')"
            + " SELECT few.k, a.n FROM few, visit a WHERE a.stay = few.stay AND a.n < 50 UNION ALL"
            + " SELECT k, 0 FROM few ORDER BY 1, 2",
        "WITH i AS (SELECT id FROM item WHERE label LIKE 'c%') SELECT f.k FROM far f, sale s WHERE"
            + " f.item IN (SELECT id FROM i) AND s.id = f.k AND s.item IN (SELECT id FROM i) ORDER"
            + " BY 1",
        "SELECT f.k, l.n FROM far f JOIN item i ON i.id = f.item, LATERAL (SELECT v.n FROM visit v"
            + " JOIN shop s ON s.id = v.shop WHERE v.stay = f.stay AND s.region = i.label OR v.n ="
            + " f.k ORDER BY v.n LIMIT 1) l WHERE i.label = 'c2' ORDER BY 1",
        // What each node would see otherwise.
        "SELECT count(*) > 0 FROM far f, item i TABLESAMPLE BERNOULLI (100), sale s WHERE f.item ="
            + " i.id AND s.id = f.k AND i.label < 'd'",
        // Groups that few rows meet.
        "SELECT s.id, g.total, g.n FROM shop s LEFT JOIN (SELECT shop, sum(amount) AS total,"
            + " count(*) AS n FROM sale GROUP BY shop) g ON g.shop = s.id AND s.region = 'r1' WHERE"
            + " s.rank = 2 AND s.id < 60 ORDER BY 1",
        "SELECT s.id, g.* FROM shop s JOIN (SELECT shop, item, max(note), count(amount) FROM sale"
            + " GROUP BY shop, item HAVING count(*) >= 1) g ON g.shop = s.id AND g.item = s.rank"
            + " WHERE s.region < 'r2' ORDER BY 1",
        "SELECT s.id, g.n FROM shop s, (SELECT shop + 1 AS next, count(DISTINCT item) AS n FROM"
            + " sale GROUP BY shop + 1) g WHERE g.next = s.id::bigint AND s.region = 'r1' ORDER BY"
            + " 1",
        "SELECT s.id, g.n FROM shop s, (SELECT guest, count(*) AS n, min(stay) FROM visit GROUP BY"
            + " guest) g WHERE g.guest = 'g' || s.id AND s.region = 'r3' ORDER BY 1",
        "SELECT s.id, g.n FROM shop s JOIN (SELECT shop, count(*) AS n FROM sale WHERE amount IN"
            + " (SELECT maker FROM item WHERE label < 'f') GROUP BY shop) g ON g.shop = s.rank"
            + " WHERE s.id < 6 ORDER BY 1",
        "SELECT s.id, g.n FROM shop s JOIN (SELECT shop, count(*) AS n FROM sale GROUP BY ROLLUP"
            + " (shop)) g ON g.shop = s.id WHERE s.region = 'r1' ORDER BY 1",
        "SELECT s.id, g.n FROM shop s JOIN (SELECT shop, count(*) AS n FROM sale GROUP BY shop"
            + " ORDER BY 2, 1 LIMIT 9) g ON g.shop = s.id WHERE s.rank = 1 ORDER BY 1",
        "WITH g AS (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop) SELECT s.id,"
            + " g.total, (SELECT count(*) FROM g) FROM shop s JOIN g ON g.shop = s.id WHERE"
            + " s.region = 'r1' ORDER BY 1",
        "SELECT s.id FROM shop s JOIN (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop) g"
            + " ON g.shop = s.id JOIN (SELECT item, max(amount) AS best FROM sale GROUP BY item) h"
            + " ON h.item = s.id AND h.best > s.rank WHERE s.region = 'none' OR s.id = 5 ORDER BY"
            + " 1",
        "SELECT f.k, (SELECT count(*) FROM sale) FROM far f, item i WHERE i.id = f.item AND i.maker"
            + " = 3 AND f.stay >= (SELECT min(amount) FROM sale WHERE sale.item = f.item AND"
            + " sale.shop > 5) ORDER BY 1 LIMIT 5",
        "SELECT f.k FROM far f, item i WHERE i.id = f.item AND i.maker IS NULL AND f.stay > (SELECT"
            + " sum(amount) FROM sale WHERE sale.shop = f.stay) ORDER BY 1",
        // Errors.
        "SELECT f.k FROM far f, item i, sale s WHERE f.item = i.id AND s.id = f.k AND 1 / (i.id -"
            + " i.id) = 1",
        // Changes by such rows.
        "UPDATE sale SET amount = f.k FROM far f, item i WHERE f.stay = sale.id AND i.id = f.item"
            + " AND i.label = 'c2' AND f.k < 200",
        "DELETE FROM visit USING far f, item i, shop s WHERE s.id = visit.shop AND s.region = 'r1'"
            + " AND f.item = i.id AND i.maker = 3 AND f.stay = visit.stay",
        "INSERT INTO far SELECT 10000 + s.id, f.stay, 1 FROM far f, item i, sale s WHERE f.item ="
            + " i.id AND s.id = f.k AND i.label = 'c2'",
      })
  void theAnswerIsThatOfOnePostgreSql(String sql) {
    keeps = sql.startsWith("SELECT") || sql.startsWith("WITH");
    twins.same(sql);
    twins.same("SELECT count(*), sum(k), sum(stay) FROM far");
    twins.same("SELECT count(*), sum(amount) FROM sale");
    twins.same("SELECT count(*) FROM visit");
  }

  @Test
  void aTransactionReadsWhatItHasWrittenOnBothSides() {
    String byItem =
        "SELECT f.k, s.id FROM far f, item i, sale s WHERE f.item = i.id AND s.id = f.k AND i.label"
            + " = 'c2' ORDER BY 1, 2";
    String byShop =
        "SELECT v.n, f.k FROM visit v, shop s, far f WHERE s.id = v.shop AND s.region = 'r1' AND"
            + " f.stay = v.stay AND f.k < 40 ORDER BY 1, 2";
    String groups =
        "SELECT s.id, g.total FROM shop s JOIN (SELECT shop, sum(amount) AS total FROM sale GROUP"
            + " BY shop) g ON g.shop = s.id WHERE s.region = 'r1' ORDER BY 1";
    for (String sql :
        List.of(
            "BEGIN",
            groups,
            "UPDATE sale SET shop = 105, amount = 9 WHERE id < 9",
            "UPDATE item SET label = 'c2' WHERE id < 12",
            "UPDATE shop SET region = 'r1' WHERE id BETWEEN 100 AND 110",
            byItem,
            byShop,
            groups,
            "SAVEPOINT s",
            "DELETE FROM item WHERE id < 6",
            "DELETE FROM shop WHERE id = 101",
            byItem,
            byShop,
            "ROLLBACK TO s",
            byItem,
            "COMMIT",
            byItem,
            byShop)) {
      twins.same(sql);
    }
  }

  @Test
  void aRoleMeetsOnlyTheRowsThatPoliciesShowIt() {
    String join =
        "SELECT f.k, i.label FROM far f, item i, sale s WHERE f.item = i.id AND s.id = f.k AND"
            + " i.label LIKE 'c%' ORDER BY 1";
    String byShop =
        "SELECT v.n, f.k FROM visit v, shop s, far f WHERE s.id = v.shop AND s.rank = 1 AND f.stay"
            + " = v.stay AND f.k < 40 ORDER BY 1, 2";
    for (String sql :
        List.of(
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk",
            "GRANT SELECT ON item, far, visit TO clerk",
            "GRANT SELECT (id, shop, amount) ON sale TO clerk",
            "ALTER TABLE sale ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY few ON sale USING (id % 3 > 0)",
            "GRANT SELECT (id, rank) ON shop TO clerk",
            "ALTER TABLE item ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE shop ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY few ON item USING (id < 50)",
            "CREATE POLICY few ON shop USING (region < 'r2')",
            "SET ROLE clerk",
            join,
            byShop,
            "SELECT s.id, g.total FROM shop s JOIN (SELECT shop, sum(amount) AS total FROM sale"
                + " GROUP BY shop) g ON g.shop = s.id WHERE s.rank = 1 ORDER BY 1",
            "SELECT f.k FROM far f, shop s WHERE s.id = f.stay AND s.region = 'r1'",
            "RESET ROLE",
            "DROP POLICY few ON item",
            "DROP POLICY few ON shop",
            "DROP POLICY few ON sale",
            "REVOKE ALL ON item, far, visit, sale, shop FROM clerk",
            "DROP ROLE clerk")) {
      twins.same(sql);
    }
  }

  @Test
  void valuesOfParametersBoundWhatIsMet() throws SQLException {
    String sql =
        "SELECT f.k, s.id FROM far f, item i, sale s WHERE f.item = i.id AND s.id = f.k AND i.label"
            + " LIKE ? AND i.maker < ? ORDER BY 1, 2";
    List<List<String>> answers = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> rows = new ArrayList<>();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < 8; i++) {
          statement.setString(1, (char) ('a' + i) + "%");
          statement.setInt(2, i * 2);
          try (ResultSet found = statement.executeQuery()) {
            Twins.add(found, rows);
          }
        }
      }
      answers.add(rows);
    }
    assertTrue(answers.get(0).size() > 20, "nothing was found");
    assertEquals(answers.get(0), answers.get(1));
  }
}
