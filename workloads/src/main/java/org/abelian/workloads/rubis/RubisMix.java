package org.abelian.workloads.rubis;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.random.Mix;

/** The two mixes of the Claret paper (table 3). */
public enum RubisMix {
  BID_HEAVY(52, 45, 1, 1, 1),
  READ_HEAVY(82, 10, 4, 2, 2);

  private static final double VIEWS = 0.75;

  private final Mix<RubisType> mix;

  RubisMix(
      double viewsAndBrowses, double bids, double opensAndCloses, double comments, double users) {
    Map<RubisType, Double> weights = new EnumMap<>(RubisType.class);
    weights.put(RubisType.VIEW_AUCTION, viewsAndBrowses * VIEWS);
    weights.put(RubisType.BROWSE, viewsAndBrowses * (1 - VIEWS));
    weights.put(RubisType.BID, bids);
    weights.put(RubisType.OPEN_AUCTION, opensAndCloses / 2);
    weights.put(RubisType.CLOSE_AUCTION, opensAndCloses / 2);
    weights.put(RubisType.COMMENT, comments);
    weights.put(RubisType.NEW_USER, users / 2);
    weights.put(RubisType.VIEW_USER, users / 2);
    mix = new Mix<>(weights);
  }

  RubisType draw(double fraction) {
    return mix.draw(fraction);
  }

  /** As options and results name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
