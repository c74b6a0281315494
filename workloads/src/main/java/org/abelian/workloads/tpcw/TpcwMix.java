package org.abelian.workloads.tpcw;

import java.util.Locale;
import org.abelian.workloads.random.Mix;

/** The mixes of the specification (clause 5.2), in percent. */
public enum TpcwMix {
  BROWSING(29, 11, 11, 21, 12, 11, 2, 0.82, 0.75, 0.69, 0.3, 0.25, 0.1, 0.09),
  SHOPPING(16, 5, 5, 17, 20, 17, 11.6, 3, 2.6, 1.2, 0.75, 0.66, 0.1, 0.09),
  ORDERING(
      9.12, 0.46, 0.46, 12.35, 14.53, 13.08, 13.53, 12.86, 12.73, 10.18, 0.25, 0.22, 0.12, 0.11);

  private final double[] percents;
  private final Mix<TpcwType> mix;

  TpcwMix(double... percents) {
    this.percents = percents;
    mix = Mix.of(TpcwType.values(), this::percent);
  }

  TpcwType draw(double fraction) {
    return mix.draw(fraction);
  }

  double percent(TpcwType type) {
    return percents[type.ordinal()];
  }

  /** As options and results name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
