package org.abelian.workloads.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures every variant once a round; each round begins with another variant, so that none always
 * comes first or after the same one.
 */
public final class Interleaving {
  private final List<Variant> variants;
  private final int rounds;

  public Interleaving(List<Variant> variants, int rounds) {
    if (rounds < 1) {
      throw new IllegalArgumentException("a benchmark needs at least one round");
    }
    this.variants = List.copyOf(variants);
    this.rounds = rounds;
  }

  /**
   * Runs all rounds.
   *
   * @param progress told a line about each measurement
   */
  public Measurements run(Consumer<String> progress) throws Exception {
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    variants.forEach(variant -> samples.put(variant.name(), new ArrayList<>()));
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < variants.size(); i++) {
        Variant variant = variants.get((round + i) % variants.size());
        Sample sample = variant.measurement().measure(round);
        samples.get(variant.name()).add(sample);
        progress.accept(
            "round %d of %d  %-32s %,12.0f/s"
                .formatted(round + 1, rounds, variant.name(), sample.throughput()));
      }
    }
    return new Measurements(variants, samples);
  }
}
