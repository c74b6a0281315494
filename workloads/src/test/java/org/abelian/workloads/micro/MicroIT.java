package org.abelian.workloads.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.report.MicroReport;
import org.junit.jupiter.api.Test;

/** The benchmark as a whole, small. */
@WithNode
class MicroIT {
  private final Database database;

  MicroIT(LocalNode node) {
    database = new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  @Test
  void everyVarietyCommitsAtEveryPoint() throws Exception {
    MicroOptions options =
        new MicroOptions(
            List.of(Objects.values()), 4, 1, 1, 100, List.of(0, 50), List.of(0.0, 1.5), 150);
    BenchResult result =
        new MicroBench(database, LocalNode.binDirectory(), options).run(line -> {});
    assertEquals((3 + 2) * Variety.values().length, result.rows().size());
    result
        .rows()
        .forEach(
            row -> {
              assertTrue(row.throughput() > 0, row.variant());
              assertEquals(0, row.failures(), row.variant());
            });
    assertEquals(
        Set.of(
            "phaser_over_row_locks",
            "phaser_over_retrying",
            "phaser_over_locks",
            "phaser_over_none",
            "counter_phaser_over_row_locks",
            "counter_phaser_over_retrying",
            "counter_phaser_over_locks",
            "counter_phaser_over_none"),
        result.ratios().keySet());
    assertTrue(new MicroReport(result).html().contains("<svg"));
  }
}
