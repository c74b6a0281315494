package org.abelian.router.procedure;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.router.routing.KeyCandidate;

/**
 * What has been learned about the nodes that calls of one procedure need beyond those of its
 * declared keys. A rule says that an argument, read as the key of a table, names a participant; or
 * that all nodes take part. It is used after enough misrouted calls that it explains, and is put to
 * the test now and then by a call without it; those tests become rarer while it stands them.
 * Thread-safe.
 */
public final class ProcedureRules {
  /** So many misrouted calls in a row make a rule; more after each time that it was forgotten. */
  public static final int LEARN = 3;

  /** So many more tests that did not need a rule than tests that did make it forgotten. */
  public static final int FORGET = 2;

  /** The uses of a rule before its first test; twice as many before each next while it stands. */
  public static final int TEST_AFTER = 8;

  private static final int LEARN_MAX = 64;
  private static final int TEST_MAX = 1 << 20;
  private static final int RULES_MAX = 300;

  /** What a rule is about; argument 0 stands for all nodes. */
  private record Subject(int argument, int colocation, String table) {
    static final Subject ALL = new Subject(0, 0, "");

    @Override
    public String toString() {
      return this == ALL ? "all nodes take part" : "argument " + argument + " as a key of " + table;
    }
  }

  private static final class Rule {
    int supports;
    int learnAfter = LEARN;
    boolean used;
    int uses;
    int testAfter = TEST_AFTER;
    int usesUntilTest;
    int failedTests;

    void count() {
      uses++;
      usesUntilTest--;
    }

    /** A call without the rule was misrouted, and needed its nodes. */
    void stood() {
      if (failedTests > 0) {
        failedTests--;
      } else {
        testAfter = Math.min(2 * testAfter, TEST_MAX);
      }
      usesUntilTest = testAfter;
    }

    /** A call without the rule went well; true when that is enough to forget it. */
    boolean failed() {
      testAfter = TEST_AFTER;
      usesUntilTest = 0; // The next call that may, tests again.
      return ++failedTests >= FORGET;
    }
  }

  /**
   * The nodes that a call gets beside those of its keys.
   *
   * @param nodes in the order in which they take part
   * @param reasons the rules that brought them
   * @param tested the rule that the call does without, to see whether it is needed; null for none
   */
  public record Advice(Set<Integer> nodes, List<String> reasons, Object tested) {
    static final Advice NONE = new Advice(Set.of(), List.of(), null);
  }

  /**
   * What there is to know of a call.
   *
   * @param keys the nodes of its declared keys
   * @param all every node that may take part
   */
  public record Call(Set<Integer> keys, Set<Integer> all, List<KeyCandidate> candidates) {}

  private final Map<Subject, Rule> rules = new LinkedHashMap<>();

  private static Map<Subject, Set<Integer>> nodes(Call call) {
    Map<Subject, Set<Integer>> nodes = new LinkedHashMap<>();
    for (KeyCandidate each : call.candidates()) {
      Subject subject = new Subject(each.argument(), each.colocation(), each.table());
      nodes.put(subject, new LinkedHashSet<>(each.nodes()));
    }
    nodes.put(Subject.ALL, call.all());
    return nodes;
  }

  /** What the rules would add to a call; counts nothing. */
  public synchronized Advice expect(Call call) {
    return advise(call, false, false);
  }

  /**
   * What the rules add to a call that is about to run.
   *
   * @param mayTest whether the call may be run without a rule: one that can be repeated unnoticed
   */
  public synchronized Advice use(Call call, boolean mayTest) {
    return advise(call, true, mayTest);
  }

  private Advice advise(Call call, boolean counts, boolean mayTest) {
    Map<Subject, Set<Integer>> applying = new LinkedHashMap<>();
    nodes(call)
        .forEach(
            (subject, nodes) -> {
              Rule rule = rules.get(subject);
              if (rule != null && rule.used && !call.keys().containsAll(nodes)) {
                applying.put(subject, nodes);
              }
            });
    Subject tested = mayTest ? due(call, applying) : null;
    if (tested != null) {
      Rule rule = rules.get(tested);
      rule.usesUntilTest = rule.testAfter;
      applying.remove(tested);
    }
    Set<Integer> added = new LinkedHashSet<>();
    applying.values().forEach(added::addAll);
    added.removeAll(call.keys());
    if (counts) {
      applying.keySet().stream().map(rules::get).forEach(Rule::count);
    }
    return new Advice(added, applying.keySet().stream().map(Subject::toString).toList(), tested);
  }

  /** A rule whose turn it is, if without it the call would lack a node that no other brings. */
  private Subject due(Call call, Map<Subject, Set<Integer>> applying) {
    for (Subject subject : applying.keySet()) {
      Set<Integer> others = new HashSet<>(call.keys());
      applying.forEach((other, nodes) -> others.addAll(other == subject ? Set.of() : nodes));
      if (rules.get(subject).usesUntilTest <= 0 && !others.containsAll(applying.get(subject))) {
        return subject;
      }
    }
    return null;
  }

  /**
   * A call was executed.
   *
   * @param advice what the rules had added
   * @param missed nodes that it turned out to need; empty when it was not misrouted
   * @param participants those that ran it in the end
   */
  public synchronized void executed(
      Call call, Advice advice, Set<Integer> missed, Set<Integer> participants) {
    Set<Integer> needed = new HashSet<>(call.keys());
    needed.addAll(advice.nodes());
    needed.addAll(missed);
    for (var entry : nodes(call).entrySet()) {
      Set<Integer> nodes = entry.getValue();
      if (call.keys().containsAll(nodes)) {
        continue; // It says nothing.
      } else if (!participants.containsAll(nodes)) {
        contradict(entry.getKey());
      } else if (explains(entry.getKey(), nodes, needed, missed)) {
        support(entry.getKey(), entry.getKey().equals(advice.tested()));
      }
    }
    if (!missed.isEmpty()) {
      useTheBest();
    }
  }

  private static boolean explains(
      Subject subject, Set<Integer> nodes, Set<Integer> needed, Set<Integer> missed) {
    if (subject == Subject.ALL) {
      return !missed.isEmpty(); // It took all in the end.
    }
    return needed.containsAll(nodes) && nodes.stream().anyMatch(missed::contains);
  }

  private void support(Subject subject, boolean tested) {
    Rule rule = rules.get(subject);
    if (rule == null) {
      if (rules.size() == RULES_MAX) {
        return;
      }
      rule = new Rule();
      rules.put(subject, rule);
    }
    rule.supports++;
    if (tested) {
      rule.stood();
    }
  }

  private void contradict(Subject subject) {
    Rule rule = rules.get(subject);
    if (rule == null || rule.used && !rule.failed()) {
      return;
    }
    if (rule.used) {
      rule.used = false;
      rule.learnAfter = Math.min(2 * rule.learnAfter, LEARN_MAX);
    }
    rule.supports = 0;
  }

  /** One rule at a time: the next misrouted call shows whether it explains all. */
  private void useTheBest() {
    Subject best = null;
    for (var entry : rules.entrySet()) {
      Rule rule = entry.getValue();
      if (!rule.used && rule.supports >= rule.learnAfter && isBetter(entry.getKey(), best)) {
        best = entry.getKey();
      }
    }
    if (best == null) {
      return;
    }
    if (best == Subject.ALL) {
      rules.values().forEach(rule -> rule.used = false);
    }
    Rule rule = rules.get(best);
    rule.used = true;
    rule.failedTests = 0;
    rule.testAfter = TEST_AFTER;
    rule.usesUntilTest = TEST_AFTER;
  }

  /** More support; where that is equal an argument rather than all nodes. */
  private boolean isBetter(Subject subject, Subject than) {
    if (than == null) {
      return true;
    }
    int more = rules.get(subject).supports - rules.get(than).supports;
    return more > 0 || more == 0 && than == Subject.ALL;
  }

  /** Adds the rules that have any support. */
  public synchronized void describe(String signature, ArrayNode all) {
    rules.forEach(
        (subject, rule) -> {
          if (rule.used || rule.supports > 0) {
            ObjectNode node = all.addObject();
            node.put("procedure", signature).put("rule", subject.toString());
            node.put("used", rule.used).put("misrouted_calls", rule.supports);
            node.put("uses", rule.uses);
          }
        });
  }
}
