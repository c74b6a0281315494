package org.abelian.router.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.Condition;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.LookupFunction;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.placement.RuleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Placement functions and distribution columns as the catalogue writes them. */
class FunctionParserTest {
  private static final String VISIT =
      """
      {"version": 1, "nodes": [],
       "colocations": [{"id": 3, "partition_count": 3, "nodes": [0, 0, 0], "key_type": "integer,text",
         "method": "rules", "default": false, "rule": {"clauses": [{"partition": 1, "conditions": [
           {"column": 0, "operator": "<", "values": ["100"]},
           {"column": 1, "operator": "=", "values": ["y", "x"]}]}], "default": {"hash": [1, 0]}}}],
       "tables": [{"schema": "public", "name": "visit", "method": "distributed", "column": "region",
         "columns": [{"name": "region", "operator": "/", "operand": 10}, {"name": "kind"}],
         "key_type": "integer,text", "colocation": 3}]}
      """;

  private static final String SHOP =
      """
      {"version": 1, "nodes": [],
       "colocations": [{"id": 4, "partition_count": 2, "nodes": [0, 0], "key_type": "date",
         "method": "lookup", "rule": {"clauses": [], "default": {"partition": 1}},
         "entries": {"2000-01-02": 0}}],
       "tables": [{"schema": "public", "name": "visit", "method": "distributed", "column": "d",
         "columns": [{"name": "d"}], "key_type": "date", "colocation": 4}]}
      """;

  private static Placement.Distributed parse(String json) {
    return (Placement.Distributed)
        CatalogParser.parse(json, CatalogParserTest.ASKED)
            .placement(new TableName("public", "visit"))
            .orElseThrow();
  }

  private static KeyValue text(String text) {
    return new KeyValue.Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void rulesOverSeveralColumnsAreRead() {
    Placement.Distributed visit = parse(VISIT);
    assertEquals(
        List.of(
            new KeyColumn(
                "region", KeyKind.INTEGER, new KeyExpression(KeyExpression.Operator.DIVIDE, 10)),
            new KeyColumn("kind", KeyKind.TEXT, null)),
        visit.columns());
    PartitionFunction expected =
        new RuleFunction(
            3,
            List.of(
                new Clause(
                    1,
                    List.of(
                        new Condition(
                            0, Condition.Comparison.LESS, List.of(new KeyValue.Number(100))),
                        new Condition(
                            1, Condition.Comparison.EQUAL, List.of(text("x"), text("y")))))),
            new Otherwise.Hash(List.of(1, 0)));
    assertEquals(expected, visit.colocation().function());
    assertEquals(parse(VISIT).colocation(), visit.colocation(), "two nodes agree");
  }

  @Test
  void aLookupIsRead() {
    assertEquals(
        new LookupFunction(2, Map.of(new KeyValue.Number(1), 0), new Otherwise.Partition(1)),
        parse(SHOP).colocation().function());
  }

  @Test
  void aRuleWithoutDefaultCoversNoOtherRow() {
    RuleFunction function =
        (RuleFunction) parse(VISIT.replace("{\"hash\": [1, 0]}", "null")).colocation().function();
    assertEquals(new Otherwise.Refuse(), function.otherwise());
  }

  @Test
  void anOlderNodeSaysNothingOfMethods() {
    String old =
        """
        {"version": 1, "nodes": [], "colocations": [{"id": 3, "partition_count": 2, "nodes": [0, 0]}],
         "tables": [{"schema": "public", "name": "visit", "method": "hash", "column": "r",
           "key_type": "integer", "colocation": 3}]}
        """;
    assertEquals(List.of(new KeyColumn("r", KeyKind.INTEGER, null)), parse(old).columns());
    assertEquals(new HashFunction(2), parse(old).colocation().function());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"rules\" | \"nearest\" | FEATURE_NOT_SUPPORTED",
        "\"operator\": \"<\" | \"operator\": \"~\" | FEATURE_NOT_SUPPORTED",
        "\"operator\": \"/\" | \"operator\": \"+\" | FEATURE_NOT_SUPPORTED",
        "{\"hash\": [1, 0]} | {\"nearest\": 1} | FEATURE_NOT_SUPPORTED",
        "\"integer,text\", \"colocation\" | \"integer,box\", \"colocation\" |"
            + " FEATURE_NOT_SUPPORTED",
        "\"integer,text\", \"colocation\" | \"integer\", \"colocation\" | INTERNAL_ERROR",
        "\"operand\": 10 | \"operand\": 0 | INTERNAL_ERROR",
        "\"partition\": 1 | \"partition\": 3 | INTERNAL_ERROR",
        "\"column\": 0 | \"column\": 2 | INTERNAL_ERROR",
        "[1, 0] | [2] | INTERNAL_ERROR",
        "[\"100\"] | [\"1\", \"2\"] | INTERNAL_ERROR",
      })
  void whatCannotBeMeantIsRefused(String part, String instead, SqlState state) {
    String changed = VISIT.replace(part, instead);
    assertEquals(false, changed.equals(VISIT), part);
    assertEquals(
        state, assertThrows(AbelianException.class, () -> parse(changed)).state(), instead);
  }
}
