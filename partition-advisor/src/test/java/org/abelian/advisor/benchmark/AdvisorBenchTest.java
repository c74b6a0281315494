package org.abelian.advisor.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.files.JsonFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark on a small trace: that it measures and compares, not what comes out. */
class AdvisorBenchTest {
  @TempDir Path folder;

  @Test
  void comparesWithThePlacementByHand() {
    Path json = folder.resolve("result.json");
    assertEquals(
        0,
        Commands.execute(
            "bench", "--only", "epinions", "--share", "0.1", "--json", json.toString()));
    JsonNode result = JsonFile.read(json, JsonNode.class);
    JsonNode epinions = result.get("workloads").get("epinions");
    double manual = 1 - epinions.get("manual").get("shares").get("SINGLE").asDouble();
    double advised = 1 - epinions.get("advised").get("shares").get("SINGLE").asDouble();
    // With everything everywhere, what writes is distributed: half of all.
    assertEquals(0.5, manual, 0.08);
    assertEquals(advised / manual, epinions.get("distributed_over_manual").asDouble(), 1e-9);
    assertEquals(
        epinions.get("distributed_over_manual"),
        result.get("ratios").get("distributed_over_manual"));
    assertEquals(
        List.of("graph", "partition", "explain", "validate", "report"),
        epinions.get("phases").findValuesAsText("phase"));
    for (JsonNode phase : epinions.get("phases")) {
      // A Java process has that much even if it does nothing.
      assertTrue(phase.get("mebibytes").asLong() > 10, phase::toString);
    }
  }
}
