package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A MERGE whose rows match on any node, and go to others than they match on, is one. */
@WithNode
@WithCluster
class MergeIT {
  private static final String DROP = "DROP TABLE IF EXISTS item, delta, kind, desk CASCADE";

  private static final List<String> TABLES =
      List.of(
          "CREATE SEQUENCE IF NOT EXISTS numbers",
          "CREATE TABLE item (gone int, id int PRIMARY KEY, name varchar(8), n int CHECK (n >"
              + " -100), likes abelian.counter DEFAULT 0, twice int GENERATED ALWAYS AS (n * 2)"
              + " STORED)",
          "ALTER TABLE item DROP COLUMN gone",
          "CREATE TABLE delta (id bigint PRIMARY KEY, item int, name text, n int)",
          "CREATE TABLE kind (code text PRIMARY KEY, v int)",
          "CREATE TABLE desk (id int, name text)");

  private static final List<String> PLACEMENTS =
      List.of(
          "SELECT create_distributed_table('item', 'id')",
          "SELECT create_distributed_table('delta', 'id', colocate_with => 'none')",
          "SELECT create_reference_table('kind')");

  private static final List<String> ROWS =
      List.of(
          "INSERT INTO item SELECT i, 'i' || i, i * 10 FROM generate_series(1, 12) i",
          "INSERT INTO delta SELECT i, i + 4, 'i' || i * 2, i FROM generate_series(1, 10) i",
          "INSERT INTO kind SELECT 'i' || i, i FROM generate_series(1, 20, 3) i",
          "INSERT INTO desk VALUES (1, 'i1'), (30, 'x'), (NULL, NULL)");

  private static final List<String> MERGES =
      List.of(
          // by another column
          "MERGE INTO item USING delta ON item.name = delta.name WHEN MATCHED THEN DELETE",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED AND d.n > 3 THEN UPDATE"
              + " SET n = item.n + d.n, likes = likes + 2 WHEN MATCHED AND d.n = 1 THEN DELETE",
          "MERGE INTO item i USING delta d ON i.name = d.name WHEN MATCHED AND i.n > 50 THEN DO"
              + " NOTHING WHEN MATCHED THEN UPDATE SET n = d.n WHEN NOT MATCHED AND d.n > 7 THEN"
              + " INSERT (id, name) VALUES (100 + d.id, d.name) WHEN NOT MATCHED AND d.n = 7 THEN"
              + " DO NOTHING WHEN NOT MATCHED THEN INSERT (id, n) VALUES (200 + d.item, d.n)",
          // another key is inserted
          "MERGE INTO item USING delta ON item.id = delta.item WHEN MATCHED THEN UPDATE SET n ="
              + " delta.n WHEN NOT MATCHED THEN INSERT (id, name, n) VALUES (delta.item * 50,"
              + " DEFAULT, delta.n)",
          "MERGE INTO item USING desk ON item.id = desk.id WHEN NOT MATCHED AND desk.id IS NOT NULL"
              + " THEN INSERT (id, name) VALUES (desk.id + 1, desk.name)",
          "MERGE INTO item USING kind ON item.n = kind.v * 10 WHEN MATCHED THEN UPDATE SET name ="
              + " kind.code || '!' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (300 + kind.v,"
              + " kind.code)",
          "MERGE INTO item USING item s ON item.id = s.id + 1 WHEN MATCHED THEN UPDATE SET n = s.n"
              + " WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id + 1, s.n)",
          "MERGE INTO item USING (SELECT max(n) AS m, item % 3 AS g FROM delta GROUP BY 2) d ON"
              + " item.id % 3 = d.g AND item.id < 4 WHEN MATCHED THEN UPDATE SET n = m WHEN NOT"
              + " MATCHED THEN INSERT (id) VALUES (m + 400)",
          "MERGE INTO item USING (VALUES (1, 'a'), (NULL, 'b'), (500, NULL)) v (k, t) ON item.id +"
              + " 0 = v.k WHEN MATCHED THEN UPDATE SET name = v.t WHEN NOT MATCHED AND v.k IS NOT"
              + " NULL THEN INSERT (id, name) VALUES (v.k, v.t)",
          "MERGE INTO item USING generate_series(5, 14) g ON item.n = g * 10 WHEN MATCHED THEN"
              + " UPDATE SET likes = likes + 1 WHEN NOT MATCHED THEN INSERT (id, n) VALUES (g +"
              + " 600, g)",
          "WITH top AS (SELECT max(id) AS k FROM delta) MERGE INTO item USING top ON item.n = top.k"
              + " * 10 WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (700)",
          // what is not there
          "MERGE INTO item USING (SELECT * FROM delta WHERE false) d ON item.n = d.n WHEN MATCHED"
              + " THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (1)",
          "MERGE INTO item USING delta ON false WHEN NOT MATCHED AND delta.id < 3 THEN INSERT (id)"
              + " VALUES (delta.id + 800)",
          // the key is assigned to itself
          "MERGE INTO item USING delta ON item.id = delta.item WHEN MATCHED THEN UPDATE SET id ="
              + " delta.item, n = 1",
          "MERGE INTO item USING delta ON item.name = delta.name WHEN MATCHED THEN UPDATE SET id ="
              + " item.id, n = 2",
          // subqueries
          "MERGE INTO item USING desk d ON item.id = d.id AND item.n < (SELECT max(n) FROM item)"
              + " WHEN MATCHED THEN UPDATE SET n = (SELECT sum(x.n) FROM delta x WHERE x.id > d.id)"
              + " WHEN NOT MATCHED AND d.id > (SELECT count(*) FROM kind) THEN INSERT (id, n)"
              + " VALUES (d.id, (SELECT count(*) FROM delta x WHERE x.item < d.id))",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED AND EXISTS (SELECT FROM"
              + " kind WHERE kind.code = item.name) THEN DELETE WHEN NOT MATCHED AND d.n IN (SELECT"
              + " v FROM kind) THEN INSERT (id, n) VALUES (900 + d.id, (SELECT min(id) FROM item))",
          "MERGE INTO kind USING delta d ON kind.code = d.name WHEN MATCHED THEN UPDATE SET v ="
              + " (SELECT max(n) FROM item) WHEN NOT MATCHED AND d.n > (SELECT count(*) FROM desk)"
              + " THEN INSERT VALUES (d.name, d.n)",
          // errors
          "MERGE INTO item USING delta ON item.n = 10 WHEN MATCHED THEN DELETE",
          "MERGE INTO item USING delta d ON item.n = d.id % 3 * 10 WHEN MATCHED THEN UPDATE SET n ="
              + " 0 WHEN NOT MATCHED THEN INSERT (id) VALUES (1000 + d.id)",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN UPDATE SET n ="
              + " -1000 WHEN NOT MATCHED THEN INSERT (id) VALUES (1100 + d.id)",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN UPDATE SET n = 77"
              + " WHEN NOT MATCHED THEN INSERT (id) VALUES (3)",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN NOT MATCHED THEN INSERT (id)"
              + " VALUES (NULL)",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN NOT MATCHED THEN INSERT (id)"
              + " VALUES (1200 / (d.n - 9))",
          "MERGE INTO item USING delta d ON item.name = d.name WHEN NOT MATCHED THEN INSERT (id,"
              + " name) VALUES (1300 + d.id, 'much too long a name')");

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  MergeIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connect("");
    twins.create(DROP, TABLES, PLACEMENTS);
    ROWS.forEach(twins::same);
  }

  @AfterEach
  void close() throws SQLException {
    twins.close();
    connect("");
    twins.same(DROP);
    twins.close();
  }

  private void connect(String options) throws SQLException {
    twins = new Twins(single, router, options);
  }

  private void sameRows() {
    for (String table : List.of("item", "delta", "kind", "desk")) {
      twins.sameUnordered("SELECT * FROM " + table);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=0", "prepareThreshold=-1"})
  void rowsMatchOnAnyNodeAsOnOnePostgreSql(String options) throws SQLException {
    twins.close();
    connect(options);
    for (String merge : MERGES) {
      twins.same("BEGIN");
      twins.same("UPDATE item SET n = n + 0 WHERE id IN (1, 2)");
      twins.same(merge);
      sameRows();
      twins.same("ROLLBACK");
    }
    for (String merge : MERGES) {
      twins.same(merge);
      sameRows();
    }
  }

  @Test
  void valuesComeWithPreparedStatements() {
    twins.same(
        "PREPARE m(int, text) AS MERGE INTO item USING delta d ON item.n = d.n * $1 WHEN MATCHED"
            + " THEN UPDATE SET name = $2 WHEN NOT MATCHED THEN INSERT (id, name) VALUES (d.id +"
            + " 1000 * $1, $2)");
    for (String values : List.of("10, 'a'", "20, 'b'", "NULL, 'c'", "20, 'much too long'")) {
      twins.same("EXECUTE m(" + values + ")");
      sameRows();
    }
  }

  @Test
  void keysComeFromSequences() {
    twins.same("ALTER SEQUENCE numbers RESTART 5000");
    twins.same(
        "MERGE INTO item USING delta d ON item.name = d.name WHEN NOT MATCHED THEN INSERT (id, n)"
            + " VALUES (nextval('numbers'), 1)");
    twins.same("SELECT count(*), count(DISTINCT id) FROM item WHERE id >= 5000");
  }

  @Test
  void nobodyChangesMoreThanOnOnePostgreSql() {
    for (String sql :
        List.of(
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk",
            "GRANT SELECT, INSERT, UPDATE (n) ON item TO clerk",
            "GRANT SELECT (name, n, id) ON delta TO clerk",
            "SET ROLE clerk",
            MERGES.get(0),
            MERGES.get(4),
            "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN UPDATE SET n ="
                + " d.n WHEN NOT MATCHED THEN INSERT (id) VALUES (100 + d.id)",
            "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN UPDATE SET name"
                + " = 'x' WHEN NOT MATCHED THEN INSERT (id) VALUES (200 + d.id)",
            "MERGE INTO item USING delta d ON item.n = d.item WHEN MATCHED THEN UPDATE SET n = 1",
            "RESET ROLE",
            "DROP OWNED BY clerk",
            "DROP ROLE clerk")) {
      twins.same(sql);
    }
    sameRows();
  }

  @Test
  void explainShowsTheSteps() throws SQLException {
    String merge =
        "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN DELETE WHEN NOT"
            + " MATCHED THEN INSERT (id) VALUES (100 + d.id)";
    for (String explain : List.of("EXPLAIN ", "EXPLAIN ANALYZE ")) {
      sameRows();
      String plan = String.join("\n", run(twins.routed(), explain + merge));
      assertTrue(plan.contains("in steps") && plan.contains("INSERT INTO item"), plan);
    }
    run(twins.both().get(0), merge);
    sameRows();
  }

  /** What a row has become while it was waited for says whether it matches. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE item SET name = 'other' WHERE id = 4",
        "UPDATE item SET n = n + 1 WHERE id = 4",
        "DELETE FROM item WHERE id = 4"
      })
  void rowsAreLookedAtAgainAfterAWait(String change) throws Exception {
    String merge =
        "MERGE INTO item USING delta d ON item.name = d.name WHEN MATCHED THEN UPDATE SET n ="
            + " item.n + d.n WHEN NOT MATCHED THEN INSERT (id, name) VALUES (100 + d.id, d.name)";
    List<List<String>> answers = new ArrayList<>();
    try (Twins others = new Twins(single, router, "")) {
      for (int at = 0; at < 2; at++) {
        List<LocalNode> nodes = at == 0 ? List.of(single) : cluster.nodes();
        answers.add(
            Twins.meet(others.both().get(at), change, twins.both().get(at), merge, nodes, "item"));
      }
    }
    assertEquals(answers.get(0), answers.get(1));
    sameRows();
  }

  /** Each row matches, so that whoever comes second adds to what the first has made of it. */
  @Test
  void noneOfSeveralAtOnceIsLost() throws Exception {
    run(twins.routed(), "GRANT SELECT, UPDATE, INSERT ON item TO " + LocalNode.USER);
    run(twins.routed(), "GRANT SELECT ON delta, desk TO " + LocalNode.USER);
    String merge =
        "MERGE INTO item USING (SELECT name FROM item) d ON item.name = d.name WHEN MATCHED THEN"
            + " UPDATE SET n = n + 1 WHEN NOT MATCHED THEN INSERT (id, name) VALUES (5000, d.name)";
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<Integer>> done = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      done.add(threads.submit(() -> merges(merge, 10)));
    }
    int merged = 0;
    for (Future<Integer> future : done) {
      merged += future.get(120, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertTrue(merged > 0);
    assertEquals(
        List.of("12|" + (780 + 12 * merged) + "|"),
        answer(twins.routed(), "SELECT count(*), sum(n) FROM item"));
  }

  private int merges(String merge, int times) throws SQLException {
    int count = 0;
    try (Connection connection = router.connect()) {
      for (int i = 0; i < times; i++) {
        try {
          assertEquals(List.of("count 12"), run(connection, merge));
          count++;
        } catch (SQLException deadlock) {
          assertEquals("40P01", deadlock.getSQLState(), deadlock.getMessage());
        }
      }
    }
    return count;
  }

  /** A key is cast as it is stored: what rounding changes equals no row's key. */
  @ParameterizedTest
  @ValueSource(strings = {"numeric(12,2)", "numeric", "real", "double precision", "bigint", "text"})
  void keysOfOtherTypesThanTheirColumn(String type) throws SQLException {
    twins.create(
        "DROP TABLE IF EXISTS weight, given",
        List.of(
            "CREATE TABLE weight (id " + type + " PRIMARY KEY, w int)",
            "CREATE TABLE given (i int, b bigint, n numeric, f float8, t varchar(9))",
            "INSERT INTO given SELECT i, i, i + 0.256, i + 0.5, 'k' || i FROM generate_series(1, 9)"
                + " i"),
        List.of(
            "SELECT create_distributed_table('weight', 'id')",
            "SELECT create_distributed_table('given', 'i')"));
    for (String column : List.of("i", "b", "n", "f", "t", "n::real", "f::numeric", "n::int")) {
      for (int time = 1; time <= 2; time++) {
        twins.same(
            "MERGE INTO weight USING (SELECT %s AS k, i FROM given) s ON weight.id = s.k WHEN"
                    .formatted(column)
                + " MATCHED THEN UPDATE SET w = weight.w + s.i WHEN NOT MATCHED THEN INSERT VALUES"
                + " (s.k, s.i)");
        twins.same("SELECT * FROM weight ORDER BY id");
      }
    }
    twins.same("DROP TABLE weight, given");
  }
}
