package org.abelian.router.routing;

import static org.abelian.router.routing.FactsBuilder.constant;
import static org.abelian.router.routing.FactsBuilder.utility;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UtilityRoutingTest {
  private static final Route FIRST = new Route.OneNode(1);

  @Test
  void theSchemaIsChangedOnAllNodes() {
    assertEquals(
        new Route.AllNodes(Route.Purpose.SCHEMA),
        route(utility(UtilityKind.DDL, "CREATE TABLE").writes("new")));
    assertEquals(
        new Route.AllNodes(Route.Purpose.SCHEMA),
        route(utility(UtilityKind.DDL, "ALTER TABLE").writes("orders")));
    assertEquals(
        new Route.AllNodes(Route.Purpose.NODE_BY_NODE),
        route(utility(UtilityKind.DDL, "CREATE INDEX").reads("orders").outsideTransaction()));
    assertEquals(
        new Route.AllNodes(Route.Purpose.NODE_BY_NODE),
        route(utility(UtilityKind.VACUUM, "VACUUM").reads("orders")));
  }

  @Test
  void temporaryTablesLieOnTheFirstNode() {
    assertEquals(FIRST, route(utility(UtilityKind.DDL, "CREATE TABLE").temporary("t")));
    assertEquals(FIRST, route(utility(UtilityKind.VACUUM, "VACUUM").temporary("t")));
    assertEquals(FIRST, route(utility(UtilityKind.ANALYZE, "ANALYZE").temporary("t")));
    assertRefused(utility(UtilityKind.DDL, "DROP TABLE").temporary("t").writes("notes"));
    assertRefused(utility(UtilityKind.TRUNCATE, "TRUNCATE").temporary("t").writes("orders"));
  }

  @Test
  void rowsOfAQueryAreStoredOnTheFirstNode() {
    FactsBuilder stores = utility(UtilityKind.DDL, "CREATE TABLE AS").storesRows();
    assertEquals(new Route.AllNodes(Route.Purpose.SCHEMA), route(stores.writes("new")));
    assertEquals(FIRST, route(stored().reads("items").temporary("t")));
    assertRefused(stored().reads("orders").writes("new"));
    assertRefused(stored().reads("orders").temporary("t"));
    assertRefused(stored().writes("items").writes("new"));
    assertRefused(stored().writes("new").callsFunction("public.f"));
    assertEquals(new Route.AllNodes(Route.Purpose.SCHEMA), route(analyzed().writes("new")));
    assertEquals(FIRST, route(analyzed().temporary("t")));
    assertRefused(analyzed().reads("orders").writes("new"));
  }

  private static FactsBuilder analyzed() {
    return utility(UtilityKind.EXPLAIN, "EXPLAIN").storesRows().analyzes();
  }

  private static FactsBuilder stored() {
    return utility(UtilityKind.DDL, "SELECT INTO").storesRows();
  }

  @Test
  void lockAndTruncateReachTheRowsWhereverTheyLie() {
    for (UtilityKind kind : List.of(UtilityKind.LOCK, UtilityKind.TRUNCATE)) {
      assertEquals(
          new Route.AllNodes(Route.Purpose.ALL_TABLES),
          route(utility(kind, kind.name()).writes("orders")));
      assertEquals(FIRST, route(utility(kind, kind.name()).writes("notes")));
    }
  }

  @Test
  void aQueryInsideAnotherCommandStaysOnOneNode() {
    for (UtilityKind kind :
        List.of(UtilityKind.EXPLAIN, UtilityKind.DECLARE, UtilityKind.COPY_TO)) {
      int node = TestCatalog.nodeOf(17);
      assertEquals(
          new Route.OneNode(node),
          route(utility(kind, "X").reads("orders").equal(List.of("0.o_w"), constant("17"))));
      assertRefused(utility(kind, "X").reads("orders"));
    }
  }

  @Test
  void whatWouldGiveAPartialAnswerIsRefused() {
    assertRefused(stored().reads("orders"));
    assertEquals(FIRST, route(utility(UtilityKind.COPY_FROM, "COPY").writes("notes")));
    assertRefused(utility(UtilityKind.CALL, "CALL"));
    assertRefused(utility(UtilityKind.DO, "DO"));
  }

  @ParameterizedTest
  @EnumSource(UtilityKind.class)
  void everyCommandHasARoute(UtilityKind kind) {
    Route route = route(utility(kind, kind.name()));
    boolean refused =
        EnumSet.of(
                UtilityKind.CALL,
                UtilityKind.DO,
                UtilityKind.PREPARE,
                UtilityKind.EXECUTE,
                UtilityKind.PREPARE_TRANSACTION,
                UtilityKind.COMMIT_PREPARED,
                UtilityKind.ROLLBACK_PREPARED,
                UtilityKind.BEGIN,
                UtilityKind.COMMIT,
                UtilityKind.ROLLBACK,
                UtilityKind.SAVEPOINT,
                UtilityKind.RELEASE,
                UtilityKind.ROLLBACK_TO,
                UtilityKind.SUBSCRIPTION,
                UtilityKind.LOAD,
                UtilityKind.UNKNOWN)
            .contains(kind);
    assertEquals(refused, route instanceof Route.Refused, route.toString());
  }

  private static Route route(FactsBuilder facts) {
    return Routing.compile("X", facts.build(), TestCatalog.threeNodes()).route(TextValues.NONE);
  }

  private static void assertRefused(FactsBuilder facts) {
    Route.Refused refused = assertInstanceOf(Route.Refused.class, route(facts));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refused.error().state());
    assertTrue(refused.error().hint() != null && !refused.error().hint().isEmpty());
  }
}
