package org.abelian.workloads.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {
  private static final BenchResult RESULT =
      new BenchResult(
          "hotrow",
          Map.of("clients", 64),
          List.of(new BenchRow("counter hot", 64, 20_000.5, 2.5, 9, 0)),
          Map.of("hot_over_plain", 10.25),
          Map.of("per_second", List.of(1, 2, 3)));

  @TempDir Path folder;

  @Test
  void theJsonHasThePromisedMembers() throws IOException {
    Path file = folder.resolve("deep/result.json");
    ResultFile.write(RESULT, file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertEquals("hotrow", json.get("name").asText());
    assertEquals(64, json.get("parameters").get("clients").asInt());
    assertEquals(10.25, json.get("ratios").get("hot_over_plain").asDouble());
    assertEquals(3, json.get("per_second").size());
    assertTrue(json.get("further") == null, "further members stand in the object itself");
    Set<String> names = new TreeSet<>();
    for (Iterator<String> i = json.get("rows").get(0).fieldNames(); i.hasNext(); ) {
      names.add(i.next());
    }
    assertEquals(
        Set.of("variant", "clients", "throughput_per_s", "p50_ms", "p99_ms", "failures"), names);
  }

  @Test
  void aResultIsReadAsItWasWritten() throws IOException {
    Path file = folder.resolve("result.json");
    ResultFile.write(RESULT, file);
    assertEquals(RESULT, ResultFile.read(file));
  }
}
