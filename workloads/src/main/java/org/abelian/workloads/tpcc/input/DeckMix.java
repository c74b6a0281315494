package org.abelian.workloads.tpcc.input;

import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.tpcc.random.TpccRandom;

/** Cards drawn without replacement from a shuffled deck of 23 (clause 5.2.4.2). */
public final class DeckMix implements Mix {
  private final TpccRandom random;
  private final List<TransactionType> cards = new ArrayList<>();
  private int drawn;

  public DeckMix(TpccRandom random) {
    this.random = random;
    for (TransactionType type : TransactionType.values()) {
      for (int i = 0; i < type.cards(); i++) {
        cards.add(type);
      }
    }
    drawn = cards.size();
  }

  @Override
  public TransactionType next() {
    if (drawn == cards.size()) {
      shuffle();
    }
    return cards.get(drawn++);
  }

  private void shuffle() {
    for (int i = cards.size() - 1; i > 0; i--) {
      int j = random.uniform(0, i);
      TransactionType card = cards.get(i);
      cards.set(i, cards.get(j));
      cards.set(j, card);
    }
    drawn = 0;
  }
}
