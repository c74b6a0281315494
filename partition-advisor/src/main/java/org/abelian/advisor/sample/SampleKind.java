package org.abelian.advisor.sample;

/** Benchmarks of which traces can be drawn. */
public enum SampleKind {
  /** {@link TpccSample}; the scale is the number of warehouses. */
  TPCC("TPC-C") {
    @Override
    public Sample create(int scale, long seed) {
      return new TpccSample(scale, seed);
    }
  },
  /** {@link SocialSample}; the scale is the number of users, in hundreds. */
  SOCIAL("a social network") {
    @Override
    public Sample create(int scale, long seed) {
      return new SocialSample(scale * 100, seed);
    }
  };

  private final String title;

  SampleKind(String title) {
    this.title = title;
  }

  /** For people. */
  public String title() {
    return title;
  }

  /** A generator. */
  public abstract Sample create(int scale, long seed);
}
