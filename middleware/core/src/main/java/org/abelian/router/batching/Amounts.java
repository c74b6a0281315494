package org.abelian.router.batching;

import java.util.ArrayList;
import java.util.List;

/** What a statement does to each of its columns. Immutable. */
public record Amounts(List<Amount> columns) implements Batchable<Amounts> {
  /** Copies the list. */
  public Amounts {
    columns = List.copyOf(columns);
  }

  @Override
  public Amounts plus(Amounts other) {
    List<Amount> sums = new ArrayList<>(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      Amount sum = columns.get(i).plus(other.columns.get(i));
      if (sum == null) {
        return null;
      }
      sums.add(sum);
    }
    return new Amounts(sums);
  }
}
