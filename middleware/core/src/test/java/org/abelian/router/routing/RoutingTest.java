package org.abelian.router.routing;

import static org.abelian.router.routing.FactsBuilder.constant;
import static org.abelian.router.routing.FactsBuilder.parameter;
import static org.abelian.router.routing.FactsBuilder.select;
import static org.abelian.router.routing.FactsBuilder.update;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.Value;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class RoutingTest {
  private static final Route FIRST = new Route.OneNode(1);
  private static final String ON_TWO = Integer.toString(TestCatalog.keyOn(2));
  private static final String ON_THREE = Integer.toString(TestCatalog.keyOn(3));

  @Test
  void aStatementWithoutTablesGoesAnywhereUnlessItIsVolatile() {
    assertEquals(new Route.AnyNode(), route(select()));
    assertEquals(FIRST, route(select().callsVolatile()));
  }

  @Test
  void catalogueQueriesAndTablesWithoutPlacementGoToTheFirstNode() {
    assertEquals(FIRST, route(select().readsCatalogue("pg_class")));
    assertEquals(FIRST, route(select().reads("notes")));
    assertEquals(FIRST, route(update().writes("notes")));
    assertEquals(FIRST, route(select().reads("notes").reads("items")));
    assertEquals(FIRST, route(select().temporary("orders")));
  }

  @Test
  void referenceTablesAreReadAnywhereAndLockedOnTheFirstNode() {
    assertEquals(new Route.AnyNode(), route(select().reads("items").reads("regions")));
    assertEquals(FIRST, route(select().locks("items")));
    assertEquals(FIRST, route(select().reads("items").callsVolatile()));
  }

  @Test
  void referenceTablesAreWrittenOnAllNodes() {
    assertEquals(
        new Route.AllNodes(Route.Purpose.REFERENCE_WRITE), route(update().writes("items")));
  }

  @Test
  void aReferenceTableIsNotGivenWhatDiffersFromNodeToNode() {
    assertRefused(update().writes("items").callsVolatile(), "Compute the value");
    assertRefused(update().writes("items").reads("regions"), "read the values first");
    assertRefused(update().writes("items").reads("orders"), "read the values first");
    assertRefused(update().writes("items").reads("notes"), "read the values first");
    assertRefused(select().writesNested("items"), "two statements");
    assertRefused(new FactsBuilder(StatementKind.MERGE).writes("items"), "Put a join");
  }

  @Test
  void aKeyLeadsToItsNode() {
    for (int key = 0; key < 100; key++) {
      FactsBuilder facts =
          select().reads("orders").parameters(PgType.INT4).equal(List.of("0.o_w"), parameter(1));
      assertEquals(new Route.OneNode(TestCatalog.nodeOf(key)), route(facts, Integer.toString(key)));
    }
  }

  @Test
  void tablesJoinedByTheirKeysAreReadTogether() {
    FactsBuilder facts =
        select()
            .reads("orders")
            .reads("lines")
            .reads("items")
            .equal(List.of("0.o_w", "1.l_w"), constant(ON_TWO));
    assertEquals(new Route.OneNode(2), route(facts));
  }

  @Test
  void twoParametersOfOneValueMakeAStatementLocal() {
    FactsBuilder facts =
        select()
            .reads("orders")
            .reads("lines")
            .parameters(PgType.INT4, PgType.INT8)
            .equal(List.of("0.o_w"), parameter(1))
            .equal(List.of("1.l_w"), parameter(2))
            .merge(MergeFacts.Mode.REFUSE, "the tables are joined other than by key");
    assertEquals(new Route.OneNode(2), route(facts, ON_TWO, ON_TWO));
    assertInstanceOf(Route.Refused.class, route(facts, ON_TWO, ON_THREE));
  }

  @Test
  void aJoinAcrossNodesIsRefusedWithAHint() {
    assertRefused(
        select()
            .reads("orders")
            .reads("lines")
            .equal(List.of("0.o_w"), constant("1"))
            .merge(MergeFacts.Mode.REFUSE, "the tables are joined other than by key"),
        "compare them with each other");
  }

  @Test
  void aFunctionThatMayReadTablesIsRefused() {
    assertRefused(select().callsFunction("public.f"), "IMMUTABLE");
    assertEquals(
        FIRST,
        Routing.compile(
                "SELECT f()", select().callsFunction("public.f").build(), TestCatalog.oneNode())
            .route(TextValues.NONE));
  }

  @Test
  void aPlacedTableDoesNotMeetOneOfTheFirstNode() {
    assertRefused(
        select().reads("orders").reads("notes").equal(List.of("0.o_w"), constant("1")),
        "create_reference_table");
  }

  @Test
  void aKeyOfNullOrWithoutMatchGoesToOneNode() {
    FactsBuilder facts =
        select().reads("orders").parameters(PgType.INT4).equal(List.of("0.o_w"), parameter(1));
    assertInstanceOf(Route.OneNode.class, route(facts, (String) null));
    assertInstanceOf(Route.OneNode.class, route(facts, "1.5"));
  }

  @Test
  void inListsLeadToTheNodesOfTheirMembers() {
    assertEquals(
        new Route.Scatter(List.of(2, 3), concat()),
        route(
            select()
                .reads("orders")
                .in("0.o_w", constant(ON_THREE), constant(ON_TWO), new Value.Null())));
    assertEquals(
        new Route.OneNode(3),
        route(select().reads("orders").in("0.o_w", constant(ON_THREE), constant(ON_THREE))));
    assertEquals(
        new Route.Scatter(List.of(1, 2, 3), concat()),
        route(select().reads("orders").in("0.o_w", constant(ON_THREE), new Value.Other())));
  }

  @Test
  void aReadWithoutAKeyGoesToAllNodesOfTheTable() {
    assertEquals(
        new Route.Scatter(List.of(1, 2, 3), concat()),
        route(select().reads("orders").reads("items")));
  }

  @Test
  void theFirstRowsOfAllNodesCanBeLocked() {
    assertInstanceOf(
        Route.Scatter.class, route(select().locks("orders").merge(MergeFacts.Mode.COMBINE, null)));
  }

  @Test
  void theRouterTakesAnyRowsItselfIfTheirNumbersAreOfPostgres() {
    FactsBuilder limited =
        select()
            .reads("orders")
            .parameters(PgType.INT8, PgType.INT8)
            .takesAny(new Value.Parameter(1), new Value.Parameter(2));
    assertEquals(new Route.Window(5, 20), window(limited, "20", "5"));
    assertEquals(new Route.Window(0, Long.MAX_VALUE), window(limited, null, null));
    assertNull(window(limited, "-1", "0"));
    assertNull(window(limited, "1", "-5"));
    assertNull(window(limited, "x", "0"));
  }

  private static Route.Window window(FactsBuilder facts, String... values) {
    return assertInstanceOf(Route.Scatter.class, route(facts, values)).window();
  }

  @Test
  void whatTheNodeCannotTakeApartIsRefused() {
    assertRefused(
        select().reads("orders").merge(MergeFacts.Mode.REFUSE, "it has a window function"),
        "Restrict the distribution column");
    assertRefused(
        update().writes("orders").merge(MergeFacts.Mode.REFUSE, "a subquery"),
        "Restrict the distribution");
  }

  @Test
  void aChangeByRowsOfOthersGoesToTheNodesOfItsOwn() {
    FactsBuilder facts =
        update().writes("orders").reads("lines").merge(MergeFacts.Mode.COMBINE, "joined");
    assertEquals(gathered(List.of(1, 2, 3), List.of(1, 2, 3), false), route(facts));
    facts.equal(List.of("0.o_w"), constant(ON_TWO));
    assertEquals(gathered(List.of(1, 2, 3), List.of(2), false), route(facts));
    facts.equal(List.of("1.l_w"), constant(ON_THREE));
    assertEquals(gathered(List.of(3), List.of(2), false), route(facts));
  }

  @Test
  void aChangeByRowsOfItsOwnNodeIsThatNodesAlone() {
    FactsBuilder facts =
        update()
            .writes("orders")
            .reads("lines")
            .equal(List.of("0.o_w"), constant(ON_TWO))
            .equal(List.of("1.l_w"), constant(ON_TWO))
            .merge(MergeFacts.Mode.COMBINE, "joined");
    assertEquals(new Route.OneNode(2), route(facts));
  }

  @Test
  void copiesAreChangedByTheSameRowsEverywhere() {
    FactsBuilder facts =
        update().writes("items").reads("lines").merge(MergeFacts.Mode.COMBINE, "copies");
    assertEquals(gathered(List.of(1, 2, 3), List.of(1, 2, 3), true), route(facts));
    FactsBuilder others =
        update().writes("items").reads("regions").merge(MergeFacts.Mode.COMBINE, "copies");
    assertEquals(gathered(List.of(1), List.of(1, 2, 3), true), route(others));
    assertRefused(others.callsVolatile(), "give it as a parameter");
  }

  @Test
  void aTableOfOneNodeIsChangedThere() {
    FactsBuilder facts =
        update().writes("plain").reads("lines").merge(MergeFacts.Mode.COMBINE, "joined");
    assertEquals(gathered(List.of(1, 2, 3), List.of(1), false), route(facts));
    facts.equal(List.of("1.l_w"), constant(ON_THREE));
    assertEquals(gathered(List.of(3), List.of(1), false), route(facts));
  }

  private static Route gathered(List<Integer> read, List<Integer> changed, boolean copies) {
    MergeFacts merge =
        update().merge(MergeFacts.Mode.COMBINE, copies ? "copies" : "joined").build().merge();
    return new Route.GatheredWrite(new Route.Scatter(read, merge), changed, copies);
  }

  @Test
  void eachTablesOwnRestrictionCounts() {
    FactsBuilder outerJoin =
        select()
            .reads("orders")
            .reads("lines")
            .equal(List.of("0.o_w"), constant(ON_TWO))
            .equal(List.of("1.l_w"), constant(ON_TWO))
            .equal(List.of("0.o_w", "1.l_w"));
    assertEquals(new Route.OneNode(2), route(outerJoin));
    FactsBuilder nullableSideRestricted =
        select()
            .reads("orders")
            .reads("lines")
            .equal(List.of("1.l_w"), constant(ON_TWO))
            .equal(List.of("0.o_w", "1.l_w"));
    assertEquals(new Route.Scatter(List.of(1, 2, 3), concat()), route(nullableSideRestricted));
  }

  @Test
  void anArrayParameterLeadsToTheNodesOfItsElements() {
    FactsBuilder facts =
        select().reads("orders").parameters(1007).in("0.o_w", new Value.ParameterElements(1));
    assertEquals(
        new Route.Scatter(List.of(2, 3), concat()),
        route(facts, "{" + ON_TWO + ",NULL," + ON_THREE + "}"));
    assertEquals(new Route.OneNode(3), route(facts, "{" + ON_THREE + "}"));
    assertInstanceOf(Route.OneNode.class, route(facts, "{}"));
    assertInstanceOf(Route.OneNode.class, route(facts, (String) null));
    ByteBuffer binary = ByteBuffer.allocate(12 + 8 + 8 + 4);
    binary.putInt(1).putInt(1).putInt(PgType.INT4).putInt(2).putInt(1);
    binary.putInt(4).putInt(Integer.parseInt(ON_THREE)).putInt(-1);
    StatementRouter router = Routing.compile("SELECT", facts.build(), TestCatalog.threeNodes());
    assertEquals(new Route.OneNode(3), router.route(new BoundValue(binary.array(), true)));
    assertInstanceOf(
        Route.Refused.class, router.route(new BoundValue(new byte[] {0, 0, 0, 1, 9}, true)));
  }

  @Test
  void aWriteWithoutAKeyGoesToAllNodesOfTheTable() {
    assertEquals(new Route.ScatterWrite(List.of(1, 2, 3)), route(update().writes("orders")));
    assertEquals(
        new Route.ScatterWrite(List.of(1, 2, 3)),
        route(new FactsBuilder(StatementKind.DELETE).writes("orders").reads("items")));
  }

  @Test
  void aDistributionKeyIsNeverChanged() {
    assertRefused(
        update().writes("orders").assigns("o_id", "o_w").equal(List.of("0.o_w"), constant("1")),
        "DELETE the row");
    assertInstanceOf(Route.ScatterWrite.class, route(update().writes("orders").assigns("l_w")));
  }

  @Test
  void aChangeInsideWithIsRoutedOnlyByAKnownKey() {
    assertRefused(select().writesNested("orders"), "two statements");
    assertEquals(
        new Route.OneNode(2),
        route(select().writesNested("orders").equal(List.of("0.o_w"), constant(ON_TWO))));
    assertRefused(
        select()
            .writesNested("orders")
            .in("0.o_w", constant(ON_TWO), constant(ON_THREE))
            .merge(MergeFacts.Mode.REFUSE, "a data-modifying WITH query"),
        "Restrict the");
    FactsBuilder merge = new FactsBuilder(StatementKind.MERGE).writes("orders");
    assertEquals(new Route.ScatterWrite(List.of(1, 2, 3)), route(merge));
    assertRefused(
        merge.merge(MergeFacts.Mode.REFUSE, "its rows match those of other nodes"), "Put a join");
  }

  @Test
  void aValueThatIsNoKeyIsRefusedAsPostgresDoes() {
    FactsBuilder facts =
        select().reads("orders").parameters(PgType.INT4).equal(List.of("0.o_w"), parameter(1));
    Route.Refused refused = assertInstanceOf(Route.Refused.class, route(facts, "abc"));
    assertEquals(SqlState.INVALID_TEXT_REPRESENTATION, refused.error().state());
  }

  @Test
  void tooFewParametersAreANodesBusiness() {
    FactsBuilder facts =
        select().reads("orders").parameters(PgType.INT4).equal(List.of("0.o_w"), parameter(1));
    assertEquals(FIRST, route(facts));
  }

  @Test
  void aClusterOfOneNodeTakesEverything() {
    FactsBuilder facts = select().reads("orders").reads("notes").readsNested("people");
    assertEquals(
        FIRST,
        Routing.compile("SELECT", facts.build(), TestCatalog.oneNode()).route(TextValues.NONE));
  }

  @Test
  void placementFunctionsRunOnAllNodes() {
    assertEquals(
        new Route.AllNodes(Route.Purpose.CLUSTER_CALL),
        route(new FactsBuilder(StatementKind.CLUSTER_CALL)));
  }

  private static MergeFacts concat() {
    return MergeFacts.concat();
  }

  private static Route route(FactsBuilder facts, String... values) {
    return Routing.compile("SELECT", facts.build(), TestCatalog.threeNodes())
        .route(TextValues.of(values));
  }

  private static void assertRefused(FactsBuilder facts, String hint) {
    Route route = route(facts);
    Route.Refused refused = assertInstanceOf(Route.Refused.class, route);
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refused.error().state());
    assertNotNull(refused.error().hint());
    assertTrue(refused.error().hint().contains(hint), refused.error().hint());
  }

  @Test
  void rowsWithNewKeysMove() {
    FactsBuilder all = update().writes("orders").assigns("o_w");
    Route.MovedRows everywhere = assertInstanceOf(Route.MovedRows.class, moved(all, delete()));
    assertEquals(new Route.ScatterWrite(List.of(1, 2, 3)), everywhere.source());
    assertEquals(List.of(1, 2, 3), everywhere.nodes());
    byte[][] row = {null, ON_TWO.getBytes(StandardCharsets.US_ASCII)};
    assertEquals(2, everywhere.home().nodeOf(row));
    assertEquals(TestCatalog.NODE_OF_NULL, everywhere.home().nodeOf(new byte[2][]));
    FactsBuilder byKey = delete().equal(List.of("0.o_w"), constant(ON_THREE));
    Route.MovedRows one = assertInstanceOf(Route.MovedRows.class, moved(all, byKey));
    assertEquals(new Route.OneNode(3), one.source());
    assertRefused(all, "leave the column out of SET");
  }

  private static FactsBuilder delete() {
    return new FactsBuilder(StatementKind.DELETE).writes("orders");
  }

  private static Route moved(FactsBuilder update, FactsBuilder delete) {
    GatheredFacts facts =
        new GatheredFacts(
            "DELETE",
            delete.build(),
            "INSERT",
            FactsBuilder.insert().writes("orders").build(),
            List.of(new GatheredFacts.Key(1, PgType.INT4, "integer", null)),
            null,
            null);
    return Routing.compile("UPDATE", update.build(), facts, TestCatalog.threeNodes())
        .route(TextValues.NONE);
  }
}
