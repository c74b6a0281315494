package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.abelian.router.analysis.BlindCallFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.Condition;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.RuleFunction;
import org.abelian.router.protocol.ByteQueue;
import org.junit.jupiter.api.Test;

/** Statements over tables of which several columns say where a row lies. */
class CompositeRoutingTest {
  private static final CompositeCatalog HASH = new CompositeCatalog(new HashFunction(32));
  private static final List<String> COLUMNS = List.of("b", "v", "a");

  /** By the first column: below 10, below 20, below 30; there are no others. */
  private static final CompositeCatalog RANGES =
      new CompositeCatalog(
          new RuleFunction(
              3,
              IntStream.range(0, 3)
                  .mapToObj(
                      at ->
                          new Clause(
                              at,
                              List.of(
                                  new Condition(
                                      0,
                                      Condition.Comparison.LESS,
                                      List.of(new KeyValue.Number(10 * at + 10))))))
                  .toList(),
              new Otherwise.Refuse()));

  private static Value constant(long number) {
    return FactsBuilder.constant(Long.toString(number));
  }

  private static Route route(CompositeCatalog cluster, FactsBuilder facts, String... bound) {
    return Routing.compile("SELECT", facts.build(), cluster.catalog()).route(TextValues.of(bound));
  }

  private static void assertRefused(SqlState state, Route route, String text) {
    var error = assertInstanceOf(Route.Refused.class, route).error();
    assertEquals(state, error.state());
    String all = error.getMessage() + " " + error.hint();
    assertTrue(all.contains(text), all);
  }

  // ---- reading

  @Test
  void allColumnsAreNeededForTheHash() {
    for (int one = 0; one < 20; one++) {
      FactsBuilder both =
          FactsBuilder.select()
              .reads("grid")
              .parameters(PgType.INT4)
              .equal(List.of("0.a"), constant(one))
              .equal(List.of("0.b"), FactsBuilder.parameter(1));
      assertEquals(new Route.OneNode(HASH.nodeOf(one, 5)), route(HASH, both, "5"));
      FactsBuilder part = FactsBuilder.select().reads("grid").equal(List.of("0.a"), constant(one));
      assertEquals(
          List.of(1, 2, 3), assertInstanceOf(Route.Scatter.class, route(HASH, part)).nodes());
    }
  }

  @Test
  void aRuleMayNeedOneColumnOnly() {
    FactsBuilder part = FactsBuilder.select().reads("grid").equal(List.of("0.a"), constant(15));
    assertEquals(new Route.OneNode(2), route(RANGES, part));
    FactsBuilder two = FactsBuilder.select().reads("grid").in("0.a", constant(15), constant(25));
    assertEquals(List.of(2, 3), assertInstanceOf(Route.Scatter.class, route(RANGES, two)).nodes());
    FactsBuilder other = FactsBuilder.select().reads("grid").equal(List.of("0.b"), constant(15));
    assertEquals(
        List.of(1, 2, 3), assertInstanceOf(Route.Scatter.class, route(RANGES, other)).nodes());
    FactsBuilder none = FactsBuilder.select().reads("grid").equal(List.of("0.a"), constant(99));
    assertInstanceOf(Route.OneNode.class, route(RANGES, none));
  }

  @Test
  void tooManyCombinationsCountAsNothingKnown() {
    Value[] many = IntStream.range(0, 1_001).mapToObj(any -> constant(1)).toArray(Value[]::new);
    Value[] different =
        IntStream.range(0, 1_001).mapToObj(CompositeRoutingTest::constant).toArray(Value[]::new);
    FactsBuilder same =
        FactsBuilder.select().reads("grid").in("0.a", many).equal(List.of("0.b"), constant(2));
    assertEquals(new Route.OneNode(HASH.nodeOf(1, 2)), route(HASH, same));
    FactsBuilder all =
        FactsBuilder.select().reads("grid").in("0.b", different).equal(List.of("0.a"), constant(5));
    assertEquals(List.of(1, 2, 3), assertInstanceOf(Route.Scatter.class, route(HASH, all)).nodes());
    assertEquals(new Route.OneNode(1), route(RANGES, all), "the other column is still known");
  }

  @Test
  void aNullInAnyColumnEqualsNoRow() {
    FactsBuilder facts =
        FactsBuilder.select()
            .reads("grid")
            .equal(List.of("0.a"), constant(1))
            .equal(List.of("0.b"), new Value.Null());
    assertInstanceOf(Route.OneNode.class, route(HASH, facts));
  }

  @Test
  void explainNamesAllColumns() {
    StatementFacts facts =
        FactsBuilder.select()
            .reads("grid")
            .reads("cells")
            .equal(List.of("0.a", "1.x"), constant(1))
            .build();
    assertEquals(
        List.of("grid.(a, b) and cells.(x, y) is known in part, on nodes 1, 2 and 3"),
        RouteText.keys(facts, HASH.catalog(), TextValues.NONE));
  }

  // ---- writing

  @Test
  void noDistributionColumnCanBeChanged() {
    for (String column : List.of("a", "b")) {
      FactsBuilder facts =
          FactsBuilder.update().writes("grid").assigns(column).equal(List.of("0.a"), constant(1));
      assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route(HASH, facts), "\"" + column + "\"");
    }
  }

  @Test
  void everyRowGoesToTheNodeOfItsKey() {
    for (long seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<List<Value>> values = new ArrayList<>();
      List<String> rows = new ArrayList<>();
      List<Integer> nodes = new ArrayList<>();
      for (int row = random.nextInt(1, 9); row > 0; row--) {
        int one = random.nextInt(30);
        int other = random.nextInt(30);
        values.add(List.of(constant(other), new Value.Other(), constant(one)));
        rows.add("(" + other + ", 'x', " + one + ")");
        nodes.add(HASH.nodeOf(one, other));
      }
      String sql = "INSERT INTO grid VALUES " + String.join(", ", rows);
      StatementFacts facts =
          FactsBuilder.insert().writes("grid").rows(sql, COLUMNS, values).build();
      Route route = Routing.compile(sql, facts, HASH.catalog()).route(TextValues.NONE);
      List<Route.Part> expected =
          Stream.of(1, 2, 3)
              .filter(nodes::contains)
              .map(
                  node ->
                      new Route.Part(
                          node,
                          "INSERT INTO grid VALUES "
                              + String.join(
                                  ", ",
                                  IntStream.range(0, rows.size())
                                      .filter(at -> nodes.get(at).equals(node))
                                      .mapToObj(rows::get)
                                      .toList())))
              .toList();
      List<Integer> homes = expected.stream().map(Route.Part::node).toList();
      List<Integer> order = nodes.stream().map(homes::indexOf).toList();
      assertEquals(
          expected.size() == 1 ? new Route.OneNode(nodes.get(0)) : new Route.Split(expected, order),
          route,
          "seed " + seed);
    }
  }

  private static Route insert(CompositeCatalog cluster, Value one, Value other) {
    String sql = "INSERT INTO grid VALUES (2, 'x', 1)";
    return route(
        cluster,
        FactsBuilder.insert()
            .writes("grid")
            .rows(sql, COLUMNS, List.of(List.of(other, new Value.Other(), one))));
  }

  @Test
  void rowsThatCannotBeAreRefusedByTheColumn() {
    Value null_ = new Value.Null();
    assertRefused(SqlState.NOT_NULL_VIOLATION, insert(HASH, null_, constant(1)), "\"a\"");
    assertRefused(SqlState.NOT_NULL_VIOLATION, insert(HASH, constant(1), null_), "\"b\"");
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        insert(HASH, constant(1), FactsBuilder.constant("1.5")),
        "\"b\"");
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED, insert(HASH, constant(1), new Value.Other()), "\"b\"");
    assertRefused(
        SqlState.CHECK_VIOLATION, insert(RANGES, constant(30), constant(1)), "no partition");
    assertEquals(new Route.OneNode(3), insert(RANGES, constant(29), constant(1)));
    String sql = "INSERT INTO grid VALUES (1)";
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        route(
            HASH,
            FactsBuilder.insert()
                .writes("grid")
                .rows(sql, List.of("a"), List.of(List.of(constant(1))))),
        "\"b\"");
  }

  private static Value column(String reference) {
    return new Value.Column(FactsBuilder.reference(reference));
  }

  /**
   * The node says by which tables all columns are the same; the router, whether they lie together.
   */
  @Test
  void insertSelectByAllColumnsStaysOnEveryNode() {
    FactsBuilder linked =
        FactsBuilder.insert()
            .writes("grid")
            .readsNested("cells")
            .linksKey("1.x")
            .selects(COLUMNS, column("1.y"), new Value.Other(), column("1.x"));
    assertEquals(new Route.ScatterWrite(List.of(1, 2, 3)), route(HASH, linked));
    FactsBuilder swapped =
        FactsBuilder.insert()
            .writes("grid")
            .readsNested("cells")
            .selects(COLUMNS, column("1.x"), new Value.Other(), column("1.y"));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route(HASH, swapped), "would move rows");
  }

  /** Equal columns of which another part counts do not lie together. */
  @Test
  void anotherExpressionIsAnotherPlace() {
    Placement.Distributed grid = placement("grid");
    KeyColumn first = grid.columns().get(0);
    KeyExpression tenth = new KeyExpression(KeyExpression.Operator.DIVIDE, 10);
    Placement.Distributed other =
        new Placement.Distributed(
            List.of(new KeyColumn("x", first.key(), tenth), new KeyColumn("y", first.key(), null)),
            grid.colocation());
    assertTrue(grid.liesWith(placement("cells")));
    assertTrue(!grid.liesWith(other) && !other.liesWith(grid) && other.liesWith(other));
  }

  private static Placement.Distributed placement(String table) {
    return (Placement.Distributed)
        HASH.catalog().placement(new TableName("public", table)).orElseThrow();
  }

  @Test
  void insertSelectOfOneKeyStaysOnItsNode() {
    int node = HASH.nodeOf(3, 4);
    FactsBuilder facts =
        FactsBuilder.insert()
            .writes("grid")
            .readsNested("cells")
            .equal(List.of("1.x"), constant(3))
            .equal(List.of("1.y"), constant(4))
            .selects(COLUMNS, constant(4), new Value.Other(), column("1.x"));
    assertEquals(new Route.OneNode(node), route(HASH, facts));
    FactsBuilder elsewhere =
        FactsBuilder.insert()
            .writes("grid")
            .readsNested("cells")
            .equal(List.of("1.x"), constant(3))
            .equal(List.of("1.y"), constant(4))
            .selects(COLUMNS, constant(otherThan(node)), new Value.Other(), column("1.x"));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route(HASH, elsewhere), "different nodes");
  }

  private static long otherThan(int node) {
    return IntStream.range(0, 100)
        .filter(other -> HASH.nodeOf(3, other) != node)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void copyReadsAllColumnsOfALine() {
    FactsBuilder facts =
        FactsBuilder.utility(UtilityKind.COPY_FROM, "COPY")
            .writes("grid")
            .copies(Map.of(), "b integer", "v text", "a integer");
    Route.CopyIn route = assertInstanceOf(Route.CopyIn.class, route(HASH, facts));
    assertArrayEquals(new int[] {2, 0}, route.division().columns());
    for (int one = 0; one < 30; one++) {
      int index = route.division().key().node(new ByteQueue[] {bytes("" + one), bytes(" 7 ")});
      assertEquals(HASH.nodeOf(one, 7), route.nodes().get(index));
    }
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        route(
            HASH,
            FactsBuilder.utility(UtilityKind.COPY_FROM, "COPY")
                .writes("grid")
                .copies(Map.of(), "a integer")),
        "\"b\"");
  }

  private static ByteQueue bytes(String text) {
    ByteQueue queue = new ByteQueue(16);
    queue.append(text.getBytes(StandardCharsets.UTF_8));
    return queue;
  }

  // ---- procedures

  private static Route call(boolean unbound) {
    ProcedureFacts procedure =
        new ProcedureFacts(
            "public.p(integer)",
            "public",
            "grid",
            unbound ? List.of() : List.of(constant(1)),
            List.of(),
            unbound,
            ProcedureFacts.Merge.FIRST,
            ProcedureFacts.Reach.COORDINATED,
            "",
            false,
            List.of(),
            BlindCallFacts.unknown());
    return route(HASH, FactsBuilder.utility(UtilityKind.CALL, "CALL").calls(procedure));
  }

  @Test
  void aCallByPartOfTheKeyIsRefused() {
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, call(false), "(a, b)");
    assertEquals(List.of(1, 2, 3), assertInstanceOf(Route.Procedure.class, call(true)).nodes());
  }
}
