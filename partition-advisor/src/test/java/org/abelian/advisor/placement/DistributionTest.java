package org.abelian.advisor.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.abelian.advisor.placement.Rule.AtMost;
import org.abelian.advisor.placement.Rule.Equal;
import org.abelian.advisor.placement.Rule.Then;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceTable.Attribute;
import org.junit.jupiter.api.Test;

class DistributionTest {
  private static final TraceTable VISIT =
      new TraceTable(
          "public",
          "visit",
          List.of(List.of("region", "kind", "number")),
          List.of(
              new Attribute("region", "integer"),
              new Attribute("kind", "text"),
              new Attribute("number", "bigint"),
              new Attribute("price", "numeric(12,2)"),
              new Attribute("owner", "integer")),
          List.of(),
          10);

  private static Distribution of(Rule rule) {
    TablePlacement placement = new TablePlacement.Rules(rule);
    assertNull(Distribution.obstacle(VISIT, placement));
    return Distribution.of(VISIT, placement);
  }

  @Test
  void saysRanges() {
    assertEquals(
        new Distribution(
            "range",
            List.of("region"),
            "WHEN region <= 2 THEN 0 WHEN region <= 4 THEN 1 WHEN region <= 6 THEN 2 ELSE 3"),
        of(
            new AtMost(
                "region",
                4.5,
                new AtMost("region", 2.5, new Then(0), new Then(1)),
                new AtMost("region", 6.5, new Then(2), new Then(3)))));
  }

  @Test
  void saysLists() {
    assertEquals(
        new Distribution("list", List.of("kind"), "WHEN kind = 'it''s' THEN 2 ELSE 0"),
        of(new Equal("kind", "it's", new Then(2), new Then(0))));
  }

  @Test
  void saysRulesOverSeveralColumns() {
    assertEquals(
        new Distribution(
            "rules",
            List.of("region", "kind"),
            "WHEN region <= -10 AND kind = 'x' THEN 0 WHEN region <= -10 THEN 1 ELSE 2"),
        of(
            new AtMost(
                "region", -9.5, new Equal("kind", "x", new Then(0), new Then(1)), new Then(2))));
  }

  @Test
  void saysHashesOfWholeKeysAndLookups() {
    assertEquals(
        new Distribution("hash", List.of("region", "kind", "number"), null),
        Distribution.of(VISIT, new TablePlacement.RowHash()));
    assertEquals(
        new Distribution("lookup", List.of("kind"), "ELSE HASH"),
        Distribution.of(VISIT, new TablePlacement.Lookup("kind", "group 1")));
  }

  private static void assertObstacle(String expected, TablePlacement placement) {
    assertEquals(expected, Distribution.obstacle(VISIT, placement));
  }

  @Test
  void saysWhatCannotBeLoaded() {
    assertNull(Distribution.obstacle(VISIT, new TablePlacement.Reference()));
    assertObstacle("owner is not in all unique keys", new TablePlacement.Hash("owner"));
    assertObstacle("a table of rows is none of a key", new TablePlacement.RowLookup("visit"));
    assertObstacle(
        "some rows are on every node and others are not",
        new TablePlacement.Rules(
            new AtMost("region", 1.5, new Then(0), new Then(Rule.EVERYWHERE))));
    assertObstacle(
        "kind is no whole number, and has another order in rules",
        new TablePlacement.Rules(new AtMost("kind", 1.5, new Then(0), new Then(1))));
    assertObstacle(
        "all rows are on one node, which no rule over a column says",
        new TablePlacement.Rules(new Then(1)));
    TraceTable keyless =
        new TraceTable("public", "log", List.of(), VISIT.attributes(), List.of(), 10);
    assertEquals(
        "there is no primary key", Distribution.obstacle(keyless, new TablePlacement.RowHash()));
    assertEquals(
        "rows cannot be placed by the type of price",
        Distribution.obstacle(keyless, new TablePlacement.Hash("price")));
  }

  /** The first clause that holds gives what the tree gives, for trees of all shapes. */
  @Test
  void clausesMeanTheTree() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Rule tree = tree(random, 4);
      if (tree instanceof Then) {
        continue;
      }
      String clauses = Distribution.of(VISIT, new TablePlacement.Rules(tree)).rule();
      for (int i = 0; i < 200; i++) {
        Map<String, String> row =
            Map.of(
                "region", "" + (random.nextInt(21) - 10),
                "number", "" + (random.nextInt(21) - 10),
                "kind", "" + (char) ('a' + random.nextInt(4)));
        String where = "seed " + seed + ", " + row + ", " + clauses;
        assertEquals(follow(tree, row), first(clauses, row), where);
      }
    }
  }

  private static Rule tree(Random random, int depth) {
    if (depth == 0 || random.nextInt(6) == 0) {
      return new Then(random.nextInt(5));
    }
    Rule yes = tree(random, depth - 1);
    Rule no = tree(random, depth - 1);
    return switch (random.nextInt(3)) {
      case 0 -> new Equal("kind", "" + (char) ('a' + random.nextInt(4)), yes, no);
      case 1 -> new AtMost("region", random.nextInt(20) - 9.5, yes, no);
      default -> new AtMost("number", random.nextInt(20) - 9.5, yes, no);
    };
  }

  private static int follow(Rule rule, Map<String, String> row) {
    if (rule instanceof AtMost split) {
      return follow(
          Integer.parseInt(row.get(split.column())) <= split.value() ? split.yes() : split.no(),
          row);
    }
    if (rule instanceof Equal split) {
      return follow(row.get(split.column()).equals(split.value()) ? split.yes() : split.no(), row);
    }
    return ((Then) rule).partition();
  }

  /** As CASE does. */
  private static int first(String clauses, Map<String, String> row) {
    for (String clause : clauses.split("(?=WHEN |ELSE )")) {
      if (clause.startsWith("ELSE ")) {
        return Integer.parseInt(clause.substring(5).strip());
      }
      String[] parts = clause.substring(5).split(" THEN ");
      boolean holds = true;
      for (String condition : parts[0].split(" AND ")) {
        String[] words = condition.split(" ");
        String value = row.get(words[0]);
        holds &=
            words[1].equals("=")
                ? value.equals(words[2].replace("'", ""))
                : Integer.parseInt(value) <= Integer.parseInt(words[2]);
      }
      if (holds) {
        return Integer.parseInt(parts[1].strip());
      }
    }
    throw new AssertionError("no clause holds: " + clauses);
  }

  @Test
  void placesKeysOnTheirNodes() {
    for (int nodes : new int[] {2, 3, 7, 15, 32, 40}) {
      int partitions = Math.max(32, nodes);
      for (int key = 0; key < 200; key++) {
        int node = key % nodes;
        int partition = KeyHash.partition("" + key, node, nodes);
        assertTrue(partition >= 0 && partition < partitions, "partition " + partition);
        assertEquals(node, partition * nodes / partitions, "node of partition " + partition);
      }
    }
  }
}
