package org.abelian.workloads.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasurementsTest {
  private static Sample sample(double throughput) {
    return new Sample(throughput, 1, 2, 3);
  }

  @Test
  void aRatioIsTheMedianOfTheRoundsRatiosNotTheRatioOfMedians() {
    List<Variant> variants =
        List.of(new Variant("a", 1, r -> sample(0)), new Variant("b", 1, r -> sample(0)));
    Measurements measured =
        new Measurements(
            variants,
            Map.of(
                "a", List.of(sample(10), sample(40), sample(90)),
                "b", List.of(sample(10), sample(10), sample(100))));
    // Rounds: 1.0, 4.0, 0.9. Ratio of medians would be 40 / 10.
    assertEquals(1.0, measured.ratio("a", "b"), 1e-9);
  }

  @Test
  void rowsHaveMediansAndTheFailuresOfAllRounds() throws Exception {
    double[] throughput = {5, 1, 9};
    Variant variant = new Variant("a", 8, round -> sample(throughput[round]));
    BenchRow row = new Interleaving(List.of(variant), 3).run(line -> {}).rows().get(0);
    assertEquals(new BenchRow("a", 8, 5, 1, 2, 9), row);
  }

  @Test
  void variantsThatWereMeasuredLaterAreComparedToo() throws Exception {
    Measurements first =
        new Interleaving(List.of(new Variant("a", 1, round -> sample(2))), 2).run(line -> {});
    Measurements later =
        new Interleaving(List.of(new Variant("b", 1, round -> sample(4))), 2).run(line -> {});
    Measurements both = first.and(later);
    assertEquals(List.of("a", "b"), both.rows().stream().map(BenchRow::variant).toList());
    assertEquals(2, both.ratio("b", "a"), 1e-9);
  }

  @Test
  void everyRoundBeginsWithAnotherVariant() throws Exception {
    List<String> order = new ArrayList<>();
    List<Variant> variants = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      variants.add(
          new Variant(
              name,
              1,
              round -> {
                order.add(name);
                return sample(1);
              }));
    }
    new Interleaving(variants, 3).run(line -> {});
    assertEquals("abcbcacab", String.join("", order));
  }

  @Test
  void medianAndPercentileAreThoseOfTheBook() {
    assertEquals(2, Statistics.median(3, 1, 2));
    assertEquals(2.5, Statistics.median(4, 1, 2, 3));
    long[] hundred = new long[100];
    for (int i = 0; i < hundred.length; i++) {
      hundred[i] = i + 1;
    }
    assertEquals(50, Statistics.percentile(hundred, 50));
    assertEquals(99, Statistics.percentile(hundred, 99));
    assertEquals(100, Statistics.percentile(hundred, 100));
    assertThrows(IllegalArgumentException.class, () -> Statistics.median());
  }
}
