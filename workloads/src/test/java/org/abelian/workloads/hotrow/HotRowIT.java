package org.abelian.workloads.hotrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.junit.jupiter.api.Test;

/** The hot row on one PostgreSQL, small. */
@WithNode
class HotRowIT {
  private static final int SLICES = 8;

  private final LocalNode node;
  private final Database database;

  HotRowIT(LocalNode node) {
    this.node = node;
    database = new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  @Test
  void everyRatioIsMeasuredAndNoAdditionIsLost() throws Exception {
    HotRowOptions options = new HotRowOptions(4, 1, 1, 100);
    BenchResult result =
        new HotRowBench(database, LocalNode.binDirectory(), options).run(progress -> {});
    assertEquals(
        List.of(
            "hot_over_plain",
            "hot_over_uniform",
            "uniform_over_plain",
            "hot_over_plain_2ms",
            "read_over_plain",
            "split_read_over_plain",
            "sum_over_plain"),
        List.copyOf(result.ratios().keySet()));
    result.ratios().forEach((name, ratio) -> assertTrue(ratio > 0, name + ": " + ratio));
    assertEquals(
        0, result.rows().stream().filter(row -> row.throughput() <= 0).count(), result::toString);
  }

  @Test
  void aSplitRowHasASliceForEachSession() throws Exception {
    execute("CREATE TABLE split_row (id integer PRIMARY KEY, n abelian.counter NOT NULL)");
    execute("INSERT INTO split_row VALUES (1, 0)");
    try (SplitRow split = SplitRow.split(database, "split_row", SLICES)) {
      assertEquals(SLICES, split.slices());
      assertEquals(SLICES, number("SELECT slices FROM abelian.split_objects"));
      assertEquals(SLICES, number("SELECT n FROM split_row"));
    } finally {
      execute("DROP TABLE split_row");
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
