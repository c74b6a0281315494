package org.abelian.advisor.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTextTest {
  private static List<String> lines(Rule rule) {
    return RuleText.lines(new TablePlacement.Rules(rule));
  }

  @Test
  void readsLikeSql() {
    Rule rule =
        new Rule.AtMost(
            "w",
            2.5,
            new Rule.AtMost("w", 1.5, new Rule.Then(1), new Rule.Then(0)),
            new Rule.AtMost("w", 7.5, new Rule.Then(1), new Rule.Then(2)));
    assertEquals(
        List.of(
            "node 1 WHERE w = 2",
            "node 2 WHERE w <= 1 OR w BETWEEN 3 AND 7",
            "node 3 WHERE w >= 8"),
        lines(rule));
  }

  @Test
  void joinsColumnsAndTexts() {
    Rule rule =
        new Rule.Equal(
            "land",
            "it's",
            new Rule.AtMost("x", 0.25, new Rule.Then(0), new Rule.Then(1)),
            new Rule.Then(Rule.EVERYWHERE));
    assertEquals(
        List.of(
            "every node WHERE land <> 'it''s'",
            "node 1 WHERE land = 'it''s' AND x <= 0.25",
            "node 2 WHERE land = 'it''s' AND x > 0.25"),
        lines(rule));
  }
}
