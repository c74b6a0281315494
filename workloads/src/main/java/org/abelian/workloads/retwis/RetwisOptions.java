package org.abelian.workloads.retwis;

/**
 * Size and mix.
 *
 * @param scale of {@code 2^scale} users; the paper has 16
 * @param followers of each user, on average
 */
public record RetwisOptions(int scale, int followers, RetwisMix mix) {
  private static final int GREATEST_SCALE = 20;
  private static final int PAPER_FOLLOWERS = 16;

  public RetwisOptions {
    if (scale < 1 || scale > GREATEST_SCALE) {
      throw new IllegalArgumentException("Retwis has a scale from 1 to " + GREATEST_SCALE);
    }
  }

  /** As in the paper, with {@code 2^scale} users. */
  public static RetwisOptions of(int scale, RetwisMix mix) {
    return new RetwisOptions(scale, PAPER_FOLLOWERS, mix);
  }

  int users() {
    return 1 << scale;
  }
}
