package org.abelian.router.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.abelian.router.routing.KeyCandidate;
import org.junit.jupiter.api.Test;

/** Procedures of several habits, called with drawn arguments on drawn nodes. */
class ProcedureRulesTest {
  private static final int NODES = 5;
  private static final long SEEDS = 200;

  private final ProcedureRules rules = new ProcedureRules();
  private Random random;
  private int misrouted;
  private int needless;

  private int node() {
    return 1 + random.nextInt(NODES);
  }

  private static Set<Integer> all() {
    return new LinkedHashSet<>(List.of(1, 2, 3, 4, 5));
  }

  private static KeyCandidate candidate(int argument, Integer... nodes) {
    return new KeyCandidate(argument, 1, "public.t", List.of(nodes));
  }

  /** Calls as ProcedureCalls does: misses are added, after two of them all nodes take part. */
  private void call(int key, Set<Integer> needs, KeyCandidate... candidates) {
    ProcedureRules.Call call = new ProcedureRules.Call(Set.of(key), all(), List.of(candidates));
    ProcedureRules.Advice advice = rules.use(call, true);
    Set<Integer> participants = new LinkedHashSet<>(Set.of(key));
    participants.addAll(advice.nodes());
    Set<Integer> missed = new HashSet<>();
    int attempts = 0;
    for (int need : needs) {
      if (!participants.contains(need)) {
        misrouted++;
        missed.add(need);
        participants.addAll(++attempts == 1 ? Set.of(need) : all());
      }
    }
    needless += participants.size() - (needs.contains(key) ? 0 : 1) - needs.size();
    rules.executed(call, advice, missed, participants);
  }

  private List<String> reasons(KeyCandidate... candidates) {
    return rules.expect(new ProcedureRules.Call(Set.of(1), all(), List.of(candidates))).reasons();
  }

  @Test
  void anArgumentThatExplainsAllMissesIsFoundAmongOthers() {
    random = new Random(1);
    for (int i = 0; i < 1000; i++) {
      int needed = node();
      call(
          node(), Set.of(needed), candidate(2, node()), candidate(3, needed), candidate(4, node()));
    }
    assertTrue(misrouted <= 14, misrouted + " attempts were misrouted");
    assertEquals(
        List.of("argument 3 as a key of public.t"), reasons(candidate(2, 3), candidate(3, 2)));
  }

  @Test
  void anArgumentThatEqualsTheKeyByAccidentIsFoundOut() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      ProcedureRulesTest world = new ProcedureRulesTest();
      world.random = new Random(seed);
      for (int i = 0; i < 30; i++) {
        int needed = world.node();
        world.call(world.node(), Set.of(needed), candidate(2, needed), candidate(3, needed));
      }
      for (int i = 0; i < 300; i++) {
        int needed = world.node();
        world.call(world.node(), Set.of(needed), candidate(2, world.node()), candidate(3, needed));
      }
      assertTrue(world.misrouted <= 40, "seed " + seed + ": " + world.misrouted);
      assertEquals(
          List.of("argument 3 as a key of public.t"),
          world.reasons(candidate(2, 3), candidate(3, 2)),
          "seed " + seed);
    }
  }

  @Test
  void callsThatNeedAllNodesGetThem() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      ProcedureRulesTest world = new ProcedureRulesTest();
      world.random = new Random(seed);
      for (int i = 0; i < 300; i++) {
        world.call(world.node(), all(), candidate(2, world.node()));
      }
      assertTrue(world.misrouted <= 80, "seed " + seed + ": " + world.misrouted);
      assertEquals(List.of("all nodes take part"), world.reasons(candidate(2, 1)), "seed " + seed);
    }
  }

  @Test
  void aHabitThatEndsIsForgotten() {
    random = new Random(3);
    for (int i = 0; i < 20; i++) {
      int needed = node();
      call(node(), Set.of(needed), candidate(2, needed));
    }
    assertEquals(1, reasons(candidate(2, 3)).size());
    needless = 0;
    for (int i = 0; i < 500; i++) {
      call(1, Set.of(1), candidate(2, 2));
    }
    assertEquals(List.of(), reasons(candidate(2, 3)));
    assertTrue(needless <= 64, needless + " participants were of no use");
  }

  @Test
  void whatNothingExplainsMakesNoRuleForLong() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      ProcedureRulesTest world = new ProcedureRulesTest();
      world.random = new Random(seed);
      int calls = 2000;
      List<KeyCandidate> candidates = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        candidates.clear();
        for (int argument = 2; argument < 6; argument++) {
          candidates.add(candidate(argument, world.node()));
        }
        world.call(world.node(), Set.of(world.node()), candidates.toArray(new KeyCandidate[0]));
      }
      assertTrue(world.needless < calls / 4, "seed " + seed + ": " + world.needless);
    }
  }
}
