package org.abelian.workloads.report;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.BenchRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvaluationReportTest {
  @TempDir Path folder;

  @Test
  void whatHasNoProfileIsShownWithoutOne() throws IOException {
    BenchResult result = result(1.5, 0);
    result.further().put("waits_percent", Map.of());
    String page = Files.readString(EvaluationReport.write(List.of(result), folder));
    assertTrue(page.contains("**falls short**"), page);
    assertFalse(page.contains("in percent"), page);
  }

  private static BenchResult result(double ratio, long violations) {
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("title", "LIKE, 1.0 ms");
    further.put("descriptions", List.of("10 users"));
    further.put("points", List.of(""));
    further.put("arms", List.of("plain", "node"));
    further.put(
        "comparisons",
        List.of(
            Map.of("ratio", "r", "over", "node", "under", "plain", "goal", 2.0, "paper", "P: 3")));
    Map<String, Object> counts = Map.of("retries", 1234, "failed", Map.of("40001", 2));
    further.put("counts", Map.of("plain", counts, "node", counts));
    further.put("waits_percent", Map.of("plain", Map.of("Lock: tuple", 90.0), "node", Map.of()));
    further.put("consistency", Map.of("ONE PLAIN", Map.of("all is well", violations)));
    further.put("environment", Map.of("processors", 2));
    return new BenchResult(
        "like",
        Map.of("size", "quick", "clients", 64),
        List.of(new BenchRow("plain", 64, 1000, 1, 2, 0), new BenchRow("node", 64, 1500, 1, 2, 0)),
        Map.of("r", ratio),
        further);
  }

  private String page(double ratio, long violations) throws IOException {
    return Files.readString(EvaluationReport.write(List.of(result(ratio, violations)), folder));
  }

  @Test
  void whatFallsShortIsSaidWithAProfile() throws IOException {
    String page = page(1.5, 0);
    assertTrue(page.contains("| 1.50 | 2.00 | **falls short** | P: 3 |"), page);
    assertTrue(page.contains("- plain: Lock: tuple=90.0"), page);
    assertTrue(page.contains("| plain | 1,000 | 1.00 | 2.00 | 1,234 | 40001=2 |"), page);
  }

  @Test
  void whatIsReachedIsSaidWithoutAProfile() throws IOException {
    String page = page(2, 0);
    assertTrue(page.contains("| 2.00 | 2.00 | reached | P: 3 |"), page);
    assertFalse(page.contains("Lock: tuple"), page);
  }

  @Test
  void aBrokenRuleIsSaid() throws IOException {
    assertTrue(page(2, 0).contains("every rule of consistency held"));
    String page = page(2, 7);
    assertTrue(page.contains("**Broken afterwards:** all is well (ONE PLAIN: 7)"), page);
  }

  @Test
  void eachExperimentHasAPictureThatThePageShowsAndALinkThatLeadsToIt() throws IOException {
    String page = page(2, 0);
    assertTrue(page.contains("![throughput](like.svg)"), page);
    assertTrue(Files.readString(folder.resolve("like.svg")).startsWith("<svg"));
    assertTrue(page.contains("[like](#like-10-ms)") && page.contains("## LIKE, 1.0 ms"), page);
  }
}
