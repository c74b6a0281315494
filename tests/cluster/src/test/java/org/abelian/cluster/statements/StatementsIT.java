package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Every kind of statement either does through the router what it does on one PostgreSQL (rows, tag,
 * and what is there afterwards on all nodes together), or is refused with 0A000 and a hint and
 * changes nothing. Which does what stands in docs/reference/statements.md.
 */
@WithNode
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StatementsIT {
  private static final List<String> FILES =
      List.of("queries.txt", "session.txt", "schema.txt", "objects.txt");

  private static final String DROP = "DROP SCHEMA IF EXISTS w CASCADE";

  /** The version of PostgreSQL that the page tells of. */
  private static final int TOLD = 15;

  private static final List<String> PLACEMENT =
      List.of(
          "SELECT create_distributed_table('w.d', 'key')",
          "SELECT create_distributed_table('w.e', 'key', colocate_with => 'w.d')",
          "SELECT create_distributed_table('w.p', 'key', colocate_with => 'w.d')",
          "SELECT create_reference_table('w.r')");

  private static final List<String> ROWS =
      List.of(
          "TRUNCATE w.d, w.e, w.p, w.r, w.u",
          "INSERT INTO w.d VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd'), (5, 50,"
              + " 'e'), (6, 60, 'f'), (7, 70, 'g'), (8, 80, 'h')",
          "INSERT INTO w.e VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3), (3, 2, 4), (6, 1, 5)",
          "INSERT INTO w.p VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 14, 4), (5, 15, 5), (6,"
              + " 16, 6)",
          "INSERT INTO w.r VALUES ('x', 1), ('y', 2), ('z', 3)",
          "INSERT INTO w.u VALUES (1, 1), (2, 2), (3, 3)");

  private final RouterServer router;
  private final LocalNode single;
  private final List<Replica> nodes = new ArrayList<>();
  private final Replica plain;
  private final Connection routed;
  private final StatementTable table = new StatementTable();
  private Dialogue alone;
  private Dialogue through;
  private ClusterState before;
  private ClusterState plainBefore;

  StatementsIT(LocalNode single, LocalCluster cluster, RouterServer router)
      throws SQLException, IOException {
    this.router = router;
    this.single = single;
    for (LocalNode node : cluster.nodes()) {
      nodes.add(new Replica(node));
    }
    plain = new Replica(single);
    routed =
        DriverManager.getConnection(router.jdbcUrl(), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
  }

  @TestFactory
  Stream<DynamicTest> everyStatement() throws IOException, SQLException {
    List<StatementCase> cases = new ArrayList<>();
    for (String file : FILES) {
      cases.addAll(StatementCase.read(file));
    }
    String only = System.getProperty("abelian.statements", "");
    Stream<DynamicTest> tests =
        cases.stream()
            .filter(one -> one.toString().contains(only))
            .map(one -> DynamicTest.dynamicTest(one.toString(), () -> check(one)));
    // What is refused on newer versions only is told by the page of versions.
    return only.isEmpty() && nodesAre(TOLD)
        ? Stream.concat(
            tests, Stream.of(DynamicTest.dynamicTest("the page", () -> table.check(cases))))
        : tests;
  }

  private boolean nodesAre(int version) throws SQLException {
    for (Replica node : nodes) {
      if (node.version() != version) {
        return false;
      }
    }
    return true;
  }

  @AfterAll
  void close() throws SQLException, IOException {
    disconnect();
    for (Replica node : nodes) {
      node.close();
    }
    plain.execute(DROP);
    plain.close();
    execute(DROP);
    routed.close();
  }

  private void check(StatementCase one) throws Exception {
    if (one.steps().isEmpty()) {
      table.add(one, StatementTable.Outcome.NONE);
      return;
    }
    connect();
    if (before == null) {
      makeTables();
    }
    List<String> faults = new ArrayList<>();
    StatementTable.Outcome outcome = run(one, faults);
    ClusterState after = ClusterState.of(nodes);
    ClusterState plainAfter = ClusterState.of(List.of(plain));
    boolean untouched = after.equals(before) && plainAfter.equals(plainBefore);
    if (outcome == StatementTable.Outcome.EQUAL && !untouched) {
      faults.addAll(after.differences(plainAfter));
      if (faults.isEmpty()) {
        checkPlaces(after, faults);
      }
    }
    if (!untouched || !one.cleanup().isEmpty()) {
      clean(one);
    }
    if (!faults.isEmpty()) {
      fail(String.join("\n", faults));
    }
    table.add(one, outcome);
  }

  private void connect() throws IOException {
    if (alone == null) {
      alone = new Dialogue(single.port());
      through = new Dialogue(router.port());
    }
    alone.beginAfresh();
    through.beginAfresh();
  }

  private void disconnect() throws IOException {
    if (alone != null) {
      alone.close();
      through.close();
      alone = null;
    }
  }

  private StatementTable.Outcome run(StatementCase one, List<String> faults) throws Exception {
    for (StatementCase.Step step : one.steps()) {
      if (step.routerOnly()) {
        Dialogue.Answer answer = through.run(step);
        if (answer.sqlState() != null) {
          faults.add(step.sql() + ": " + answer);
          return StatementTable.Outcome.EQUAL;
        }
        continue;
      }
      Dialogue.Answer actual = through.run(step);
      List<String> changed = actual.isRefusal() ? differences() : List.of();
      Dialogue.Answer expected = alone.run(step);
      if (expected.sqlState() == null
          ? step.failure() != null
          : !expected.sqlState().equals(step.failure())) {
        faults.add("one PostgreSQL says of " + step.sql() + ": " + expected);
        return StatementTable.Outcome.EQUAL;
      }
      if (actual.isRefusal() && !"0A000".equals(expected.sqlState())) {
        changed.forEach(what -> faults.add(step.sql() + " was refused, but " + what));
        return StatementTable.Outcome.REFUSED;
      }
      if (!actual.agreesWith(expected)) {
        faults.add(step.sql() + "\n  one PostgreSQL: " + expected + "\n  router: " + actual);
        return StatementTable.Outcome.EQUAL;
      }
    }
    return StatementTable.Outcome.EQUAL;
  }

  private List<String> differences() throws SQLException {
    return ClusterState.of(nodes).differences(ClusterState.of(List.of(plain)));
  }

  /** Every row of a distributed table is found by its key. */
  private void checkPlaces(ClusterState state, List<String> faults) throws SQLException {
    for (Map.Entry<String, String> placed : state.placements().entrySet()) {
      String table = placed.getKey();
      boolean changed = before == null || !before.hasRowsOf(state, table);
      if (placed.getValue() == null || !table.startsWith("w") || !changed) {
        continue;
      }
      String sql = "SELECT count(*) FROM ONLY %s WHERE %s = ?".formatted(table, placed.getValue());
      try (PreparedStatement count = routed.prepareStatement(sql)) {
        for (Replica node : nodes) {
          for (Map.Entry<String, Integer> key : node.counts(table, placed.getValue()).entrySet()) {
            count.setObject(1, key.getKey(), java.sql.Types.OTHER);
            try (ResultSet rows = count.executeQuery()) {
              rows.next();
              if (rows.getInt(1) != key.getValue()) {
                faults.add(table + ": rows of key " + key.getKey() + " are on another node");
              }
            }
          }
        }
      }
    }
  }

  /** Takes the case's objects away; where that does not lead back, all tables are made anew. */
  private void clean(StatementCase one) throws IOException, SQLException {
    StatementCase.Step rollback = new StatementCase.Step("ROLLBACK", false, null, List.of());
    alone.run(rollback);
    through.run(rollback);
    for (StatementCase.Step step : one.cleanup()) {
      if (!step.routerOnly()) {
        alone.run(step);
      }
      through.run(step);
    }
    ClusterState cleaned = ClusterState.of(nodes);
    ClusterState plainCleaned = ClusterState.of(List.of(plain));
    if (!cleaned.definesWhat(before) || !plainCleaned.definesWhat(plainBefore)) {
      before = null;
    } else if (!cleaned.equals(before) || !plainCleaned.equals(plainBefore)) {
      disconnect();
      restoreRows();
    }
  }

  private void makeTables() throws Exception {
    disconnect();
    List<String> fixture = new ArrayList<>(List.of(DROP));
    fixture.addAll(StatementTable.lines("/statements/fixture.sql"));
    plain.execute(String.join(";", fixture));
    fixture.addAll(PLACEMENT);
    execute(fixture);
    restoreRows();
    connect();
    before = ClusterState.of(nodes);
    plainBefore = ClusterState.of(List.of(plain));
    assertEquals(List.of(), before.differences(plainBefore));
  }

  private void restoreRows() throws SQLException {
    plain.execute(String.join(";", ROWS));
    execute(ROWS);
  }

  /** In one transaction through the router. */
  private void execute(List<String> statements) throws SQLException {
    routed.setAutoCommit(false);
    for (String sql : statements) {
      execute(sql);
    }
    routed.commit();
    routed.setAutoCommit(true);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = routed.createStatement()) {
      statement.execute(sql);
    }
  }
}
