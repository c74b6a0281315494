package org.abelian.advisor.validation;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Which of several placements to take. */
public final class Choice {
  /** Standard deviations by which a share must be greater than another to be so in truth. */
  private static final double DEVIATIONS = 2;

  /**
   * What a distributed transaction costs beyond a local one with the same accesses: as much again,
   * as Schism measured (Curino et al., VLDB 2010).
   */
  private static final double COST_OF_DISTRIBUTION = 1;

  private Choice() {}

  /**
   * The simplest of those that are about as good as the best, and balanced if any is. To be
   * balanced is no merit where all nodes do what elsewhere one does, nor where most transactions
   * are distributed for it: a placement does not count as balanced if one that is not has less to
   * do on its busiest node, and distributes less.
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
        among.stream()
            .filter(one -> one.loadBalance() <= mostBalance)
            .filter(
                one ->
                    among.stream()
                        .filter(other -> other.loadBalance() > mostBalance)
                        .noneMatch(other -> isLessWork(other, one)))
            .toList();
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

  private static boolean isLessWork(Judgement one, Judgement other) {
    return work(one) < work(other) && one.distributed() < other.distributed();
  }

  private static double work(Judgement one) {
    return one.busiest() * (1 + COST_OF_DISTRIBUTION * one.distributed());
  }
}
