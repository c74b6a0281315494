package org.abelian.router.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.router.error.AbelianException;
import org.junit.jupiter.api.Test;

class FactsParserTest {
  @Test
  void everyFactOfAnInsertIsRead() {
    StatementFacts facts =
        only(
            """
            [{"kind": "insert", "span": [0, 60], "tag": "INSERT", "parameters": [23, 4294967295],
              "relations": [{"id": 0, "schema": "public", "name": "t", "catalog": false, "temporary": false,
                             "write": true, "locking": null, "level": 0}],
              "equalities": [],
              "insert": {"relation": 0, "source": "values", "columns": ["k", "v"],
                         "rows": [[{"param": 1, "cast": "character varying(5)"}, {"const": "5", "type": 23, "location": 40}], [{"null": true}, {"default": true}], [{"other": true}, {"param": 2}]],
                         "row_spans": [[30, 10], [42, 8], [52, 8]], "values_span": [30, 30], "key_links": [[1, "k"]]},
              "assigned": ["v"], "volatile": true, "mutable": true,
              "operations": [{"column": "v", "commutes": true}], "returns_rows": true}]
            """);
    assertEquals(StatementKind.INSERT, facts.kind());
    assertEquals(List.of(23, -1), facts.parameters());
    assertTrue(facts.writes() && facts.calls().volatileFunctions() && facts.calls().mutable());
    InsertFacts insert = facts.change().insert();
    assertEquals(
        List.of(
            List.of(
                new Value.CastParameter(new Value.Parameter(1), "character varying(5)"),
                new Value.Constant("5", 23, 40)),
            List.of(new Value.Null(), new Value.Other()),
            List.of(new Value.Other(), new Value.Parameter(2))),
        insert.rows());
    assertEquals(new Span(42, 8), insert.rowSpans().get(1));
    assertEquals(new Span(30, 30), insert.valuesSpan());
    assertEquals(List.of(new ColumnReference(1, "k")), insert.keyLinks());
    assertNull(facts.merge());
  }

  @Test
  void everyFactOfASelectIsRead() {
    StatementFacts facts =
        only(
            """
            [{"kind": "select", "span": [0, 9], "tag": "SELECT",
              "relations": [{"id": 3, "schema": "s", "name": "t", "locking": "no key update", "level": 2}],
              "equalities": [{"columns": [[3, "k"], [4, "l"]], "values": [{"const": "x"}], "in": [[{"param": 2}, {"const": "7"}, {"param_array": 3}]]}],
              "returns_rows": true, "functions": ["public.f"],
              "merge": {"mode": "combine", "worker": "W", "worker_of_one": "O", "parts": [1, 2], "first_node": true, "combine": "C", "worker_types": [20, 1700], "combine_parameters": [1016, 1231], "pulls_rows": true, "taken": {"text": "T", "waits": true}, "reason": null}}]
            """);
    assertTrue(facts.locks());
    assertFalse(facts.writes());
    assertEquals(List.of("public.f"), facts.calls().functions());
    assertEquals(
        new Equality(
            List.of(new ColumnReference(3, "k"), new ColumnReference(4, "l")),
            List.of(new Value.Constant("x", 0, -1)),
            List.of(
                List.of(
                    new Value.Parameter(2),
                    new Value.Constant("7", 0, -1),
                    new Value.ParameterElements(3)))),
        facts.equalities().get(0));
    assertEquals(
        new MergeFacts(
            MergeFacts.Mode.COMBINE,
            "W",
            "O",
            "C",
            List.of(20, 1700),
            List.of(1016, 1231),
            List.of(1, 2),
            true,
            true,
            new MergeFacts.Taken("T", true),
            null,
            null,
            null),
        facts.merge());
  }

  @Test
  void aWindowOfAnyRowsIsRead() {
    StatementFacts facts =
        only(
            """
            [{"kind": "select", "merge": {"mode": "combine", "worker": "W", "combine": "C",
              "finish": {"window": {"limit": {"param": 2}, "offset": {"null": true}, "text": null}}}}]
            """);
    assertEquals(
        new MergeFacts.Window(new Value.Parameter(2), new Value.Null(), null),
        facts.merge().window());
    assertTrue(facts.merge().isWholeOnNode());
  }

  @Test
  void aBroadcastJoinIsRead() {
    StatementFacts facts =
        only(
            """
            [{"kind": "select", "merge": {"mode": "combine", "worker": "W", "combine": "C", "pulls_rows": true,
              "broadcast": {"rows": {"mode": "combine", "worker": "R"}, "merge": {"mode": "combine", "worker": "J", "combine": "F"},
                            "finish_needs_rows": true, "moved_bytes": 1.5, "all_bytes": 20}}}]
            """);
    MergeFacts.Broadcast broadcast = facts.merge().broadcast();
    assertEquals("R", broadcast.rows().worker());
    assertEquals("J", broadcast.merge().worker());
    assertTrue(broadcast.finishNeedsRows());
    assertEquals(1.5, broadcast.movedBytes());
    assertEquals(20, broadcast.allBytes());
  }

  @Test
  void howRowsMoveIsRead() {
    String told =
        """
        [{"kind": "update", "gathered": {
            "source": "D", "source_facts": {"kind": "delete", "span": [0, 1]},
            "insert": "I", "insert_facts": {"kind": "insert", "span": [0, 1], "parameters": [1007]},
            "keys": [{"field": 1, "type": 23, "cast": "integer"}], "query": null}}]
        """;
    GatheredFacts gathered = (GatheredFacts) FactsParser.instead(told);
    assertEquals("D", gathered.source());
    assertEquals(StatementKind.DELETE, gathered.sourceFacts().kind());
    assertEquals(List.of(new GatheredFacts.Key(1, 23, "integer", null)), gathered.keys());
    assertNull(gathered.computed());
    assertNull(only(told).change().unmoved());
    String refused = "[{\"kind\": \"update\", \"unmoved\": \"it is so\"}]";
    assertEquals("it is so", only(refused).change().unmoved());
    assertNull(FactsParser.instead(refused));
  }

  @Test
  void everyKindOfUtilityIsRead() {
    for (UtilityKind kind : UtilityKind.values()) {
      StatementFacts facts =
          only(
              "[{\"kind\": \"utility\", \"utility\": \"%s\", \"tag\": \"X\", \"name\": \"n\", \"deferred\": true, \"outside_transaction\": true}]"
                  .formatted(kind.name().toLowerCase()));
      assertEquals(kind, facts.command().utility());
      assertTrue(facts.command().outsideTransaction() && facts.deferred());
      assertEquals("n", facts.command().name());
    }
  }

  @Test
  void aSettingIsRead() {
    StatementFacts facts =
        only(
            "[{\"kind\": \"utility\", \"utility\": \"set\", \"set\": {\"name\": \"search_path\","
                + " \"scope\": \"local\", \"value\": \"a, b\"}}]");
    assertEquals(
        new SettingFacts("search_path", SettingFacts.Scope.LOCAL, "a, b", false),
        facts.command().setting());
  }

  @Test
  void whetherItCanBeDoneAgainIsRead() {
    String facts = "[{\"kind\": \"insert\", \"blind\": %s}]";
    assertEquals(
        new BlindFacts("again", null),
        only(facts.formatted("{\"redo\": \"again\"}")).change().blind());
    assertEquals(
        new BlindFacts(null, "it reads"),
        only(facts.formatted("{\"reason\": \"it reads\"}")).change().blind());
    assertEquals(
        new BlindFacts("again", null),
        only(facts.formatted("{\"reason\": \"it returns\", \"redo_returning\": \"again\"}"))
            .change()
            .blind());
    assertNull(only(facts.formatted("null")).change().blind());
  }

  @Test
  void severalStatementsAndNoneAreRead() {
    assertEquals(List.of(), FactsParser.parse("[]"));
    assertEquals(
        2, FactsParser.parse("[{\"kind\": \"empty\"}, {\"kind\": \"cluster_call\"}]").size());
  }

  @Test
  void anythingElseIsAFault() {
    assertThrows(AbelianException.class, () -> FactsParser.parse("nonsense"));
    assertThrows(AbelianException.class, () -> FactsParser.parse("[{\"kind\": \"new\"}]"));
  }

  private static StatementFacts only(String json) {
    List<StatementFacts> all = FactsParser.parse(json);
    assertEquals(1, all.size());
    return all.get(0);
  }
}
