package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.abelian.router.analysis.Value;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.Condition;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.placement.RuleFunction;
import org.junit.jupiter.api.Test;

/**
 * Reads by two distribution columns against brute force: no row that satisfies the conditions lies
 * outside the nodes of the route.
 */
class CompositeOracleTest {
  private static final int VALUES = 10;
  private static final int PARTITIONS = 7;
  private static final int STATEMENTS = 20_000;

  /** What is said of one column; null where nothing is. */
  private record Said(Integer equal, Set<Integer> in) {
    boolean holds(int value) {
      return (equal == null || equal == value) && (in == null || in.contains(value));
    }
  }

  @Test
  void noRowThatMattersLiesOutsideTheRoute() {
    Set<String> kinds = new TreeSet<>();
    int pruned = 0;
    for (long seed = 0; seed < STATEMENTS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      CompositeCatalog cluster = new CompositeCatalog(function(random));
      List<Said> said = List.of(said(random), said(random));
      Route route = route(cluster, said, random);
      kinds.add(route.getClass().getSimpleName());
      Set<Integer> nodes = nodes(route);
      pruned += nodes.size() == 2 ? 1 : 0;
      for (int one = 0; one < VALUES; one++) {
        for (int other = 0; other < VALUES; other++) {
          if (said.get(0).holds(one) && said.get(1).holds(other)) {
            int node = cluster.nodeOf(one, other);
            assertTrue(
                node < 0 || nodes.contains(node),
                "seed " + seed + ": " + route + " misses " + one + ", " + other);
          }
        }
      }
    }
    assertEquals(Set.of("OneNode", "Scatter"), kinds);
    assertTrue(pruned > 0, "no route is for some of the nodes");
  }

  private static PartitionFunction function(SplittableRandom random) {
    if (random.nextInt(3) == 0) {
      return new HashFunction(PARTITIONS);
    }
    List<Clause> clauses = new ArrayList<>();
    for (int at = random.nextInt(1, 5); at > 0; at--) {
      List<Condition> conditions =
          random
              .ints(random.nextInt(1, 3), 0, VALUES)
              .mapToObj(
                  value ->
                      new Condition(
                          random.nextInt(2),
                          Condition.Comparison.values()[random.nextInt(5)],
                          List.of(new KeyValue.Number(value))))
              .toList();
      clauses.add(new Clause(random.nextInt(PARTITIONS), conditions));
    }
    Otherwise otherwise =
        random.nextBoolean()
            ? new Otherwise.Refuse()
            : new Otherwise.Hash(List.of(random.nextInt(2)));
    return new RuleFunction(PARTITIONS, clauses, otherwise);
  }

  private static Said said(SplittableRandom random) {
    Integer equal = random.nextInt(3) == 0 ? random.nextInt(VALUES) : null;
    Set<Integer> in = null;
    if (random.nextInt(3) == 0) {
      in = new TreeSet<>(random.ints(random.nextInt(1, 4), 0, VALUES).boxed().toList());
    }
    return new Said(equal, in);
  }

  private static Route route(CompositeCatalog cluster, List<Said> said, SplittableRandom random) {
    FactsBuilder facts = FactsBuilder.select().reads("grid");
    List<String> bound = new ArrayList<>();
    for (int column = 0; column < 2; column++) {
      Said of = said.get(column);
      List<Value> values =
          of.equal() == null ? List.of() : List.of(value(of.equal(), bound, random));
      List<List<Value>> in =
          of.in() == null
              ? List.of()
              : List.of(of.in().stream().map(each -> value(each, bound, random)).toList());
      facts.equal(List.of(column == 0 ? "0.a" : "0.b"), values, in);
    }
    facts.parameters(
        IntStream.range(0, bound.size()).mapToObj(any -> PgType.INT4).toArray(Integer[]::new));
    return Routing.compile("SELECT", facts.build(), cluster.catalog())
        .route(TextValues.of(bound.toArray(String[]::new)));
  }

  private static Value value(int value, List<String> bound, SplittableRandom random) {
    if (random.nextBoolean()) {
      return FactsBuilder.constant(Integer.toString(value));
    }
    bound.add(Integer.toString(value));
    return FactsBuilder.parameter(bound.size());
  }

  private static Set<Integer> nodes(Route route) {
    return route instanceof Route.OneNode one
        ? Set.of(one.node())
        : new TreeSet<>(((Route.Scatter) route).nodes());
  }
}
