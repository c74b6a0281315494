package org.abelian.advisor.sample;

/** Benchmarks of which traces can be drawn. */
public enum SampleKind {
  /** The scale is the number of warehouses. */
  TPCC("TPC-C", TpccSample::new),
  /** The scale is the number of emulated browsers. */
  TPCW("TPC-W", TpcwSample::new),
  /** The scale is the number of users, in thousands. */
  AUCTIONMARK("AuctionMark", AuctionMarkSample::new),
  /** Scale 1 has 2,000 users and 1,000 items. */
  EPINIONS("EPinions", EpinionsSample::new),
  /** The scale is the number of users, in hundreds. */
  RETWIS("ReTwis", (scale, seed) -> new RetwisSample(scale * 100, seed)),
  /** The scale is the number of users, in hundreds. */
  SOCIAL("a social network", (scale, seed) -> new SocialSample(scale * 100, seed));

  private final String title;
  private final Maker maker;

  /** Makes a generator. */
  @FunctionalInterface
  private interface Maker {
    Sample make(int scale, long seed);
  }

  SampleKind(String title, Maker maker) {
    this.title = title;
    this.maker = maker;
  }

  /** For people. */
  public String title() {
    return title;
  }

  /**
   * A generator.
   *
   * @param seed the same seed gives the same trace
   */
  public Sample create(int scale, long seed) {
    return maker.make(scale, seed);
  }
}
