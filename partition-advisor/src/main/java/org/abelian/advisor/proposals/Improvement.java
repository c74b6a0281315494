package org.abelian.advisor.proposals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.proposals.KeyUses.Key;
import org.abelian.advisor.proposals.KeyUses.Use;

/** Looks for the next key that should lie elsewhere. Keys move in memory only. */
final class Improvement {
  /** Transactions that a join must save; fewer may be chance. */
  private static final double LEAST_SAVED = 5;

  /** The share of all transactions that a join must save. */
  private static final double LEAST_SHARE = 0.005;

  /** The share of all transactions that may become distributed so that a node has less to do. */
  private static final double MOST_LOST = 0.01;

  /** Keys of a transaction; one with more stays apart whatever single key moves. */
  private static final int MOST_KEYS = 50;

  /** By how much of the mean the busiest node must have less to do. */
  private static final double LEAST_RELIEF = 0.02;

  private final List<Key> keys;
  private final List<Use> uses;
  private final double mostLoad;
  private final double[] load;
  private final double all;

  /**
   * For the present places of keys.
   *
   * @param mostLoad accesses of the busiest node over the mean that are no reason to move anything
   */
  Improvement(KeyUses used, double mostLoad) {
    keys = used.keys();
    uses = used.uses();
    this.mostLoad = mostLoad;
    load = used.elsewhere();
    keys.forEach(key -> load[key.node] += key.load);
    all = uses.stream().mapToDouble(Use::weight).sum();
  }

  /**
   * A key and the node, from 0, to which it should go.
   *
   * @param with the number of the key that it is used with most often there, or -1
   */
  record Found(Proposal.Reason reason, int key, int to, int with) {}

  /** What all transactions cost as keys lie now. */
  Proposal.Cost cost() {
    double distributed = 0;
    for (Use use : uses) {
      distributed += nodes(use, -1, -1) > 1 ? use.weight() : 0;
    }
    return new Proposal.Cost(all == 0 ? 0 : distributed / all, mean() == 0 ? 1 : max() / mean());
  }

  /** The best move; null when none is worth it. */
  Found next() {
    Map<Integer, double[]> gains = gains();
    Found join = bestJoin(gains);
    return join != null ? join : bestRelief(gains);
  }

  /** Moves it. */
  void make(Found found) {
    Key key = keys.get(found.key());
    load[key.node] -= key.load;
    load[found.to()] += key.load;
    key.node = found.to();
  }

  private double mean() {
    double sum = 0;
    for (double one : load) {
      sum += one;
    }
    return sum / load.length;
  }

  private double max() {
    double max = 0;
    for (double one : load) {
      max = Math.max(max, one);
    }
    return max;
  }

  /** How many nodes a transaction needs; 2 for more. One key may be taken for moved. */
  private int nodes(Use use, int moved, int to) {
    if (use.everywhere()) {
      return load.length;
    }
    int first = use.fixed();
    for (int key : use.keys()) {
      int node = key == moved ? to : keys.get(key).node;
      if (first >= 0 && node != first) {
        return 2;
      }
      first = node;
    }
    return 1;
  }

  /**
   * For each key and node, how many transactions need no second node any more if the key goes
   * there, less those that need one then. Only of keys that are used with others.
   */
  private Map<Integer, double[]> gains() {
    Map<Integer, double[]> gains = new HashMap<>();
    for (Use use : uses) {
      int together = use.keys().length + (use.fixed() < 0 ? 0 : 1);
      if (use.everywhere() || together < 2 || together > MOST_KEYS) {
        continue;
      }
      int before = nodes(use, -1, -1);
      for (int key : use.keys()) {
        double[] gain = gains.computeIfAbsent(key, fresh -> new double[load.length]);
        for (int node = 0; node < load.length; node++) {
          if (node != keys.get(key).node) {
            gain[node] += use.weight() * (before - nodes(use, key, node));
          }
        }
      }
    }
    return gains;
  }

  private Found bestJoin(Map<Integer, double[]> gains) {
    double best = Math.max(LEAST_SAVED, LEAST_SHARE * all);
    int bestKey = -1;
    int bestNode = -1;
    for (Map.Entry<Integer, double[]> entry : gains.entrySet()) {
      for (int node = 0; node < load.length; node++) {
        double gain = entry.getValue()[node];
        boolean better = gain > best || gain == best && bestKey > entry.getKey();
        if (better && fits(entry.getKey(), node)) {
          best = gain;
          bestKey = entry.getKey();
          bestNode = node;
        }
      }
    }
    return bestKey < 0
        ? null
        : new Found(Proposal.Reason.JOIN, bestKey, bestNode, partner(bestKey, bestNode));
  }

  /** The node does not become too busy, or is not busier than one is now. */
  private boolean fits(int key, int node) {
    return load[node] + keys.get(key).load <= Math.max(mostLoad * mean(), max());
  }

  private int partner(int key, int node) {
    Map<Integer, Double> together = new HashMap<>();
    for (Use use : uses) {
      boolean has = false;
      for (int one : use.keys()) {
        has |= one == key;
      }
      for (int one : use.keys()) {
        if (has && one != key && keys.get(one).node == node) {
          together.merge(one, use.weight(), Double::sum);
        }
      }
    }
    return together.entrySet().stream()
        .max(
            Map.Entry.<Integer, Double>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey)
        .orElse(-1);
  }

  /** The key whose going leaves the least to the busier of the two nodes. */
  private Found bestRelief(Map<Integer, double[]> gains) {
    int busiest = 0;
    int idlest = 0;
    for (int node = 0; node < load.length; node++) {
      busiest = load[node] > load[busiest] ? node : busiest;
      idlest = load[node] < load[idlest] ? node : idlest;
    }
    if (load[busiest] <= mostLoad * mean()) {
      return null;
    }
    double best = load[busiest] - LEAST_RELIEF * mean();
    int bestKey = -1;
    for (int number = 0; number < keys.size(); number++) {
      Key key = keys.get(number);
      double after = Math.max(load[busiest] - key.load, load[idlest] + key.load);
      double[] gain = gains.get(number);
      boolean harmless = gain == null || gain[idlest] >= -MOST_LOST * all;
      if (key.node == busiest && after < best && harmless) {
        best = after;
        bestKey = number;
      }
    }
    return bestKey < 0 ? null : new Found(Proposal.Reason.ISOLATE, bestKey, idlest, -1);
  }
}
