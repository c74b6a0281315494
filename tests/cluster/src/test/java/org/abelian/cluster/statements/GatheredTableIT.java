package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CREATE TABLE AS and SELECT INTO of rows of several nodes make the table of one PostgreSQL. */
@WithNode
@WithCluster
class GatheredTableIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS source, kinds, made, other CASCADE; DROP TYPE IF EXISTS mood CASCADE;"
          + " DROP ROLE IF EXISTS maker";

  private final LocalCluster cluster;
  private final Twins twins;

  GatheredTableIT(LocalNode single, LocalCluster cluster, RouterServer router) throws SQLException {
    this.cluster = cluster;
    this.twins = new Twins(single, router, "");
  }

  @BeforeEach
  void create() throws SQLException {
    both("SET client_min_messages = error", "RESET ROLE");
    for (String sql : DROP.split(";")) {
      both(sql);
    }
    both("CREATE TABLE source (id int PRIMARY KEY, owner int, name varchar(20), n numeric(10,2))");
    run(twins.routed(), "SELECT create_distributed_table('source', 'id')");
    both(
        "INSERT INTO source SELECT i, i % 7, nullif('name ' || i, 'name 9'), i * 1.25"
            + " FROM generate_series(1, 60) i");
  }

  @AfterEach
  void close() throws SQLException {
    both("ROLLBACK", "RESET ROLE");
    for (String sql : DROP.split(";")) {
      both(sql);
    }
    twins.close();
  }

  private void both(String... texts) {
    for (String sql : texts) {
      twins.same(sql);
    }
  }

  /** Names and types of the columns of a table. */
  private void sameColumns(String table) throws SQLException {
    List<List<String>> columns = new ArrayList<>();
    for (Connection connection : twins.both()) {
      List<String> found = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
        ResultSetMetaData data = rows.getMetaData();
        for (int i = 1; i <= data.getColumnCount(); i++) {
          found.add(
              data.getColumnName(i)
                  + " "
                  + data.getColumnTypeName(i)
                  + " "
                  + data.getPrecision(i)
                  + " "
                  + data.getScale(i));
        }
      }
      columns.add(found);
    }
    assertEquals(columns.get(0), columns.get(1));
  }

  @Test
  void valuesAndColumnsOfAllTypesAreThoseOfTheQuery() throws SQLException {
    both("CREATE TYPE mood AS ENUM ('sad', 'happy')");
    both(
        "CREATE TABLE kinds (k text PRIMARY KEY, a int[], j jsonb, t timestamptz(3), b bytea, d"
            + " date, f float8, n text[], c char(5), m mood, p point)");
    run(twins.routed(), "SELECT create_distributed_table('kinds', 'k')");
    both(
        "INSERT INTO kinds SELECT 'k' || i, ARRAY[i, NULL, i + 1], jsonb_build_object('a',"
            + " '{\"q\"}'), timestamptz '2026-01-01 00:00:00.123456+00' + i * interval '1 hour',"
            + " decode(lpad(to_hex(i), 4, '0'), 'hex'), date '2026-02-27' + i, i / 3.0::float8,"
            + " ARRAY['a,b', NULL, '\"', '\\', '{}', ''], 'x' || i, 'happy', point(i, -i)"
            + " FROM generate_series(1, 20) i");
    both("INSERT INTO kinds (k) VALUES ('none')");
    both("CREATE TABLE made AS SELECT * FROM kinds", "SELECT * FROM made ORDER BY k COLLATE \"C\"");
    sameColumns("made");
    both(
        "CREATE TABLE other (x, y) AS SELECT name, n FROM source UNION ALL SELECT k, f::numeric"
            + " FROM kinds");
    both("SELECT * FROM other ORDER BY x COLLATE \"C\" NULLS FIRST, y");
    sameColumns("other");
    both("CREATE TABLE \"Odd \"\"name\" AS SELECT name AS \"a b\", 'x' AS lit FROM source");
    sameColumns("\"Odd \"\"name\"");
    both("SELECT count(*) FROM \"Odd \"\"name\"", "DROP TABLE \"Odd \"\"name\"");
  }

  @Test
  void parametersAreThoseOfTheQuery() throws SQLException {
    for (Connection connection : twins.both()) {
      String sql = "CREATE TABLE made AS SELECT id, ? || name AS name FROM source WHERE id > ?";
      try (PreparedStatement create = connection.prepareStatement(sql)) {
        create.setString(1, "a ");
        create.setInt(2, 50);
        assertEquals(10, create.executeUpdate());
      }
    }
    both("SELECT * FROM made ORDER BY id");
    sameColumns("made");
  }

  @Test
  void theRowsAreOnTheFirstNodeAndTheTableOnAll() throws SQLException {
    both("CREATE TABLE made AS SELECT * FROM source");
    List<String> counts = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        counts.addAll(run(direct, "SELECT count(*) FROM made"));
      }
    }
    assertEquals(List.of("60|", "0|", "0|"), counts);
    run(twins.routed(), "SELECT create_distributed_table('made', 'owner')");
    both("SELECT count(*), sum(n) FROM made", "SELECT * FROM made WHERE owner = 3 ORDER BY id");
  }

  @Test
  void whoMayNotGetsNothing() throws SQLException {
    both("CREATE ROLE maker", "GRANT SELECT (id, name) ON source TO maker", "SET ROLE maker");
    both("CREATE TABLE made AS SELECT id FROM source", "CREATE TABLE made AS SELECT n FROM source");
    both("CREATE TEMP TABLE made AS SELECT * FROM source");
    both("CREATE TEMP TABLE made AS SELECT id, name FROM source", "SELECT count(*) FROM made");
    both("RESET ROLE", "DROP TABLE made");
    both("GRANT CREATE ON SCHEMA public TO maker", "SET ROLE maker");
    both("CREATE TABLE made AS SELECT n FROM source", "SELECT * FROM made");
    both("CREATE TABLE made AS SELECT id FROM source", "SELECT count(*) FROM made");
    both("RESET ROLE", "ALTER TABLE source ENABLE ROW LEVEL SECURITY");
    both("CREATE POLICY few ON source USING (id < 5)", "SET ROLE maker");
    both("CREATE TABLE other AS SELECT id FROM source", "SELECT * FROM other ORDER BY id");
    both("RESET ROLE", "DROP TABLE made, other", "REVOKE CREATE ON SCHEMA public FROM maker");
    both("DROP TABLE source");
  }

  @Test
  void anErrorLeavesNoTable() throws SQLException {
    both("CREATE TABLE made AS SELECT 100 / (id - 30) AS x FROM source", "SELECT * FROM made");
    both("CREATE TABLE nowhere.made AS SELECT * FROM source");
    both("CREATE TABLE made (a, b, c, d, e) AS SELECT * FROM source");
    both("CREATE TABLE made AS SELECT id, id FROM source");
    both("CREATE TABLE made TABLESPACE nowhere AS SELECT id FROM source");
    both("CREATE TABLE made WITH (nothing = 1) AS SELECT id FROM source");
    both("BEGIN", "CREATE TABLE made AS SELECT id FROM source", "SELECT 1 / 0", "COMMIT");
    both("SELECT * FROM made");
    assertEquals(
        List.of("54000"),
        answer(
            twins.routed(), "CREATE TABLE made AS SELECT repeat('x', 2000000) AS x FROM source"));
    both("SELECT * FROM made");
    both("CREATE MATERIALIZED VIEW made AS SELECT 100 / (id - 30) AS x FROM source");
    both("SELECT * FROM made");
    both("CREATE TABLE made AS SELECT id FROM source", "SELECT count(*) FROM made");
  }
}
