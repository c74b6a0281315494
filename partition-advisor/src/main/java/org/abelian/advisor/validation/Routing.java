package org.abelian.advisor.validation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToIntFunction;
import org.abelian.advisor.placement.KeyPlaces;
import org.abelian.advisor.workload.TupleIdentity;
import org.abelian.advisor.workload.Workload;

/**
 * Finds out from which arguments of a class of transactions its nodes follow: the argument that
 * leads to most of the nodes that are needed, then the one that leads to most of the rest. One half
 * of the transactions is learnt from, the other one judges.
 */
final class Routing {
  private static final int MOST_ARGUMENTS = 3;

  /** The share of needed nodes that a further argument must add. */
  private static final double LEAST_GAIN = 0.01;

  /** What a node that is not needed costs, in nodes that are. */
  private static final double NEEDLESS = 0.3;

  private final Workload workload;
  private final Judge judge;
  private final List<ToIntFunction<String>> ways;

  Routing(Workload workload, Judge judge, KeyPlaces places) {
    this.workload = workload;
    this.judge = judge;
    ways = places.ways();
  }

  /** An argument, and the way from its value to a node. */
  private record Step(int argument, ToIntFunction<String> way) {}

  /** A transaction's arguments and needs. */
  private record Call(String[] arguments, BitSet needed) {}

  /** All classes, by number. */
  List<RoutedClass> all() {
    List<List<Call>> calls = new ArrayList<>();
    workload.classes().forEach(name -> calls.add(new ArrayList<>()));
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      calls
          .get(workload.classOf(transaction))
          .add(new Call(workload.parameters(transaction), judge.needed(transaction)));
    }
    List<RoutedClass> found = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      found.add(ofClass(workload.classes().get(i), calls.get(i)));
    }
    return found;
  }

  private RoutedClass ofClass(String name, List<Call> calls) {
    List<Call> learn = calls.subList(0, (calls.size() + 1) / 2);
    List<Call> judged = calls.subList(calls.size() / 2, calls.size());
    List<Step> steps = new ArrayList<>();
    double needed = learn.stream().mapToInt(call -> call.needed().cardinality()).sum();
    double reached = 0;
    while (steps.size() < MOST_ARGUMENTS) {
      Step best = null;
      double bestReached = reached + LEAST_GAIN * needed;
      for (Step option : options(learn)) {
        steps.add(option);
        double now = score(learn, steps);
        steps.remove(steps.size() - 1);
        if (now > bestReached) {
          best = option;
          bestReached = now;
        }
      }
      if (best == null) {
        break;
      }
      steps.add(best);
      reached = bestReached;
    }
    long right = judged.stream().filter(call -> reaches(call, steps)).count();
    long needless = judged.stream().filter(call -> exceeds(call, steps)).count();
    return new RoutedClass(
        name,
        steps.stream().map(step -> step.argument() + 1).toList(),
        right / (double) judged.size(),
        needless / (double) judged.size());
  }

  private List<Step> options(List<Call> calls) {
    int width = calls.stream().mapToInt(call -> call.arguments().length).max().orElse(0);
    List<Step> options = new ArrayList<>();
    for (int argument = 0; argument < width; argument++) {
      for (ToIntFunction<String> way : ways) {
        options.add(new Step(argument, way));
      }
    }
    return options;
  }

  private static double score(List<Call> calls, List<Step> steps) {
    double score = 0;
    for (Call call : calls) {
      BitSet nodes = nodes(call, steps);
      int all = nodes.cardinality();
      nodes.and(call.needed());
      score += nodes.cardinality() - NEEDLESS * (all - nodes.cardinality());
    }
    return score;
  }

  private static BitSet nodes(Call call, List<Step> steps) {
    BitSet nodes = new BitSet();
    for (Step step : steps) {
      if (step.argument() < call.arguments().length
          && !call.arguments()[step.argument()].equals(TupleIdentity.UNKNOWN)) {
        int node = step.way().applyAsInt(call.arguments()[step.argument()]);
        if (node >= 0) {
          nodes.set(node);
        }
      }
    }
    return nodes;
  }

  private static boolean reaches(Call call, List<Step> steps) {
    BitSet missing = (BitSet) call.needed().clone();
    missing.andNot(nodes(call, steps));
    return missing.isEmpty();
  }

  private static boolean exceeds(Call call, List<Step> steps) {
    BitSet more = nodes(call, steps);
    more.andNot(call.needed());
    return !more.isEmpty();
  }
}
