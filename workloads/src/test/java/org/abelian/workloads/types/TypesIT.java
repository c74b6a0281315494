package org.abelian.workloads.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.junit.jupiter.api.Test;

/** The idioms on one PostgreSQL, small. */
@WithNode
class TypesIT {
  private final Database database;

  TypesIT(LocalNode node) {
    database = new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  private TypesBench bench(String... idioms) {
    TypesOptions options = new TypesOptions(4, 1, 1, 100, List.of(idioms));
    return new TypesBench(database, LocalNode.binDirectory(), options);
  }

  @Test
  void everyRatioIsMeasuredAndEachTableHoldsWhatWasCommitted() throws Exception {
    BenchResult result = bench().run(progress -> {});
    assertEquals(
        List.of(
            "conditional_decrement_over_plain",
            "conditional_decrement_over_unconditional",
            "conditional_decrement_uncontended_over_plain",
            "bounded_transfer_over_plain",
            "overdraft_transfer_over_plain",
            "set_add_over_table",
            "set_growth_over_table",
            "dict_increment_over_jsonb",
            "leaderboard_over_table",
            "rate_limit_over_plain",
            "seats_over_plain",
            "top_ten_by_counter_over_plain",
            "indexed_writes_over_unindexed"),
        List.copyOf(result.ratios().keySet()));
    result.ratios().forEach((name, ratio) -> assertTrue(ratio > 0, name + ": " + ratio));
    for (BenchRow row : result.rows()) {
      assertTrue(row.throughput() > 0, row::toString);
    }
  }

  @Test
  void oneIdiomIsMeasuredAlone() throws Exception {
    BenchResult result = bench("set_add").run(progress -> {});
    assertEquals(List.of("set_add_over_table"), List.copyOf(result.ratios().keySet()));
  }

  @Test
  void anUnknownIdiomIsRefusedWithTheNamesOfThoseThereAre() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> bench("nothing"));
    assertTrue(refused.getMessage().contains("conditional_decrement"), refused.getMessage());
  }
}
