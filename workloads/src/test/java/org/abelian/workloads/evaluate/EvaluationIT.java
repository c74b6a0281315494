package org.abelian.workloads.evaluate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.report.EvaluationReport;
import org.abelian.workloads.tpcw.TpcwMix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The evaluation on one PostgreSQL and on three nodes, as small as it can be. */
@WithNode
@WithCluster
class EvaluationIT {
  private static final Size TINY =
      new Size(
          "tiny",
          Duration.ofMillis(300),
          1,
          Duration.ZERO,
          4,
          1e-3,
          5,
          List.of(Duration.ZERO),
          List.of(50),
          List.of(5),
          List.of(TpcwMix.ORDERING));

  private final Path folder;
  private final Evaluation evaluation;

  EvaluationIT(LocalNode node, LocalCluster cluster, @TempDir Path folder) {
    this.folder = folder;
    Targets targets =
        new Targets(
            database(node.jdbcUrl()),
            database(cluster.driverUrl()),
            cluster.nodes().stream().map(each -> database(each.jdbcUrl())).toList(),
            LocalNode.binDirectory());
    evaluation = new Evaluation(targets, TINY, 1, folder, Map.of("processors", 2));
  }

  private static Database database(String url) {
    return new Database(url, LocalNode.USER, LocalNode.USER);
  }

  @Test
  void experimentsMeasureAllTheirRatiosAndLeaveConsistentTables() throws Exception {
    List<BenchResult> results = evaluation.run("rubis-bid|like|tpcw|micro", false, progress -> {});
    assertEquals(List.of("rubis-bid-heavy-0us", "like", "tpcw-ordering", "micro"), names(results));
    assertTrue(Files.exists(EvaluationReport.write(results, folder)));
    for (BenchResult result : results) {
      result.ratios().forEach((ratio, value) -> assertTrue(value > 0, ratio + ": " + value));
      Map<?, ?> consistency = (Map<?, ?>) result.further().get("consistency");
      assertEquals(result.name().equals("micro"), consistency.isEmpty(), result.name());
      consistency.forEach(
          (where, rules) -> assertHold(result.name() + ", " + where, (Map<?, ?>) rules));
    }
  }

  private static void assertHold(String where, Map<?, ?> rules) {
    rules.forEach((claim, violations) -> assertEquals(0L, violations, where + ": " + claim));
  }

  @Test
  void aResumedEvaluationKeepsWhatIsThereAndMeasuresTheRest() throws Exception {
    evaluation.run("incr", false, progress -> {});
    List<String> told = new ArrayList<>();
    List<BenchResult> results = evaluation.run("incr|bank", true, told::add);
    assertEquals(List.of("incr", "bank"), names(results));
    assertTrue(told.contains("keeping " + folder.resolve("incr.json")), told::toString);
    assertTrue(told.contains("experiment bank"), told::toString);
  }

  private static List<String> names(List<BenchResult> results) {
    return results.stream().map(BenchResult::name).toList();
  }
}
