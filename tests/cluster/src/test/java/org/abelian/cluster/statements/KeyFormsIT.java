package org.abelian.cluster.statements;

import java.io.IOException;
import java.io.StringReader;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;

/**
 * A column keeps a part of what it is given: it rounds, cuts blanks, or takes another type. However
 * a value comes into a distribution column, its row lies where it is looked for, and the answers
 * are those of one PostgreSQL.
 */
@WithNode
@WithCluster
class KeyFormsIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS k, src CASCADE; DROP DOMAIN IF EXISTS short, word, number";

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  KeyFormsIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void connect() throws SQLException {
    twins = new Twins(single, router, "");
    twins.same(DROP.split(";")[0]);
    twins.same(DROP.split(";")[1]);
    twins.same("CREATE DOMAIN short AS char(5)");
    twins.same("CREATE DOMAIN word AS varchar(4)");
    twins.same("CREATE DOMAIN number AS int CHECK (VALUE <> 13)");
  }

  @AfterEach
  void close() throws SQLException {
    twins.same("DROP TABLE k, src");
    twins.same("DROP DOMAIN short, word, number");
    twins.close();
  }

  /**
   * @param given types that PostgreSQL assigns to the column's, with a slash between
   * @param values with a slash between
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "char(5);text/varchar/bpchar/char(3);a/ab /abc  /abcdefg/é",
        "bpchar;text/varchar;a/ab /abcdefg",
        "varchar(5);text/bpchar/name;a/ab /abcdefg/abcde   ",
        "text;varchar/bpchar/name;a/ab /A",
        "short;text/bpchar/short;a/ab /abcdefg",
        "word;text/bpchar/word;a/ab /abcdefg/abcd  ",
        "numeric(6,2);numeric/text/numeric(3,1);1/1.505/1.50/-0/99999/0.005",
        "numeric(5);numeric/numeric(5,1);1/1.4/1.5/2.5/-0.4/123456",
        "real;float8/numeric;1/1.1/-0/1e10",
        "timestamp(0);timestamp/timestamp(3);2024-01-01 00:00:00.5/2024-01-01 00:00:01.4",
        "timestamptz(3);timestamptz;2024-01-01 00:00:00.0005+02/2024-01-01 12:00+00",
        "time(0);time;10:00:00.5/23:59:59.9/24:00",
        "smallint;int/bigint/numeric/float8;1/40000/-3/2.5",
        "integer;smallint/numeric/float8/number;1/7/2.5/3.5",
        "number;int/numeric;1/5/13/2.5"
      })
  void rowsLieWhereTheyAreLookedFor(String type, String given, String values)
      throws SQLException, IOException {
    twins.same("CREATE TABLE k (k " + type + ", n int DEFAULT 1)");
    twins.same("CREATE TABLE src (id int, k " + type + ", o text)");
    Twins.run(twins.routed(), "SELECT create_distributed_table('k', 'k')");
    Twins.run(twins.routed(), "SELECT create_distributed_table('src', 'id')");
    List<String> literals =
        List.of(values.split("/")).stream().map(value -> "'" + value + "'").toList();
    for (int i = 0; i < literals.size(); i++) {
      String value = literals.get(i);
      twins.same("INSERT INTO k VALUES (" + value + ", " + i + ")");
      twins.same("INSERT INTO k VALUES ((" + value + " || '')::" + type + ", " + i + ")");
      twins.same("INSERT INTO src VALUES (" + i + ", " + value + ", " + value + ")");
    }
    twins.same("INSERT INTO k SELECT k, id + 100 FROM src");
    sameRows();
    for (String other : given.split("/")) {
      for (String value : literals) {
        giveAs(other, value);
      }
      sameRows();
    }
    for (int i = 0; i < literals.size(); i++) {
      change(type, literals.get(i), 100 + i);
    }
    sameRows();
    for (Connection connection : twins.both()) {
      for (String value : values.split("/")) {
        copy(connection, value);
      }
    }
    sameRows();
  }

  private void giveAs(String type, String value) {
    twins.same("PREPARE put(" + type + ") AS INSERT INTO k VALUES ($1, 300)");
    twins.same("EXECUTE put(" + value + ")");
    twins.same("DEALLOCATE put");
    String given = value + "::" + type;
    twins.same("INSERT INTO k SELECT x, 302 FROM (VALUES (" + given + ")) s (x)");
    twins.same("INSERT INTO k SELECT " + given + ", 303 FROM generate_series(1, 2)");
    twins.same("PREPARE find(" + type + ") AS SELECT count(*) FROM k WHERE k = $1");
    twins.same("EXECUTE find(" + value + ")");
    twins.same("DEALLOCATE find");
    twins.same("SELECT count(*) FROM k WHERE k = " + given);
    twins.same("SELECT count(*) FROM k JOIN (VALUES (" + given + ")) s (x) ON k.k = s.x");
    twins.same("SELECT count(*) FROM k WHERE k::" + type + " = " + given);
  }

  private void change(String type, String value, int row) {
    twins.same("UPDATE k SET n = n + 1 WHERE k = " + value);
    twins.same("UPDATE k SET k = " + value + " WHERE n = " + row);
    twins.same(
        "MERGE INTO k USING (VALUES (%s::%s, 900)) s (x, y) ON k.k = s.x WHEN MATCHED THEN UPDATE"
            .concat(" SET n = k.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.x, s.y)")
            .formatted(value, type));
  }

  private static void copy(Connection connection, String value) throws SQLException, IOException {
    try {
      PGConnection raw = connection.unwrap(PGConnection.class);
      raw.getCopyAPI().copyIn("COPY k (k) FROM STDIN", new StringReader(value + "\n"));
    } catch (SQLException refused) {
      if (!refused.getSQLState().startsWith("22") && !refused.getSQLState().equals("23514")) {
        throw refused;
      }
    }
  }

  private void sameRows() {
    twins.sameUnordered("SELECT k::text || '|', n FROM k");
    twins.same("SELECT count(*), count(DISTINCT k) FROM k");
    twins.same("SELECT count(*) FROM k JOIN src USING (k)");
    twins.sameUnordered("SELECT k::text, count(*), sum(n) FROM k GROUP BY k");
  }
}
