package org.abelian.advisor.validation;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Which of several placements to take. */
public final class Choice {
  private Choice() {}

  /** The simplest of those that are about as good as the best, and balanced if any is. */
  public static Optional<String> of(
      List<Judgement> judgements,
      double tolerance,
      double mostBalance,
      Predicate<Judgement> eligible) {
    List<Judgement> among = judgements.stream().filter(eligible).toList();
    List<Judgement> balanced =
        among.stream().filter(one -> one.loadBalance() <= mostBalance).toList();
    List<Judgement> left = balanced.isEmpty() ? among : balanced;
    double best = left.stream().mapToDouble(Judgement::distributed).min().orElse(1);
    return left.stream()
        .filter(one -> one.distributed() <= best + tolerance)
        .min(
            Comparator.comparing(Judgement::kind)
                .thenComparingDouble(Judgement::distributed)
                .thenComparingDouble(Judgement::loadBalance)
                .thenComparing(Judgement::name))
        .map(Judgement::name);
  }
}
