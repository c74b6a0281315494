package org.abelian.router.catalog;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.KeyKind;
import org.junit.jupiter.api.Test;

class CatalogParserTest {
  static final Node ASKED = new Node(0, "seed", 5432);

  private static final String FULL =
      """
      {"version": 7,
       "nodes": [{"id": 2, "host": "b", "port": 2}, {"id": 1, "host": "a", "port": 1}],
       "colocations": [{"id": 3, "partition_count": 4, "nodes": [1, 1, 2, 2]}],
       "tables": [
         {"schema": "public", "name": "orders", "method": "hash", "column": "o_w", "key_type": "integer", "colocation": 3},
         {"schema": "public", "name": "people", "method": "hash", "column": "n", "key_type": "blank_padded", "colocation": 3},
         {"schema": "s", "name": "items", "method": "reference", "column": null, "key_type": null, "colocation": null}]}
      """;

  @Test
  void theCatalogueIsReadAsTheNodeWroteIt() {
    Catalog catalog = CatalogParser.parse(FULL, ASKED);
    assertEquals(7, catalog.version());
    assertEquals(new Node(1, "a", 1), catalog.first());
    assertEquals(Optional.of(new Node(2, "b", 2)), catalog.node(2));
    assertEquals(Optional.empty(), catalog.node(3));
    Placement.Distributed orders =
        (Placement.Distributed) catalog.placement(new TableName("public", "orders")).orElseThrow();
    assertEquals(List.of(new KeyColumn("o_w", KeyKind.INTEGER, null)), orders.columns());
    assertEquals(2, orders.colocation().nodeOf(3));
    assertArrayEquals(new int[] {1, 2}, orders.colocation().distinctNodes());
    Placement.Distributed people =
        (Placement.Distributed) catalog.placement(new TableName("public", "people")).orElseThrow();
    assertEquals(KeyKind.BLANK_PADDED, people.columns().get(0).key());
    assertEquals(
        Optional.of(new Placement.Reference()), catalog.placement(new TableName("s", "items")));
    assertEquals(Optional.empty(), catalog.placement(new TableName("s", "orders")));
  }

  @Test
  void aNodeWithoutClusterIsTheWholeCluster() {
    Catalog catalog =
        CatalogParser.parse(
            "{\"version\": 1, \"nodes\": [], \"tables\": [], \"colocations\": []}", ASKED);
    assertEquals(List.of(ASKED), catalog.nodes());
  }

  @Test
  void aRouterIsToldThatTheExtensionIsTooNewForIt() {
    String first = "{\"version\"";
    String same = "{\"oldest_router\": \"" + RouterVersion.current() + "\", \"version\"";
    assertEquals(7, CatalogParser.parse(FULL.replace(first, same), ASKED).version());
    String newer = "{\"oldest_router\": \"999.0.0\", \"version\"";
    AbelianException refused =
        assertThrows(
            AbelianException.class, () -> CatalogParser.parse(FULL.replace(first, newer), ASKED));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refused.state());
    assertEquals(
        "the extension of the nodes needs routers of version 999.0.0 or newer; this one is "
            + RouterVersion.current(),
        refused.getMessage());
  }

  @Test
  void versionsAreComparedByTheirNumbers() {
    assertTrue(RouterVersion.isOlder("0.6.0", "0.6.1"));
    assertTrue(RouterVersion.isOlder("0.9.0", "0.10.0"));
    assertTrue(RouterVersion.isOlder("9.0.0", "10.0.0-rc1"));
    assertFalse(RouterVersion.isOlder("0.6.0", "0.6.0"));
    assertFalse(RouterVersion.isOlder("0.6.0-SNAPSHOT", "0.6.0"));
    assertFalse(RouterVersion.isOlder("1.0.0", "0.99.99"));
    assertTrue(RouterVersion.isOlder("1.0.0", "later"), "an unknown form is a newer one");
  }

  @Test
  void whatThisRouterDoesNotKnowIsRefused() {
    assertFails(SqlState.INTERNAL_ERROR, "nonsense");
    assertFails(SqlState.FEATURE_NOT_SUPPORTED, FULL.replace("\"reference\"", "\"range\""));
    assertFails(SqlState.FEATURE_NOT_SUPPORTED, FULL.replace("\"integer\"", "\"jsonb\""));
    assertFails(SqlState.INTERNAL_ERROR, FULL.replace("[1, 1, 2, 2]", "[1, 1, 2]"));
    assertFails(SqlState.INTERNAL_ERROR, FULL.replace("\"id\": 3", "\"id\": 4"));
  }

  private static void assertFails(SqlState state, String json) {
    AbelianException error =
        assertThrows(AbelianException.class, () -> CatalogParser.parse(json, ASKED));
    assertEquals(state, error.state());
  }
}
