package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.abelian.router.execution.PlanFormat;
import org.junit.jupiter.api.Test;

class ExplainCommandTest {
  private static void assertParts(String prefix, String inner, String flags) {
    ExplainCommand command = ExplainCommand.of(prefix + inner);
    assertEquals(prefix, command.prefix());
    assertEquals(prefix.codePointCount(0, prefix.length()), command.inner().indexOf(inner));
    assertEquals(inner, command.inner().strip());
    assertEquals(flags.contains("a"), command.analyze(), "analyze");
    PlanFormat format =
        flags.contains("j")
            ? PlanFormat.JSON
            : flags.contains("y") ? PlanFormat.YAML : PlanFormat.TEXT;
    assertEquals(format, command.format());
    assertEquals(flags.contains("c"), command.call(), "call");
  }

  @Test
  void theOptionsAreToldFromTheStatement() {
    assertParts("EXPLAIN ", "SELECT 1", "");
    assertParts("explain analyze verbose ", "(SELECT 1)", "a");
    assertParts("EXPLAIN(ANALYSE)", "CALL p()", "ac");
    assertParts("EXPLAIN (analyze off, costs 0, FORMAT 'Json') ", "TABLE t", "j");
    assertParts("/* a /* b */ */ EXPLAIN -- \u00fc\n (FORMAT yaml, ANALYZE) ", "WITH a AS", "ay");
    assertParts("EXPLAIN ", "(SELECT 1) UNION (SELECT 2)", "");
    assertParts("EXPLAIN ", "((SELECT 1))", "");
    assertParts("EXPLAIN ", "CREATE TABLE a AS SELECT 1", "");
  }

  @Test
  void aPlanAloneHasNoOptionsThatAnalyzeNeeds() {
    ExplainCommand command =
        ExplainCommand.of(
            "EXPLAIN (ANALYZE, COSTS off, Timing OFF, WAL, SERIALIZE text, FORMAT 'json') SELECT"
                + " 1");
    assertEquals("EXPLAIN (COSTS off, FORMAT 'json') SELECT 2", command.planOf(" SELECT 2"));
    assertEquals(
        "EXPLAIN SELECT 2", ExplainCommand.of("EXPLAIN ANALYZE SELECT 1").planOf("SELECT 2"));
    assertEquals(
        "explain (wal) SELECT 2", ExplainCommand.of("explain (wal) SELECT 1").planOf("SELECT 2"));
  }

  @Test
  void itMayBeAboutWhatRunsInsteadAndBefore() {
    ExplainCommand command = ExplainCommand.of("EXPLAIN (COSTS off) SELECT 1");
    ExplainCommand last = command.about("SELECT 2", "SELECT 3").about("SELECT 4", null);
    assertEquals("SELECT 4", last.inner());
    assertEquals(List.of("SELECT 3"), last.before());
    assertEquals("EXPLAIN (COSTS off) SELECT 5", last.ofText("SELECT 5"));
    assertEquals(List.of(), command.before());
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
          "EXPLAINSELECT 1",
          "EXPLAIN DECLARE c CURSOR FOR SELECT 1",
        }) {
      assertNull(ExplainCommand.of(sql), sql);
    }
  }
}
