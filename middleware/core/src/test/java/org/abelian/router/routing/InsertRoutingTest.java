package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class InsertRoutingTest {
  private static final List<String> COLUMNS = List.of("o_id", "o_w");

  @Test
  void everyRowGoesToTheNodeOfItsKeyAndNowhereElse() {
    for (long seed = 0; seed < 2_000; seed++) {
      checkSplit(new SplittableRandom(seed), "seed " + seed);
    }
  }

  private static void checkSplit(SplittableRandom random, String context) {
    int count = random.nextInt(1, 20);
    int range = random.nextInt(1, 60);
    List<String> rows = new ArrayList<>();
    List<List<Value>> values = new ArrayList<>();
    List<Integer> nodes = new ArrayList<>();
    for (int row = 0; row < count; row++) {
      int key = random.nextInt(range);
      rows.add("('é" + row + "', " + key + ")");
      values.add(List.of(new Value.Other(), FactsBuilder.constant(Integer.toString(key))));
      nodes.add(TestCatalog.nodeOf(key));
    }
    String head = "INSERT INTO \"orders\" /* ü */ VALUES ";
    String tail = " ON CONFLICT DO NOTHING RETURNING 'ö'";
    String sql = head + String.join(",\n", rows) + tail;
    Route route = route(sql, FactsBuilder.insert().writes("orders").rows(sql, COLUMNS, values));
    if (nodes.stream().distinct().count() == 1) {
      assertEquals(new Route.OneNode(nodes.get(0)), route, context);
      return;
    }
    List<Route.Part> expected = new ArrayList<>();
    for (int node = 1; node <= 3; node++) {
      List<String> own = new ArrayList<>();
      for (int row = 0; row < count; row++) {
        if (nodes.get(row) == node) {
          own.add(rows.get(row));
        }
      }
      if (!own.isEmpty()) {
        expected.add(new Route.Part(node, head + String.join(", ", own) + tail));
      }
    }
    List<Integer> homes = expected.stream().map(Route.Part::node).toList();
    List<Integer> order = nodes.stream().map(homes::indexOf).toList();
    assertEquals(new Route.Split(expected, order), route, context);
  }

  @Test
  void rowsWithANullKeyGoToTheNodeOfOnePartition() {
    Route expected = new Route.OneNode(TestCatalog.NODE_OF_NULL);
    assertEquals(expected, oneRow(new Value.Null()));
    assertEquals(expected, oneRow(FactsBuilder.parameter(1)));
  }

  @Test
  void aKeyThatOnlyANodeCanComputeIsRefused() {
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED, oneRow(new Value.Other()), "parameter or a constant");
  }

  @Test
  void aKeyOfUnknownTypeThatWouldBeRoundedIsRefused() {
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, oneRow(FactsBuilder.constant("1.5")), "Round it");
  }

  @Test
  void aMissingKeyIsRefused() {
    String sql = "INSERT INTO orders (o_id) VALUES (1)";
    FactsBuilder facts =
        FactsBuilder.insert()
            .writes("orders")
            .rows(sql, List.of("o_id"), List.of(List.of(FactsBuilder.constant("1"))));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route(sql, facts), "Name the column \"o_w\"");
  }

  @Test
  void theKeyCannotBeChangedByDoUpdate() {
    String sql = "INSERT INTO orders VALUES (1, 2) ON CONFLICT (o_id, o_w) DO UPDATE SET o_w = 3";
    FactsBuilder facts =
        FactsBuilder.insert()
            .writes("orders")
            .assigns("o_w")
            .rows(sql, COLUMNS, List.of(List.of(new Value.Other(), FactsBuilder.constant("2"))));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route(sql, facts), "DELETE the row");
  }

  @Test
  void insertSelectStaysOnTheNodeOfItsKey() {
    int key = TestCatalog.keyOn(2);
    FactsBuilder sameKey =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("lines")
            .equal(List.of("1.l_w"), FactsBuilder.constant(Integer.toString(key)))
            .selects(COLUMNS, new Value.Other(), new Value.Column(FactsBuilder.reference("1.l_w")));
    assertEquals(new Route.OneNode(2), route("INSERT", sameKey));
    FactsBuilder constant =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("items")
            .selects(COLUMNS, new Value.Other(), FactsBuilder.constant(Integer.toString(key)));
    assertEquals(new Route.OneNode(2), route("INSERT", constant));
  }

  @Test
  void insertSelectThatWouldMoveRowsIsRefused() {
    FactsBuilder otherColumn =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("lines")
            .equal(List.of("1.l_w"), FactsBuilder.constant("1"))
            .selects(COLUMNS, new Value.Other(), new Value.Column(FactsBuilder.reference("1.l_x")));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route("INSERT", otherColumn), "co-located");
    FactsBuilder elsewhere =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("lines")
            .equal(List.of("1.l_w"), FactsBuilder.constant(Integer.toString(TestCatalog.keyOn(1))))
            .selects(
                COLUMNS,
                new Value.Other(),
                FactsBuilder.constant(Integer.toString(TestCatalog.keyOn(3))));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route("INSERT", elsewhere), "reference table");
  }

  @Test
  void insertSelectByKeyRunsOnEveryNodeWithItsOwnRows() {
    FactsBuilder facts =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("lines")
            .linksKey("1.l_w")
            .selects(COLUMNS, new Value.Other(), new Value.Column(FactsBuilder.reference("1.l_w")));
    assertEquals(new Route.ScatterWrite(List.of(1, 2, 3)), route("INSERT", facts));
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        route("INSERT", facts.merge(MergeFacts.Mode.REFUSE, "it has LIMIT")),
        "Restrict");
    FactsBuilder otherGroup =
        FactsBuilder.insert()
            .writes("orders")
            .readsNested("people")
            .linksKey("1.name")
            .selects(
                COLUMNS, new Value.Other(), new Value.Column(FactsBuilder.reference("1.name")));
    assertRefused(SqlState.FEATURE_NOT_SUPPORTED, route("INSERT", otherGroup), "co-located");
  }

  @Test
  void aCastThatMayChangeTheKeyIsRefused() {
    assertTrue(
        oneRow(new Value.CastParameter(new Value.Parameter(1), "integer"), "7")
            instanceof Route.OneNode);
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        oneRow(new Value.CastParameter(new Value.Parameter(1), "numeric(5,-2)"), "7"),
        "parameter or a constant");
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        oneRow(new Value.CastParameter(new Value.Parameter(1), "integer"), "7.5"),
        "Round");
  }

  @Test
  void defaultValuesHaveNoKey() {
    FactsBuilder facts = FactsBuilder.insert().writes("orders");
    assertRefused(
        SqlState.FEATURE_NOT_SUPPORTED,
        route("INSERT", facts.defaultValues(List.of())),
        "Name the column");
  }

  private static Route oneRow(Value key) {
    return oneRow(key, null);
  }

  private static Route oneRow(Value key, String bound) {
    String sql = "INSERT INTO orders VALUES (1, $1)";
    FactsBuilder facts =
        FactsBuilder.insert()
            .writes("orders")
            .parameters(PgType.INT4)
            .rows(sql, COLUMNS, List.of(List.of(new Value.Other(), key)));
    return Routing.compile(sql, facts.build(), TestCatalog.threeNodes())
        .route(TextValues.of(bound));
  }

  private static Route route(String sql, FactsBuilder facts) {
    return Routing.compile(sql, facts.build(), TestCatalog.threeNodes()).route(TextValues.NONE);
  }

  private static void assertRefused(SqlState state, Route route, String hint) {
    assertTrue(route instanceof Route.Refused, route.toString());
    Route.Refused refused = (Route.Refused) route;
    assertEquals(state, refused.error().state(), refused.error().getMessage());
    assertTrue(refused.error().hint().contains(hint), refused.error().hint());
  }
}
