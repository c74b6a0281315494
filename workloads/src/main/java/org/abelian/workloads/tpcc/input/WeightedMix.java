package org.abelian.workloads.tpcc.input;

import org.abelian.workloads.tpcc.random.TpccRandom;

/** Each choice independent of the last, by the percentages (clause 5.2.4.1). */
public final class WeightedMix implements Mix {
  private final TpccRandom random;

  public WeightedMix(TpccRandom random) {
    this.random = random;
  }

  @Override
  public TransactionType next() {
    int drawn = random.uniform(1, 100);
    for (TransactionType type : TransactionType.values()) {
      drawn -= type.percent();
      if (drawn <= 0) {
        return type;
      }
    }
    throw new IllegalStateException("the percentages of the mix do not add up to 100");
  }
}
