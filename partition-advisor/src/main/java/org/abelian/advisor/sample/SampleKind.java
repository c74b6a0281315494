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
  /** {@link TpcwSample}; the scale is the number of emulated browsers. */
  TPCW("TPC-W") {
    @Override
    public Sample create(int scale, long seed) {
      return new TpcwSample(scale, seed);
    }
  },
  /** {@link AuctionMarkSample}; the scale is the number of users, in thousands. */
  AUCTIONMARK("AuctionMark") {
    @Override
    public Sample create(int scale, long seed) {
      return new AuctionMarkSample(scale, seed);
    }
  },
  /** {@link EpinionsSample}; scale 1 has 2,000 users and 1,000 items. */
  EPINIONS("EPinions") {
    @Override
    public Sample create(int scale, long seed) {
      return new EpinionsSample(scale, seed);
    }
  },
  /** {@link RetwisSample}; the scale is the number of users, in hundreds. */
  RETWIS("ReTwis") {
    @Override
    public Sample create(int scale, long seed) {
      return new RetwisSample(scale * 100, seed);
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
