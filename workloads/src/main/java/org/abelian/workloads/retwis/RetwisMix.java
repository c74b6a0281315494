package org.abelian.workloads.retwis;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.random.Mix;

/**
 * The two mixes of the Claret paper (table 3). Reposts are not drawn: they follow timelines, by the
 * model of a user.
 */
public enum RetwisMix {
  POST_HEAVY(90, 6, 2, 1, 0.9),
  READ_HEAVY(98, 1, 0.5, 0.2, 0.09);

  private final Mix<RetwisType> mix;
  private final double reposted;

  RetwisMix(double timelines, double reposts, double posts, double follows, double newUsers) {
    Map<RetwisType, Double> weights = new EnumMap<>(RetwisType.class);
    weights.put(RetwisType.TIMELINE, timelines);
    weights.put(RetwisType.POST, posts);
    weights.put(RetwisType.FOLLOW, follows);
    weights.put(RetwisType.NEW_USER, newUsers);
    mix = new Mix<>(weights);
    reposted = reposts / timelines;
  }

  RetwisType draw(double fraction) {
    return mix.draw(fraction);
  }

  /** How likely a post of a timeline that was looked at is reposted. */
  double reposted() {
    return reposted;
  }

  /** As options and results name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
