package org.abelian.workloads.measure;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Result of a benchmark as it is printed and written as JSON.
 *
 * @param name name of the benchmark
 * @param parameters what it was asked for
 * @param ratios comparisons by name
 * @param further more members of the JSON object, which belong to this benchmark alone
 */
public record BenchResult(
    String name,
    Map<String, Object> parameters,
    List<BenchRow> rows,
    Map<String, Double> ratios,
    @JsonAnySetter Map<String, Object> further) {
  public BenchResult {
    parameters = new LinkedHashMap<>(parameters);
    rows = List.copyOf(rows);
    ratios = new LinkedHashMap<>(ratios);
    further = further == null ? Map.of() : new LinkedHashMap<>(further);
  }

  /** The further members as members of the object itself. */
  @Override
  @JsonAnyGetter
  public Map<String, Object> further() {
    return further;
  }
}
