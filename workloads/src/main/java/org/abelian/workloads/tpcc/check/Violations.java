package org.abelian.workloads.tpcc.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What contradicts one condition: how often, and the first few cases. Not thread-safe. */
public final class Violations {
  private static final int MAX_EXAMPLES = 5;

  private final List<String> examples = new ArrayList<>();
  private long checked;
  private long count;

  /** Compares one pair of figures. */
  void expectEqual(long left, long right, String where) {
    expect(left == right, () -> "%s: %d and %d".formatted(where, left, right));
  }

  /** Compares one pair of sums of money. */
  void expectEqualMoney(long leftCents, long rightCents, String where) {
    expect(
        leftCents == rightCents,
        () -> "%s: %s and %s".formatted(where, Money.text(leftCents), Money.text(rightCents)));
  }

  void expect(boolean holds, Supplier<String> description) {
    checked++;
    if (holds) {
      return;
    }
    count++;
    if (examples.size() < MAX_EXAMPLES) {
      examples.add(description.get());
    }
  }

  /** How many cases were looked at. */
  public long checked() {
    return checked;
  }

  public long count() {
    return count;
  }

  public List<String> examples() {
    return List.copyOf(examples);
  }
}
