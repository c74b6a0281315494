package org.abelian.workloads.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private static BenchResult hotRow() {
    List<BenchRow> rows = new ArrayList<>();
    for (String type : List.of("bigint ", "counter ")) {
      for (String load : List.of("hot", "hot, 2 ms think time", "uniform")) {
        rows.add(new BenchRow(type + load, 64, 1234.5, 1, 2, 0));
      }
    }
    return new BenchResult(
        "hotrow", Map.of("clients", 64), rows, Map.of("hot_over_plain", 9.5), Map.of());
  }

  private static BenchResult tpcc(long violations) {
    Map<String, Object> finding =
        Map.of("condition", "C1", "text", "a < b & c", "checked", 4, "violations", violations);
    return new BenchResult(
        "tpcc",
        Map.of("warehouses", 4, "terminals", 8),
        List.of(new BenchRow("tpcc", 8, 700, 8, 80, 0)),
        Map.of(),
        Map.of(
            "per_second", List.of(600, 700, 800),
            "commit_classes", Map.of("single", 0.89, "coordinated", 0.11),
            "consistency", List.of(finding)));
  }

  private static String page(long violations) {
    return new DemoReport(hotRow(), tpcc(violations), tpcc(violations)).html();
  }

  @Test
  void thePageNeedsNothingFromTheNetwork() {
    String html = page(0);
    String withoutNamespaces = html.replaceAll("xmlns(:\\w+)?=\"[^\"]*\"", "");
    assertFalse(
        Pattern.compile("https?:|\\ssrc=|<link|<script|@import|url\\((?!#)")
            .matcher(withoutNamespaces)
            .find());
  }

  @Test
  void thePageHasTablesAndTwoPictures() {
    String html = page(0);
    assertEquals(2, html.split("<svg", -1).length - 1);
    assertTrue(html.contains("hot_over_plain") && html.contains("9.50"));
    assertTrue(html.contains("11.0 %") && html.contains("coordinated"));
    assertTrue(html.contains("a &lt; b &amp; c"), "text is escaped");
  }

  @Test
  void aViolationIsSaidAloud() {
    assertTrue(page(0).contains("All conditions hold."));
    assertTrue(page(3).contains("3 violations."));
    assertFalse(page(3).contains("All conditions hold."));
  }
}
