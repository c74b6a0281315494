package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.abelian.router.analysis.KeyRange;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.Condition;
import org.abelian.router.placement.Condition.Comparison;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.LookupFunction;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.placement.RuleFunction;
import org.junit.jupiter.api.Test;

/**
 * Reads by ranges against brute force: whatever the placement, no row within the bounds lies
 * outside the nodes of the route.
 */
class RangeOracleTest {
  private static final int PARTITIONS = 9;
  private static final int STATEMENTS = 30_000;
  private static final int VALUES = 200;
  private static final Comparison[] ORDERED = {
    Comparison.LESS, Comparison.LESS_OR_EQUAL, Comparison.GREATER, Comparison.GREATER_OR_EQUAL
  };
  private static final String[] TEXTS = {
    "", "a", "aa", "ab", "b", "ba", "bé", "bée", "z", "é", "€x"
  };
  private static final long[] EXTREMES = {Long.MIN_VALUE, -1, VALUES, Long.MAX_VALUE};

  /** What a statement says of one column. */
  private record Said(Comparison comparison, String value) {}

  /** A column of the table, and the values that it may have. */
  private record Column(KeyColumn key, List<String> domain) {
    KeyValue counted(String value) {
      KeyValue whole =
          key.key() == KeyKind.TEXT
              ? new KeyValue.Bytes(value.getBytes(StandardCharsets.UTF_8))
              : new KeyValue.Number(Long.parseLong(value));
      return key.expression() == null ? whole : whole.counted(key.expression());
    }

    boolean holds(String value, Said said) {
      int order =
          key.key() == KeyKind.TEXT
              ? new KeyValue.Bytes(value.getBytes(StandardCharsets.UTF_8))
                  .compareTo(new KeyValue.Bytes(said.value().getBytes(StandardCharsets.UTF_8)))
              : new BigDecimal(value).compareTo(new BigDecimal(said.value()));
      return switch (said.comparison()) {
        case LESS -> order < 0;
        case LESS_OR_EQUAL -> order <= 0;
        case GREATER -> order > 0;
        default -> order >= 0;
      };
    }
  }

  @Test
  void noRowWithinTheBoundsLiesOutsideTheRoute() {
    int[] bySize = new int[4];
    int[] byFunction = new int[3];
    for (long seed = 0; seed < STATEMENTS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Column> columns = new ArrayList<>();
      for (int at = random.nextInt(1, 3); at > 0; at--) {
        columns.add(column(random));
      }
      PartitionFunction function = function(columns, random);
      List<List<Said>> said = columns.stream().map(column -> said(column, random)).toList();
      int[] placed = IntStream.range(0, PARTITIONS).map(at -> 1 + random.nextInt(3)).toArray();
      Colocation colocation = new Colocation(7, placed, function);
      Set<Integer> nodes = nodes(columns, said, colocation, random);
      bySize[nodes.size()]++;
      if (nodes.size() < colocation.distinctNodes().length) {
        byFunction[kind(function)]++;
      }
      check(columns, said, colocation, nodes, "seed " + seed + ": " + function + said + nodes);
    }
    for (int size = 1; size <= 3; size++) {
      assertTrue(bySize[size] > STATEMENTS / 50, "few routes are for " + size + " nodes");
    }
    for (int pruned : byFunction) {
      assertTrue(pruned > STATEMENTS / 100, "a kind of placement leaves out no nodes");
    }
  }

  @Test
  void nodesOutsideTheRangeAreLeftOut() {
    Column day = new Column(new KeyColumn("k0", KeyKind.INTEGER, null), List.of());
    List<Clause> clauses =
        IntStream.range(0, 8)
            .mapToObj(
                at ->
                    new Clause(
                        at,
                        List.of(
                            new Condition(
                                0,
                                Comparison.LESS,
                                List.of(new KeyValue.Number((at + 1) * 100L))))))
            .toList();
    RuleFunction function =
        new RuleFunction(PARTITIONS, clauses, new Otherwise.Partition(PARTITIONS - 1));
    int[] nodes = IntStream.range(0, PARTITIONS).map(at -> 1 + at).toArray();
    Colocation colocation = new Colocation(7, nodes, function);
    Map<List<Said>, Set<Integer>> expected =
        Map.of(
            List.of(at(Comparison.GREATER_OR_EQUAL, "100"), at(Comparison.LESS, "300")),
            Set.of(2, 3),
            List.of(at(Comparison.GREATER_OR_EQUAL, "100"), at(Comparison.LESS_OR_EQUAL, "300")),
            Set.of(2, 3, 4),
            List.of(at(Comparison.GREATER, "99.5"), at(Comparison.LESS, "200.5")),
            Set.of(2, 3),
            List.of(at(Comparison.GREATER, "699")),
            Set.of(8, 9),
            List.of(at(Comparison.LESS, "-1e30")),
            Set.of(1), // no row matters: any node says so
            List.of(at(Comparison.LESS, "1e30"), at(Comparison.GREATER, "800")),
            Set.of(9));
    expected.forEach(
        (said, route) ->
            assertEquals(
                route,
                nodes(List.of(day), List.of(said), colocation, new SplittableRandom(1)),
                said.toString()));
  }

  private static Said at(Comparison comparison, String value) {
    return new Said(comparison, value);
  }

  private static int kind(PartitionFunction function) {
    return function instanceof HashFunction ? 0 : function instanceof LookupFunction ? 1 : 2;
  }

  private static Column column(SplittableRandom random) {
    KeyExpression.Operator[] operators = KeyExpression.Operator.values();
    if (random.nextInt(4) == 0) {
      KeyExpression left = new KeyExpression(operators[2], random.nextInt(1, 3));
      return new Column(
          new KeyColumn("k", KeyKind.TEXT, random.nextBoolean() ? left : null), List.of(TEXTS));
    }
    KeyExpression expression =
        random.nextInt(3) == 0
            ? new KeyExpression(operators[random.nextInt(2)], random.nextInt(2, 40))
            : null;
    List<String> domain = new ArrayList<>();
    IntStream.range(-VALUES / 4, VALUES).forEach(value -> domain.add(Integer.toString(value)));
    for (long extreme : EXTREMES) {
      domain.add(Long.toString(extreme));
    }
    return new Column(new KeyColumn("k", KeyKind.INTEGER, expression), domain);
  }

  private static PartitionFunction function(List<Column> columns, SplittableRandom random) {
    List<Integer> hashed = List.of(random.nextInt(columns.size()));
    Otherwise otherwise =
        switch (random.nextInt(3)) {
          case 0 -> new Otherwise.Refuse();
          case 1 -> new Otherwise.Partition(random.nextInt(PARTITIONS));
          default -> new Otherwise.Hash(hashed);
        };
    if (random.nextInt(4) == 0) {
      return new HashFunction(PARTITIONS);
    }
    if (columns.size() == 1 && random.nextInt(3) == 0) {
      Map<KeyValue, Integer> entries = new HashMap<>();
      for (int at = random.nextInt(6); at >= 0; at--) {
        entries.put(any(columns.get(0), random), random.nextInt(PARTITIONS));
      }
      return new LookupFunction(PARTITIONS, entries, otherwise);
    }
    List<Clause> clauses = new ArrayList<>();
    for (int at = random.nextInt(1, 6); at > 0; at--) {
      List<Condition> conditions = new ArrayList<>();
      for (int each = random.nextInt(1, 3); each > 0; each--) {
        conditions.add(condition(columns, random));
      }
      clauses.add(new Clause(random.nextInt(PARTITIONS), conditions));
    }
    return new RuleFunction(PARTITIONS, clauses, otherwise);
  }

  private static Condition condition(List<Column> columns, SplittableRandom random) {
    int column = random.nextInt(columns.size());
    Comparison comparison = Comparison.values()[random.nextInt(5)];
    List<KeyValue> constants = new ArrayList<>();
    for (int at = comparison == Comparison.EQUAL ? random.nextInt(3) : 0; at >= 0; at--) {
      constants.add(any(columns.get(column), random));
    }
    return new Condition(column, comparison, constants);
  }

  private static KeyValue any(Column column, SplittableRandom random) {
    return column.counted(column.domain().get(random.nextInt(column.domain().size())));
  }

  private static List<Said> said(Column column, SplittableRandom random) {
    List<Said> said = new ArrayList<>();
    for (int at = random.nextInt(4); at > 0; at--) {
      String value = column.domain().get(random.nextInt(column.domain().size()));
      if (column.key().key() == KeyKind.INTEGER && random.nextInt(8) == 0) {
        value = new String[] {"-1e40", "1e40", "12.5", "-0.5"}[random.nextInt(4)];
      }
      said.add(new Said(ORDERED[random.nextInt(ORDERED.length)], value));
    }
    return said;
  }

  private static Set<Integer> nodes(
      List<Column> columns, List<List<Said>> said, Colocation colocation, SplittableRandom random) {
    List<KeyColumn> keys = new ArrayList<>();
    FactsBuilder facts = FactsBuilder.select().reads("t");
    List<String> bound = new ArrayList<>();
    for (int at = 0; at < columns.size(); at++) {
      KeyColumn key = columns.get(at).key();
      int type = key.key() == KeyKind.TEXT ? PgType.TEXT : PgType.NUMERIC;
      keys.add(new KeyColumn("k" + at, key.key(), key.expression()));
      List<KeyRange.Bound> bounds = new ArrayList<>();
      for (Said each : said.get(at)) {
        Value value = new Value.Constant(each.value(), type, -1);
        if (random.nextBoolean()) {
          bound.add(each.value());
          facts.parameters(type);
          value = FactsBuilder.parameter(bound.size());
        }
        bounds.add(new KeyRange.Bound(each.comparison(), value));
      }
      facts.range("0.k" + at, bounds.toArray(KeyRange.Bound[]::new));
    }
    Catalog catalog =
        new Catalog(
            5,
            IntStream.rangeClosed(1, PARTITIONS).mapToObj(id -> new Node(id, "n", id)).toList(),
            Map.of(new TableName("public", "t"), new Placement.Distributed(keys, colocation)));
    Route route =
        Routing.compile("SELECT", facts.build(), catalog)
            .route(TextValues.of(bound.toArray(String[]::new)));
    return route instanceof Route.OneNode one
        ? Set.of(one.node())
        : new TreeSet<>(((Route.Scatter) route).nodes());
  }

  private static void check(
      List<Column> columns,
      List<List<Said>> said,
      Colocation colocation,
      Set<Integer> nodes,
      String message) {
    List<List<String>> rows = List.of(List.of());
    for (int at = 0; at < columns.size(); at++) {
      Column column = columns.get(at);
      List<Said> of = said.get(at);
      List<String> possible =
          column.domain().stream()
              .filter(value -> of.stream().allMatch(each -> column.holds(value, each)))
              .toList();
      int step = columns.size() == 1 ? 1 : 1 + possible.size() / 12;
      List<List<String>> longer = new ArrayList<>();
      for (List<String> row : rows) {
        for (int value = 0; value < possible.size(); value += step) {
          List<String> next = new ArrayList<>(row);
          next.add(possible.get(value));
          longer.add(next);
        }
      }
      rows = longer;
    }
    for (List<String> row : rows) {
      KeyValue[] key = new KeyValue[row.size()];
      for (int at = 0; at < key.length; at++) {
        key[at] = columns.get(at).counted(row.get(at));
      }
      int partition = colocation.function().partition(key);
      assertTrue(
          partition < 0 || nodes.contains(colocation.nodeOf(partition)),
          () -> message + " misses " + row);
    }
  }
}
