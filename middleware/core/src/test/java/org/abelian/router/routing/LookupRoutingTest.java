package org.abelian.router.routing;

import static org.abelian.router.routing.FactsBuilder.constant;
import static org.abelian.router.routing.FactsBuilder.parameter;
import static org.abelian.router.routing.FactsBuilder.select;
import static org.abelian.router.routing.FactsBuilder.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;
import org.junit.jupiter.api.Test;

/** Of orders(o_w, code), which has a lookup index on code. */
class LookupRoutingTest {
  private static final int TEXT = 25;
  private static final LookupIndex INDEX =
      new LookupIndex(
          7,
          new TableName("public", "orders"),
          new KeyColumn("code", KeyKind.TEXT, null),
          TestCatalog.BY_TEXT,
          TestCatalog.BY_NUMBER);
  private static final KeyValue A = new KeyValue.Bytes("a".getBytes(StandardCharsets.UTF_8));
  private static final Route.ScatterWrite EVERYWHERE = new Route.ScatterWrite(List.of(1, 2, 3));

  private static Route route(FactsBuilder facts, String... values) {
    return route(facts, TestCatalog.threeNodes(), values);
  }

  private static Route route(FactsBuilder facts, Catalog placed, String... values) {
    Catalog catalog =
        new Catalog(placed.version(), placed.nodes(), placed.tables(), List.of(INDEX));
    return Routing.compile("x", facts.build(), catalog).route(TextValues.of(values));
  }

  private static FactsBuilder delete() {
    return new FactsBuilder(StatementKind.DELETE);
  }

  @Test
  void aReadOfOneValueIsLedToItsRow() {
    FactsBuilder facts =
        select().reads("orders").parameters(TEXT).equal(List.of("0.code"), parameter(1));
    Route.Lookup route = assertInstanceOf(Route.Lookup.class, route(facts, "a"));
    assertEquals(INDEX, route.index());
    assertEquals(A, route.value());
    assertInstanceOf(Route.Scatter.class, route.otherwise());
  }

  @Test
  void aReadThatSortsOrLimitsRowsIsLedToItsRowAndOneThatGroupsIsNot() {
    FactsBuilder sorts =
        select().reads("orders").equal(List.of("0.code"), constant("a")).finishes(null);
    assertInstanceOf(Route.Lookup.class, route(sorts));
    FactsBuilder limits =
        select()
            .reads("orders")
            .equal(List.of("0.code"), constant("a"))
            .takesAny(constant("1"), new Value.Null());
    assertInstanceOf(Route.Lookup.class, route(limits));
    FactsBuilder groups =
        select()
            .reads("orders")
            .equal(List.of("0.code"), constant("a"))
            .merge(MergeFacts.Mode.COMBINE, null);
    assertInstanceOf(Route.Scatter.class, route(groups));
  }

  @Test
  void theKeyLeadsBeforeAnyIndex() {
    FactsBuilder facts =
        select()
            .reads("orders")
            .equal(List.of("0.code"), constant("a"))
            .equal(List.of("0.o_w"), constant(Integer.toString(TestCatalog.keyOn(2))));
    assertEquals(new Route.OneNode(2), route(facts));
  }

  @Test
  void nothingIsLookedUpOfSeveralTablesSubqueriesListsOrNull() {
    assertInstanceOf(
        Route.Scatter.class,
        route(select().reads("orders").reads("items").equal(List.of("0.code"), constant("a"))));
    assertInstanceOf(
        Route.Scatter.class,
        route(select().readsNested("orders").equal(List.of("0.code"), constant("a"))));
    assertInstanceOf(
        Route.Scatter.class,
        route(select().reads("orders").in("0.code", constant("a"), constant("b"))));
    assertInstanceOf(
        Route.Scatter.class,
        route(
            select().reads("orders").parameters(TEXT).equal(List.of("0.code"), parameter(1)),
            (String) null));
    assertInstanceOf(
        Route.Scatter.class,
        route(select().reads("lines").equal(List.of("0.code"), constant("a"))));
  }

  @Test
  void changesOfIndexedValuesAreKeptAndOthersAreNot() {
    String sql = "INSERT INTO orders VALUES (1, 'a')";
    FactsBuilder insert =
        FactsBuilder.insert()
            .writes("orders")
            .rows(sql, List.of("o_w", "code"), List.of(List.of(constant("1"), constant("a"))));
    Route one = new Route.OneNode(TestCatalog.nodeOf(1));
    assertEquals(new Route.Keeping(one), route(insert));
    assertEquals(new Route.Keeping(new Route.OneNode(1)), route(insert, TestCatalog.oneNode()));
    assertEquals(new Route.Keeping(EVERYWHERE), route(delete().writes("orders")));
    assertEquals(
        new Route.Keeping(EVERYWHERE), route(update().writes("orders").assigns("code", "x")));
    // An entry leads to the node of the row.
    Route first = new Route.OneNode(1);
    FactsBuilder moves = update().writes("orders").assigns("o_w");
    assertEquals(new Route.Keeping(first), route(moves, TestCatalog.oneNode()));
    assertEquals(EVERYWHERE, route(update().writes("orders").assigns("x")));
    assertEquals(EVERYWHERE, route(delete().writes("lines")));
  }

  @Test
  void aChangeOfTheRowWithAValueIsLedThereAndKept() {
    FactsBuilder by = delete().writes("orders").equal(List.of("0.code"), constant("a"));
    assertEquals(new Route.Lookup(INDEX, A, new Route.Keeping(EVERYWHERE)), route(by));
    FactsBuilder other =
        update().writes("orders").assigns("x").equal(List.of("0.code"), constant("a"));
    assertEquals(new Route.Lookup(INDEX, A, EVERYWHERE), route(other));
    assertEquals(EVERYWHERE, route(by).plain());
  }

  @Test
  void copyRunsOnAllNodesThatMayHaveEntries() {
    FactsBuilder copy =
        FactsBuilder.utility(UtilityKind.COPY_FROM, "COPY")
            .writes("orders")
            .copies(Map.of(), "o_w integer");
    Route.Keeping keeping = assertInstanceOf(Route.Keeping.class, route(copy));
    Route.CopyIn copied = assertInstanceOf(Route.CopyIn.class, keeping.inner());
    assertEquals(List.of(1, 2, 3), copied.nodes());
  }
}
