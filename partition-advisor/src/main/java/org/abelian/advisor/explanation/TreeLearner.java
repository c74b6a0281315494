package org.abelian.advisor.explanation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.abelian.advisor.placement.Rule;
import org.tribuo.Example;
import org.tribuo.MutableDataset;
import org.tribuo.classification.Label;
import org.tribuo.classification.LabelFactory;
import org.tribuo.classification.dtree.CARTClassificationTrainer;
import org.tribuo.classification.dtree.impurity.GiniIndex;
import org.tribuo.common.tree.LeafNode;
import org.tribuo.common.tree.Node;
import org.tribuo.common.tree.SplitNode;
import org.tribuo.common.tree.TreeModel;
import org.tribuo.impl.ArrayExample;
import org.tribuo.provenance.SimpleDataSourceProvenance;

/**
 * Learns a decision tree for one table: CART by Tribuo, no deeper than cross-validation finds
 * useful, and pruned by rows that it has not seen.
 */
final class TreeLearner {
  private static final int[] DEPTHS = {1, 3, 6, 12};
  private static final int FOLDS = 3;

  /** A deeper tree must be right about so many more of the unseen rows. */
  private static final double GAIN = 0.005;

  /** With fewer rows of a partition, there is nothing to validate with. */
  private static final int ROWS_OF_A_PARTITION = 10;

  /** The share of unseen rows of which one more answer must be right: rules are for people. */
  private static final double LEAF = 0.002;

  /** Texts with more values are asked about by the most frequent ones only. */
  private static final int MOST_TEXTS = 50;

  private final List<String> numbers;
  private final List<String> texts;
  private final List<Labelled> rows;
  private final List<Set<String>> asked = new ArrayList<>();
  private final LabelFactory labels = new LabelFactory();
  private final long seed;

  /** The weight of unseen rows that one more answer must be right about. */
  private double worth;

  /**
   * A learner.
   *
   * @param numbers the names of columns that are numbers
   * @param texts the names of the others
   * @param rows in an order that means nothing
   */
  TreeLearner(List<String> numbers, List<String> texts, List<Labelled> rows, long seed) {
    this.numbers = numbers;
    this.texts = texts;
    this.rows = rows;
    this.seed = seed;
    for (int i = 0; i < texts.size(); i++) {
      asked.add(frequent(i));
    }
  }

  /**
   * What was learnt.
   *
   * @param rule the tree
   * @param accuracy the share of unseen rows, weighted, of which a tree of that depth was right;
   *     NaN when there were too few rows to find out
   */
  record Learnt(Rule rule, double accuracy) {}

  /** Learns. */
  Learnt learn() {
    if (rows.size()
        < ROWS_OF_A_PARTITION * rows.stream().map(Labelled::partition).distinct().count()) {
      // Each row is the only one of its kind: nothing can be held back.
      return new Learnt(train(rows, DEPTHS[DEPTHS.length - 1]), Double.NaN);
    }
    int best = 0;
    double bestAccuracy = -1;
    for (int depth : DEPTHS) {
      double accuracy = crossValidated(depth);
      if (accuracy > bestAccuracy + GAIN) {
        best = depth;
        bestAccuracy = accuracy;
      }
    }
    List<Labelled> grow = new ArrayList<>();
    List<Labelled> prune = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      (i % FOLDS == 0 ? prune : grow).add(rows.get(i));
    }
    worth = LEAF * prune.stream().mapToDouble(Labelled::weight).sum();
    return new Learnt(pruned(train(grow, best), prune), bestAccuracy);
  }

  private double crossValidated(int depth) {
    double right = 0;
    double all = 0;
    for (int fold = 0; fold < FOLDS; fold++) {
      List<Labelled> seen = new ArrayList<>();
      List<Labelled> unseen = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        (i % FOLDS == fold ? unseen : seen).add(rows.get(i));
      }
      Rule rule = train(seen, depth);
      for (Labelled row : unseen) {
        all += row.weight();
        right += follow(rule, row) == row.partition() ? row.weight() : 0;
      }
    }
    return all == 0 ? 0 : right / all;
  }

  private Rule train(List<Labelled> seen, int depth) {
    if (seen.stream().mapToInt(Labelled::partition).distinct().count() < 2 || width() == 0) {
      return majority(seen.isEmpty() ? rows : seen);
    }
    MutableDataset<Label> data =
        new MutableDataset<>(new SimpleDataSourceProvenance("rows", labels), labels);
    for (Labelled row : seen) {
      data.add(example(row));
    }
    TreeModel<Label> model =
        new CARTClassificationTrainer(depth, 2.0f, 0.0f, 1.0f, false, new GiniIndex(), seed)
            .train(data);
    return converted(model.getRoot(), model);
  }

  private int width() {
    return numbers.size() + asked.stream().mapToInt(Set::size).sum();
  }

  private Example<Label> example(Labelled row) {
    ArrayExample<Label> example = new ArrayExample<>(new Label("" + row.partition()), row.weight());
    for (int i = 0; i < numbers.size(); i++) {
      if (!Double.isNaN(row.numbers()[i])) {
        example.add("n" + i, row.numbers()[i]);
      }
    }
    for (int i = 0; i < texts.size(); i++) {
      if (row.texts()[i] != null && asked.get(i).contains(row.texts()[i])) {
        example.add("t" + i + "=" + row.texts()[i], 1);
      }
    }
    // Tribuo refuses a row of which nothing is known.
    example.add("z", 1);
    return example;
  }

  private Rule converted(Node<Label> node, TreeModel<Label> model) {
    if (node instanceof LeafNode<Label> leaf) {
      return new Rule.Then(Integer.parseInt(leaf.getOutput().getLabel()));
    }
    SplitNode<Label> split = (SplitNode<Label>) node;
    Rule atMost = converted(split.getLessThanOrEqual(), model);
    Rule above = converted(split.getGreaterThan(), model);
    String feature = model.getFeatureIDMap().get(split.getFeatureID()).getName();
    if (feature.charAt(0) == 'n') {
      return new Rule.AtMost(
          numbers.get(Integer.parseInt(feature.substring(1))), split.splitValue(), atMost, above);
    }
    if (feature.charAt(0) == 'z') {
      return atMost;
    }
    int sign = feature.indexOf('=');
    return new Rule.Equal(
        texts.get(Integer.parseInt(feature.substring(1, sign))),
        feature.substring(sign + 1),
        above,
        atMost);
  }

  /** A split stays only if enough of the unseen rows that reach it are the better for it. */
  private Rule pruned(Rule rule, List<Labelled> unseen) {
    if (rule instanceof Rule.Then) {
      return rule;
    }
    if (unseen.isEmpty()) {
      return firstAnswer(rule);
    }
    List<Labelled> yes = new ArrayList<>();
    List<Labelled> no = new ArrayList<>();
    Rule split;
    if (rule instanceof Rule.AtMost atMost) {
      unseen.forEach(row -> (holds(atMost, row) ? yes : no).add(row));
      split =
          new Rule.AtMost(
              atMost.column(), atMost.value(), pruned(atMost.yes(), yes), pruned(atMost.no(), no));
    } else {
      Rule.Equal equal = (Rule.Equal) rule;
      unseen.forEach(row -> (holds(equal, row) ? yes : no).add(row));
      split =
          new Rule.Equal(
              equal.column(), equal.value(), pruned(equal.yes(), yes), pruned(equal.no(), no));
    }
    Rule flat = majority(unseen);
    double gain = wrong(flat, unseen) - wrong(split, unseen);
    return gain <= worth * (split.leaves() - 1) ? flat : same(split);
  }

  private static Rule firstAnswer(Rule rule) {
    if (rule instanceof Rule.AtMost split) {
      return firstAnswer(split.yes());
    }
    return rule instanceof Rule.Equal split ? firstAnswer(split.yes()) : rule;
  }

  /** A split whose two answers are the same is none. */
  private static Rule same(Rule rule) {
    if (rule instanceof Rule.AtMost s && s.yes() instanceof Rule.Then && s.yes().equals(s.no())) {
      return s.yes();
    }
    return rule instanceof Rule.Equal s && s.yes() instanceof Rule.Then && s.yes().equals(s.no())
        ? s.yes()
        : rule;
  }

  private double wrong(Rule rule, List<Labelled> among) {
    double wrong = 0;
    for (Labelled row : among) {
      wrong += follow(rule, row) == row.partition() ? 0 : row.weight();
    }
    return wrong;
  }

  private static Rule majority(List<Labelled> among) {
    Map<Integer, Double> votes = new HashMap<>();
    among.forEach(row -> votes.merge(row.partition(), (double) row.weight(), Double::sum));
    return new Rule.Then(
        votes.entrySet().stream()
            .max(
                Map.Entry.<Integer, Double>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey()))
            .orElseThrow()
            .getKey());
  }

  private int follow(Rule start, Labelled row) {
    Rule rule = start;
    while (!(rule instanceof Rule.Then)) {
      if (rule instanceof Rule.AtMost split) {
        rule = holds(split, row) ? split.yes() : split.no();
      } else if (rule instanceof Rule.Equal split) {
        rule = holds(split, row) ? split.yes() : split.no();
      }
    }
    return ((Rule.Then) rule).partition();
  }

  /** Tribuo takes what is not known for 0. */
  private boolean holds(Rule.AtMost split, Labelled row) {
    double number = row.numbers()[numbers.indexOf(split.column())];
    return (Double.isNaN(number) ? 0 : number) <= split.value();
  }

  private boolean holds(Rule.Equal split, Labelled row) {
    return split.value().equals(row.texts()[texts.indexOf(split.column())]);
  }

  private Set<String> frequent(int text) {
    Map<String, Double> weights = new HashMap<>();
    for (Labelled row : rows) {
      if (row.texts()[text] != null) {
        weights.merge(row.texts()[text], (double) row.weight(), Double::sum);
      }
    }
    Set<String> kept = new HashSet<>();
    weights.entrySet().stream()
        .sorted(
            Map.Entry.<String, Double>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MOST_TEXTS)
        .forEach(entry -> kept.add(entry.getKey()));
    return kept;
  }

  /** At most so many rows, drawn without regard to their order. */
  static List<Labelled> sample(List<Labelled> rows, int most, long seed) {
    List<Labelled> drawn = new ArrayList<>(rows);
    java.util.Collections.shuffle(drawn, new Random(seed));
    return drawn.subList(0, Math.min(most, drawn.size()));
  }
}
