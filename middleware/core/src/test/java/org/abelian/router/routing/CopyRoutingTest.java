package org.abelian.router.routing;

import static org.abelian.router.routing.FactsBuilder.utility;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.ByteQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyRoutingTest {
  private static FactsBuilder copy(String table) {
    return utility(UtilityKind.COPY_FROM, "COPY").writes(table);
  }

  private static Route route(FactsBuilder facts) {
    return Routing.compile("COPY", facts.build(), TestCatalog.threeNodes()).route(TextValues.NONE);
  }

  private static ByteQueue[] line(String text) {
    ByteQueue queue = new ByteQueue(16);
    queue.append(text.getBytes(StandardCharsets.UTF_8));
    return new ByteQueue[] {queue};
  }

  @Test
  void eachLineGoesToTheNodeOfItsKey() {
    Route.CopyIn route =
        assertInstanceOf(
            Route.CopyIn.class, route(copy("orders").copies(Map.of(), "x text", "o_w integer")));
    assertArrayEquals(new int[] {1}, route.division().columns());
    for (int key = -50; key < 50; key++) {
      int index = route.division().key().node(line(" " + key + " "));
      assertEquals(TestCatalog.nodeOf(key), route.nodes().get(index));
    }
  }

  @Test
  void aKeyThatNoRowCanHaveIsRefused() {
    Route.CopyIn route = (Route.CopyIn) route(copy("orders").copies(Map.of(), "o_w integer"));
    var key = route.division().key();
    assertEquals(TestCatalog.NODE_OF_NULL, route.nodes().get(key.node(new ByteQueue[] {null})));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refusal(() -> key.node(line("1.5"))));
    assertEquals(SqlState.INVALID_TEXT_REPRESENTATION, refusal(() -> key.node(line("x"))));
  }

  private static SqlState refusal(Runnable work) {
    return assertThrows(AbelianException.class, work::run).state();
  }

  @Test
  void aReferenceTableGetsAllLinesEverywhere() {
    Route.CopyIn route =
        assertInstanceOf(
            Route.CopyIn.class,
            route(copy("items").copies(Map.of("format", "binary"), "i integer")));
    assertNull(route.division());
    assertEquals(TestCatalog.threeNodes().nodes().size(), route.nodes().size());
  }

  @Test
  void defaultsThatDifferFromNodeToNodeAreRefusedInReferenceTables() {
    assertRefused(copy("items").copies(Map.of(), "i integer").callsVolatile());
  }

  @ParameterizedTest
  @CsvSource({"encoding, SJIS", "on_error, ignore", "header, 2"})
  void optionsThatTheRouterCannotFollowAreRefused(String option, String value) {
    assertRefused(copy("orders").copies(Map.of(option, value), "o_w integer"));
  }

  @ParameterizedTest
  @CsvSource({"on_error, stop", "log_verbosity, verbose", "reject_limit, 3", "default, D"})
  void optionsThatDoNotSayHowALineIsReadAreTheNodes(String option, String value) {
    assertInstanceOf(
        Route.CopyIn.class, route(copy("orders").copies(Map.of(option, value), "o_w integer")));
  }

  @Test
  void theDistributionColumnMustBeThere() {
    assertRefused(copy("orders").copies(Map.of(), "x text"));
  }

  @Test
  void filesOfANodeAreRefused() {
    assertRefused(copy("orders"), SqlState.INSUFFICIENT_PRIVILEGE);
  }

  @Test
  void binaryRowsGoToTheNodeOfTheirKey() {
    Route.CopyIn route =
        assertInstanceOf(
            Route.CopyIn.class,
            route(copy("orders").copies(Map.of("format", "binary"), "o_w integer")));
    for (int key = -50; key < 50; key++) {
      ByteQueue queue = new ByteQueue(16);
      queue.append(ByteBuffer.allocate(4).putInt(key).array());
      int index = route.division().key().node(new ByteQueue[] {queue});
      assertEquals(TestCatalog.nodeOf(key), route.nodes().get(index));
    }
  }

  private static void assertRefused(FactsBuilder facts) {
    assertRefused(facts, SqlState.FEATURE_NOT_SUPPORTED);
  }

  private static void assertRefused(FactsBuilder facts, SqlState state) {
    Route.Refused refused = assertInstanceOf(Route.Refused.class, route(facts));
    assertEquals(state, refused.error().state());
    assertNotNull(refused.error().hint());
  }
}
