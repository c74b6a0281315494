package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class ExplainCommandTest {
  private static void assertParts(String prefix, String inner, String flags) {
    ExplainCommand command = ExplainCommand.of(prefix + inner);
    assertEquals(prefix, command.prefix());
    assertEquals(prefix.codePointCount(0, prefix.length()), command.inner().indexOf(inner));
    assertEquals(inner, command.inner().strip());
    assertEquals(flags.contains("a"), command.analyze(), "analyze");
    assertEquals(flags.contains("t"), command.text(), "text");
    assertEquals(flags.contains("c"), command.call(), "call");
  }

  @Test
  void theOptionsAreToldFromTheStatement() {
    assertParts("EXPLAIN ", "SELECT 1", "t");
    assertParts("explain analyze verbose ", "(SELECT 1)", "ta");
    assertParts("EXPLAIN(ANALYSE)", "CALL p()", "tac");
    assertParts("EXPLAIN (analyze off, costs 0, FORMAT 'Json') ", "TABLE t", "");
    assertParts("/* a /* b */ */ EXPLAIN -- \u00fc\n (FORMAT yaml, ANALYZE) ", "WITH a AS", "a");
    assertParts("EXPLAIN ", "(SELECT 1) UNION (SELECT 2)", "t");
    assertParts("EXPLAIN ", "((SELECT 1))", "t");
  }

  @Test
  void anythingElseIsLeftToTheNodes() {
    for (String sql :
        new String[] {
          "SELECT 1",
          "EXPLAIN",
          "EXPLAIN (ANALYZE",
          "EXPLAIN (ANALYZE;) SELECT 1",
          "EXPLAIN EXECUTE p",
          "EXPLAIN CREATE TABLE a AS SELECT 1",
          "EXPLAINSELECT 1",
          "EXPLAIN DECLARE c CURSOR FOR SELECT 1",
        }) {
      assertNull(ExplainCommand.of(sql), sql);
    }
  }
}
