package org.abelian.advisor.validation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.PlacedTuples;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;

/** Runs transactions through one placement, and counts. */
final class Judge {
  private final Workload workload;
  private final Tuples tuples;
  private final Candidate candidate;
  private final PlacedTuples placed;
  private final int nodes;
  private final double[] kinds = new double[TransactionKind.values().length];
  private final double[] ofClass;
  private final double[] distributedOfClass;
  private final double[] load;
  private final long[][] together;
  private final Map<String, Double> retypings = new TreeMap<>();
  private double all;
  private double misrouted;
  private double visits;

  /** For one candidate. */
  Judge(Workload workload, Candidate candidate, Lookups lookups, int nodes) {
    this.workload = workload;
    this.candidate = candidate;
    this.nodes = nodes;
    tuples = workload.tuples();
    placed = new PlacedTuples(tuples, candidate, lookups, nodes);
    ofClass = new double[workload.classes().size()];
    distributedOfClass = new double[ofClass.length];
    load = new double[nodes];
    together = new long[nodes][nodes];
  }

  /** Judges all transactions. */
  Judgement judge() {
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      judge(transaction);
    }
    all = all == 0 ? 1 : all;
    Map<TransactionKind, Double> shares = new EnumMap<>(TransactionKind.class);
    for (TransactionKind kind : TransactionKind.values()) {
      shares.put(kind, kinds[kind.ordinal()] / all);
    }
    return new Judgement(
        candidate.name(),
        candidate.title(),
        candidate.kind(),
        candidate.loadable(tuples.tables()),
        shares,
        misrouted / all,
        visits / all,
        overMean(load),
        Arrays.stream(load).max().orElse(0) / all,
        overMean(rows()),
        classes(),
        retypings.entrySet().stream()
            .map(entry -> new Judgement.Retyping(entry.getKey(), entry.getValue() / all))
            .sorted(Comparator.comparingDouble(Judgement.Retyping::saved).reversed())
            .limit(20)
            .toList(),
        together);
  }

  /** The nodes that a transaction must reach, were it one call; empty when any will do. */
  BitSet needed(int transaction) {
    return new Visit(workload, placed, transaction, true, new double[nodes], 0).visited();
  }

  private void judge(int transaction) {
    double weight = workload.weight(transaction);
    all += weight;
    Visit visit =
        new Visit(workload, placed, transaction, workload.oneShot(transaction), load, weight);
    visit.settle();
    TransactionKind kind = visit.kind();
    kinds[kind.ordinal()] += weight;
    ofClass[workload.classOf(transaction)] += weight;
    misrouted += visit.isLost() ? weight : 0;
    visits += weight * visit.visited().cardinality();
    if (kind != TransactionKind.SINGLE) {
      distributedOfClass[workload.classOf(transaction)] += weight;
      remember(visit.visited());
    }
    String retypings = visit.retypings();
    if (kind.compareTo(TransactionKind.COMMUTING) > 0 && retypings != null) {
      this.retypings.merge(retypings, weight, Double::sum);
    }
  }

  private void remember(BitSet visited) {
    for (int a = visited.nextSetBit(0); a >= 0; a = visited.nextSetBit(a + 1)) {
      for (int b = visited.nextSetBit(a + 1); b >= 0; b = visited.nextSetBit(b + 1)) {
        together[a][b]++;
      }
    }
  }

  private List<Judgement.OfClass> classes() {
    List<Judgement.OfClass> classes = new ArrayList<>();
    for (int i = 0; i < ofClass.length; i++) {
      classes.add(
          new Judgement.OfClass(
              workload.classes().get(i),
              ofClass[i] / all,
              ofClass[i] == 0 ? 0 : distributedOfClass[i] / ofClass[i]));
    }
    classes.sort(Comparator.comparingDouble(Judgement.OfClass::share).reversed());
    return classes;
  }

  /** Rows that the transactions touched, by node. What names only a part of a key is no row. */
  private double[] rows() {
    double[] rows = new double[nodes];
    for (int tuple = 0; tuple < tuples.size(); tuple++) {
      int partition = placed.partition(tuple);
      if (partition >= 0) {
        rows[partition]++;
      } else if (partition == PlacedTuples.EVERYWHERE) {
        for (int node = 0; node < nodes; node++) {
          rows[node]++;
        }
      }
    }
    return rows;
  }

  private static double overMean(double[] values) {
    double sum = 0;
    double max = 0;
    for (double value : values) {
      sum += value;
      max = Math.max(max, value);
    }
    return sum == 0 ? 1 : max * values.length / sum;
  }
}
