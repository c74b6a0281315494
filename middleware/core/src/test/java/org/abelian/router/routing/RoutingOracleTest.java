package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.Value;
import org.junit.jupiter.api.Test;

/**
 * Routing against brute force: rows are put on nodes by the hash of their keys, the predicate of a
 * generated inner join is run over all combinations of rows, and no combination that matches may
 * need a row outside the nodes of the route.
 */
class RoutingOracleTest {
  private static final int KEYS = 24;
  private static final int STATEMENTS = 10_000;
  private static final List<String> TABLES = List.of("orders", "lines");
  private static final List<String> COLUMNS = List.of("o_w", "l_w");

  /** A condition on the keys of a group of relations: all equal, and equal to what is given. */
  private record Condition(List<Integer> relations, List<Integer> values, List<List<Integer>> in) {
    boolean holds(int[] keys) {
      int key = keys[relations.get(0)];
      return relations.stream().allMatch(relation -> keys[relation] == key)
          && values.stream().allMatch(value -> value != null && value == key)
          && in.stream().allMatch(list -> list.contains(key));
    }
  }

  private final List<String> bound = new ArrayList<>();

  @Test
  void noRowThatMattersLiesOutsideTheRoute() {
    Set<String> kinds = new TreeSet<>();
    for (long seed = 0; seed < STATEMENTS; seed++) {
      kinds.add(tryStatement(seed));
    }
    assertEquals(Set.of("OneNode", "Refused", "Scatter"), kinds, "every kind of route is met");
  }

  private String tryStatement(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    bound.clear();
    int relations = random.nextInt(1, 4);
    List<Condition> conditions = conditions(relations, random);
    FactsBuilder facts = FactsBuilder.select();
    List<String> columns = new ArrayList<>();
    for (int relation = 0; relation < relations; relation++) {
      int table = random.nextInt(TABLES.size());
      facts.reads(TABLES.get(table));
      columns.add(relation + "." + COLUMNS.get(table));
    }
    facts.reads("items");
    for (Condition condition : conditions) {
      state(condition, columns, facts, random);
    }
    if (conditions.size() > 1) {
      facts.merge(MergeFacts.Mode.REFUSE, "joined other than by key");
    }
    facts.parameters(bound.stream().map(any -> PgType.INT4).toArray(Integer[]::new));
    StatementRouter router = Routing.compile("SELECT", facts.build(), TestCatalog.threeNodes());
    Route route = router.route(TextValues.of(bound.toArray(String[]::new)));
    check(route, relations, conditions, "seed " + seed);
    return route.getClass().getSimpleName();
  }

  private static List<Condition> conditions(int relations, SplittableRandom random) {
    List<List<Integer>> groups = new ArrayList<>();
    for (int relation = 0; relation < relations; relation++) {
      int group = random.nextInt(groups.size() + 1);
      if (group == groups.size()) {
        groups.add(new ArrayList<>());
      }
      groups.get(group).add(relation);
    }
    List<Condition> conditions = new ArrayList<>();
    for (List<Integer> group : groups) {
      List<Integer> values = new ArrayList<>();
      List<List<Integer>> in = new ArrayList<>();
      if (random.nextInt(3) > 0) {
        values.add(key(random));
        if (random.nextInt(5) == 0) {
          values.add(key(random));
        }
      }
      if (random.nextInt(3) == 0) {
        in.add(
            IntStream.range(0, random.nextInt(1, 5))
                .mapToObj(at -> key(random))
                .collect(Collectors.toCollection(ArrayList::new)));
      }
      conditions.add(new Condition(group, values, in));
    }
    return conditions;
  }

  /** Few keys, so that they often coincide; sometimes NULL. */
  private static Integer key(SplittableRandom random) {
    int key = random.nextInt(8);
    return key == 7 ? null : Integer.valueOf(key);
  }

  private void state(
      Condition condition, List<String> columns, FactsBuilder facts, SplittableRandom random) {
    List<String> equal = condition.relations().stream().map(columns::get).toList();
    List<Value> values = new ArrayList<>();
    condition.values().forEach(value -> values.add(value(value, random)));
    if (random.nextInt(4) == 0) {
      values.add(new Value.Other()); // Says nothing that the router can know.
    }
    List<List<Value>> in = new ArrayList<>();
    for (List<Integer> list : condition.in()) {
      in.add(list.stream().map(member -> value(member, random)).toList());
    }
    facts.equal(equal, values, in);
  }

  private Value value(Integer value, SplittableRandom random) {
    if (random.nextBoolean()) {
      return value == null ? new Value.Null() : FactsBuilder.constant(value.toString());
    }
    bound.add(value == null ? null : value.toString());
    return FactsBuilder.parameter(bound.size());
  }

  private static void check(
      Route route, int relations, List<Condition> conditions, String context) {
    if (route instanceof Route.Refused) {
      assertTrue(conditions.size() > 1, context + ": one class of keys is never refused");
      return;
    }
    Set<Integer> nodes = new TreeSet<>();
    if (route instanceof Route.OneNode one) {
      nodes.add(one.node());
    } else if (route instanceof Route.Scatter scatter) {
      nodes.addAll(scatter.nodes());
    } else {
      fail(context + ": " + route);
    }
    int combinations = IntStream.range(0, relations).reduce(1, (product, at) -> product * KEYS);
    int[] keys = new int[relations];
    for (int combination = 0; combination < combinations; combination++) {
      for (int at = 0, rest = combination; at < relations; at++, rest /= KEYS) {
        keys[at] = rest % KEYS;
      }
      if (conditions.stream().allMatch(condition -> condition.holds(keys))) {
        int node = TestCatalog.nodeOf(keys[0]);
        assertTrue(nodes.contains(node), () -> context + ": " + route + " misses key " + keys[0]);
        for (int key : keys) {
          assertEquals(node, TestCatalog.nodeOf(key), () -> context + ": rows meet on no node");
        }
      }
    }
  }
}
