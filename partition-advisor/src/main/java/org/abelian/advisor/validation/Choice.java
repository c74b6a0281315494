package org.abelian.advisor.validation;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Which of several placements to take. */
public final class Choice {
  /** Standard deviations by which a share must be greater than another to be so in truth. */
  private static final double DEVIATIONS = 2;

  private Choice() {}

  /**
   * The simplest of those that are about as good as the best, and balanced if any is.
   *
   * @param tolerance how much greater than the least share one may be; more, if so many
   *     transactions cannot tell the difference from chance
   * @param transactions how many judged
   */
  public static Optional<String> of(
      List<Judgement> judgements,
      double tolerance,
      double mostBalance,
      long transactions,
      Predicate<Judgement> eligible) {
    List<Judgement> among = judgements.stream().filter(eligible).toList();
    List<Judgement> balanced =
        among.stream().filter(one -> one.loadBalance() <= mostBalance).toList();
    List<Judgement> left = balanced.isEmpty() ? among : balanced;
    double best = left.stream().mapToDouble(Judgement::distributed).min().orElse(1);
    double chance = DEVIATIONS * Math.sqrt(best * (1 - best) / Math.max(1, transactions));
    double most = best + Math.max(tolerance, chance);
    return left.stream()
        .filter(one -> one.distributed() <= most)
        .min(
            Comparator.comparing(Judgement::kind)
                .thenComparingDouble(Judgement::distributed)
                .thenComparingDouble(Judgement::loadBalance)
                .thenComparing(Judgement::name))
        .map(Judgement::name);
  }
}
