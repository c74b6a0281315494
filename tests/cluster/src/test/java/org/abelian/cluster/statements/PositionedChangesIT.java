package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import org.junit.jupiter.params.provider.ValueSource;

/** UPDATE and DELETE ... WHERE CURRENT OF change the row at which a cursor stands. */
@WithNode
@WithCluster
class PositionedChangesIT {
  private static final String DROP = "DROP TABLE IF EXISTS account, rate, local";

  private final LocalNode single;
  private final RouterServer router;
  private Twins twins;

  PositionedChangesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    twins = new Twins(single, router, "");
    twins.create(
        DROP,
        List.of(
            "CREATE TABLE account (id int, part int, n int, PRIMARY KEY (id, part))",
            "CREATE TABLE rate (id int PRIMARY KEY, n int)",
            "CREATE TABLE local (id int PRIMARY KEY, n int)"),
        List.of(
            "SELECT create_distributed_table('account', 'id')",
            "SELECT create_reference_table('rate')"));
    twins.same("INSERT INTO account SELECT i % 9, i, i FROM generate_series(1, 36) i");
    twins.same("INSERT INTO rate SELECT i, i FROM generate_series(1, 5) i");
    twins.same("INSERT INTO local SELECT i, i FROM generate_series(1, 5) i");
  }

  @AfterEach
  void drop() throws SQLException {
    twins.same("ROLLBACK");
    twins.same(DROP);
    twins.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DECLARE c CURSOR FOR SELECT * FROM account WHERE id = 3 ORDER BY part FOR UPDATE;"
            + " FETCH c; UPDATE account SET n = 100 WHERE CURRENT OF c; FETCH c; FETCH c;"
            + " DELETE FROM account WHERE CURRENT OF c; FETCH c",
        "DECLARE c CURSOR FOR SELECT * FROM account WHERE id = 7 AND part = 7; FETCH c;"
            + " UPDATE account SET n = n + 1 WHERE CURRENT OF c RETURNING *",
        "DECLARE c CURSOR FOR SELECT * FROM local ORDER BY id FOR UPDATE; MOVE 2 IN c;"
            + " UPDATE local SET n = 100 WHERE CURRENT OF c",
        "DECLARE c CURSOR FOR SELECT * FROM account WHERE id = 3 FOR UPDATE;"
            + " UPDATE account SET n = 100 WHERE CURRENT OF c",
        "DECLARE c CURSOR FOR SELECT * FROM account WHERE id = 3 FOR UPDATE; FETCH c; CLOSE c;"
            + " UPDATE account SET n = 100 WHERE CURRENT OF c",
        "UPDATE account SET n = 100 WHERE CURRENT OF nobody",
        "DECLARE c CURSOR FOR SELECT * FROM account WHERE id = 3 FOR UPDATE; FETCH c;"
            + " UPDATE local SET n = 100 WHERE CURRENT OF c"
      })
  void theRowIsChangedWhereTheCursorIs(String script) {
    twins.same("BEGIN");
    for (String step : script.split(";")) {
      twins.same(step);
    }
    twins.same("COMMIT");
    twins.sameUnordered("SELECT * FROM account");
    twins.sameUnordered("SELECT * FROM local");
  }

  /** Refused before a node is asked, and told why. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DECLARE c CURSOR FOR SELECT * FROM account FOR UPDATE; FETCH c;"
            + " UPDATE account SET n = 0 WHERE CURRENT OF c",
        "DECLARE c CURSOR FOR SELECT * FROM rate FOR UPDATE; FETCH c;"
            + " DELETE FROM rate WHERE CURRENT OF c"
      })
  void aRowThatOneNodeDoesNotTellIsRefused(String script) {
    List<String> last = List.of();
    answer(twins.routed(), "BEGIN");
    for (String step : script.split(";")) {
      last = answer(twins.routed(), step);
    }
    assertEquals(List.of("0A000"), last);
    answer(twins.routed(), "ROLLBACK");
  }
}
