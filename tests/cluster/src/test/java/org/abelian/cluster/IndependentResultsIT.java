package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that run as independent transactions give the same results as coordinated ones. */
@WithCluster
class IndependentResultsIT {
  private static final int ROWS = 40;

  /** More than pgjdbc's threshold, so that unnamed and named statements take part. */
  private static final int TIMES = 8;

  private final LocalCluster cluster;
  private Connection connection;

  IndependentResultsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute("DROP TABLE IF EXISTS item CASCADE");
    execute("CREATE TABLE item (id int PRIMARY KEY, n bigint NOT NULL)");
    execute("SELECT create_distributed_table('item', 'id')");
    StringBuilder rows = new StringBuilder("INSERT INTO item VALUES (1, 1)");
    for (int id = 2; id <= ROWS; id++) {
      rows.append(", (").append(id).append(", ").append(id).append(')');
    }
    execute(rows.toString());
    execute(
        "CREATE OR REPLACE FUNCTION total(ids int[], OUT sum bigint, OUT rows int) LANGUAGE sql"
            + " BEGIN ATOMIC SELECT coalesce(sum(n), 0), count(*)::int FROM item"
            + " WHERE id = ANY (ids); END");
    execute(
        "CREATE OR REPLACE FUNCTION items(ids int[]) RETURNS TABLE (id int, n bigint) LANGUAGE sql"
            + " BEGIN ATOMIC SELECT i.id, i.n FROM item i WHERE i.id = ANY (ids); END");
    execute(
        "CREATE OR REPLACE PROCEDURE add(ids int[], INOUT n bigint) LANGUAGE plpgsql AS"
            + " $$ BEGIN UPDATE item SET n = item.n + add.n WHERE id = ANY (ids);"
            + " SELECT item.n INTO n FROM item WHERE id = ids[1]; END $$");
    for (String declared :
        List.of(
            "'total(int[])', 'ids', merge => 'sum'",
            "'items(int[])', 'ids', merge => 'union'",
            "'add(int[], bigint)', 'ids', merge => 'first'")) {
      execute(
          "SELECT create_distributed_procedure("
              + declared
              + ", colocate_with => 'item', class => 'independent',"
              + " unsafe => true)");
    }
  }

  @AfterEach
  void drop() throws SQLException {
    execute("RESET ALL");
    execute("DROP TABLE item CASCADE");
    execute("DROP PROCEDURE add");
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> rows(ResultSet rows) throws SQLException {
    List<String> found = new ArrayList<>();
    while (rows.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        row.append(rows.getMetaData().getColumnName(i)).append('=').append(rows.getString(i));
        row.append(' ');
      }
      found.add(row.toString());
    }
    found.sort(null);
    return found;
  }

  private List<String> prepared(String sql) throws SQLException {
    List<String> all = new ArrayList<>();
    Integer[] ids = new Integer[ROWS];
    for (int i = 0; i < ROWS; i++) {
      ids[i] = i + 1;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int time = 0; time < TIMES; time++) {
        statement.setArray(1, connection.createArrayOf("int4", ids));
        try (ResultSet rows = statement.executeQuery()) {
          all.addAll(rows(rows));
        }
      }
    }
    return all;
  }

  private List<String> simple(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows(rows);
    }
  }

  private long lane() throws SQLException {
    return ProxiedCluster.number(cluster.nodes().get(0), "SELECT at FROM abelian.independent_lane");
  }

  private void assertSame(String prepared, String simple) throws SQLException {
    execute("SET abelian.commit_class = 'coordinated'");
    List<String> coordinated = prepared(prepared);
    List<String> coordinatedSimple = simple(simple);
    execute("SET abelian.commit_class = 'auto'");
    long before = lane();
    assertEquals(coordinated, prepared(prepared));
    long between = lane();
    assertNotEquals(before, between, "the prepared calls did not run in the lanes");
    assertEquals(coordinatedSimple, simple(simple));
    assertNotEquals(between, lane(), "the simple call did not run in the lanes");
  }

  @Test
  void sumsAndUnionsOfRowsAreThoseOfCoordinatedCalls() throws SQLException {
    assertSame("SELECT * FROM total(?)", "SELECT * FROM total('{1,2,3,4,5,6}')");
    assertSame("SELECT * FROM items(?)", "SELECT * FROM items('{1,2,3,4,5,6}')");
  }

  @Test
  void argumentsThatTheProcedureChangesComeBack() throws SQLException {
    long before = lane();
    try (CallableStatement call = connection.prepareCall("CALL add(ARRAY[1,2,3,4,5,6], ?)")) {
      for (int time = 1; time <= TIMES; time++) {
        call.setLong(1, 10);
        call.registerOutParameter(1, Types.BIGINT);
        call.execute();
        assertEquals(1 + 10 * time, call.getLong(1));
      }
    }
    assertEquals(List.of("n=91 "), simple("CALL add(ARRAY[1,2,3,4,5,6], 10)"));
    assertNotEquals(before, lane(), "the calls did not run in the lanes");
  }

  @Test
  void aCallWithoutALaneGivesItsRowsAsWell() throws Exception {
    List<String> open = simple("SELECT * FROM items('{1,2,3,4,5,6}')");
    long before = lane();
    // Whoever holds the gate for long makes the call a coordinated transaction, which waits there.
    CompletableFuture<List<String>> joined;
    try (Connection holder = cluster.nodes().get(0).connect();
        Statement gate = holder.createStatement()) {
      holder.setAutoCommit(false);
      gate.execute("SELECT abelian.snapshot_gate(1000)");
      joined = CompletableFuture.supplyAsync(this::itemsWhenTheGateOpens);
      gate.execute("SELECT pg_sleep(3)");
      holder.rollback();
    }
    assertEquals(open, joined.get(60, TimeUnit.SECONDS));
    assertEquals(before, lane(), "the call ran in a lane");
  }

  private List<String> itemsWhenTheGateOpens() {
    try {
      return simple("SELECT * FROM items('{1,2,3,4,5,6}')");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
