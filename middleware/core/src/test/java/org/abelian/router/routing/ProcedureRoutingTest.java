package org.abelian.router.routing;

import static org.abelian.router.routing.FactsBuilder.constant;
import static org.abelian.router.routing.FactsBuilder.parameter;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.router.analysis.BlindCallFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.analysis.Value;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

/** Calls of distributed procedures go to the nodes of the keys that their arguments name. */
class ProcedureRoutingTest {
  private static final int INT4 = 23;
  private static final int INT4_ARRAY = 1007;

  private static ProcedureFacts procedure(
      List<Value> keys, boolean unbound, String stopped, boolean computed) {
    return new ProcedureFacts(
        "public.p(integer)",
        "public",
        "orders",
        keys,
        List.of(),
        unbound,
        ProcedureFacts.Merge.FIRST,
        ProcedureFacts.Reach.COORDINATED,
        stopped,
        computed,
        List.of(),
        BlindCallFacts.unknown());
  }

  private static ProcedureFacts named(Value... keys) {
    return procedure(List.of(keys), false, "", false);
  }

  private static Route route(ProcedureFacts procedure, BoundValues values, Integer... types) {
    StatementFacts facts =
        FactsBuilder.utility(UtilityKind.CALL, "CALL").parameters(types).calls(procedure).build();
    return Routing.compile("CALL p()", facts, TestCatalog.threeNodes()).route(values);
  }

  private static List<Integer> nodes(Route route) {
    return assertInstanceOf(Route.Procedure.class, route).nodes();
  }

  private static String on(int node) {
    return Integer.toString(TestCatalog.keyOn(node));
  }

  @Test
  void constantsAndParametersNameNodesInTheirOrder() {
    assertEquals(
        List.of(3, 1), nodes(route(named(constant(on(3)), constant(on(1))), TextValues.NONE)));
    assertEquals(
        List.of(2, 3),
        nodes(route(named(parameter(1), constant(on(3))), TextValues.of(on(2)), INT4)));
    assertEquals(
        List.of(2), nodes(route(named(constant(on(2)), constant(on(2))), TextValues.NONE)));
  }

  @Test
  void anArrayNamesTheNodesOfItsElements() {
    BoundValues array = TextValues.of("{" + on(3) + "," + on(2) + ",NULL}");
    assertEquals(
        List.of(3, 2), nodes(route(named(new Value.ParameterElements(1)), array, INT4_ARRAY)));
  }

  @Test
  void keysThatOnlyANodeKnowsGoToAllNodes() {
    assertEquals(List.of(1, 2, 3), nodes(route(named(new Value.Other()), TextValues.NONE)));
    assertEquals(
        List.of(1, 2, 3), nodes(route(procedure(List.of(), true, "", false), TextValues.NONE)));
  }

  @Test
  void aCallWithoutAnyKeyIsAnsweredByOneNode() {
    assertEquals(1, nodes(route(named(new Value.Null()), TextValues.NONE)).size());
  }

  @Test
  void argumentsThatDifferFromNodeToNodeAreRefused() {
    Route route = route(procedure(List.of(constant("1")), false, "", true), TextValues.NONE);
    assertEquals(
        SqlState.FEATURE_NOT_SUPPORTED,
        assertInstanceOf(Route.Refused.class, route).error().state());
  }

  @Test
  void aStoppedProcedureIsRefusedWithTheReason() {
    Route route =
        route(procedure(List.of(constant("1")), false, "it lied", false), TextValues.NONE);
    var error = assertInstanceOf(Route.Refused.class, route).error();
    assertEquals(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, error.state());
    assertTrue(error.getMessage().contains("it lied"), error.getMessage());
  }
}
