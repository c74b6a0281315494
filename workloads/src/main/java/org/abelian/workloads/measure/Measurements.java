package org.abelian.workloads.measure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The samples of all variants and rounds. */
public final class Measurements {
  private final List<Variant> variants;
  private final Map<String, List<Sample>> samples;

  /**
   * @param samples per name of a variant, one for each round
   */
  public Measurements(List<Variant> variants, Map<String, List<Sample>> samples) {
    this.variants = List.copyOf(variants);
    this.samples = Map.copyOf(samples);
  }

  /** These, and others behind them. */
  public Measurements and(Measurements others) {
    List<Variant> all = new ArrayList<>(variants);
    all.addAll(others.variants);
    Map<String, List<Sample>> both = new HashMap<>(samples);
    both.putAll(others.samples);
    return new Measurements(all, both);
  }

  /** A row for each variant: medians over the rounds, failures of all rounds. */
  public List<BenchRow> rows() {
    return variants.stream().map(this::row).toList();
  }

  private BenchRow row(Variant variant) {
    List<Sample> own = samples.get(variant.name());
    return new BenchRow(
        variant.name(),
        variant.clients(),
        median(own, Sample::throughput),
        median(own, Sample::p50Millis),
        median(own, Sample::p99Millis),
        own.stream().mapToLong(Sample::failures).sum());
  }

  /**
   * Median over the rounds of throughput of one variant over that of another in the same round; NaN
   * when one of them was not measured.
   */
  public double ratio(String variant, String base) {
    List<Sample> over = samples.getOrDefault(variant, List.of());
    List<Sample> under = samples.getOrDefault(base, List.of());
    if (over.isEmpty() || under.isEmpty()) {
      return Double.NaN;
    }
    return Statistics.median(
        IntStream.range(0, over.size())
            .mapToDouble(round -> over.get(round).throughput() / under.get(round).throughput())
            .toArray());
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
    return Statistics.median(samples.stream().mapToDouble(figure).toArray());
  }
}
