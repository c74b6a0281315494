package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatementSplitterTest {
  private static List<String> split(String text) {
    return StatementSplitter.split(text, true).stream()
        .map(statement -> statement.strip().replaceFirst("\\s*;$", ""))
        .toList();
  }

  @Test
  void statementsKeepTheSemicolonThatEndsThem() {
    assertEquals(List.of("a;", " b"), StatementSplitter.split("a; b", true));
  }

  @Test
  void statementsEndAtSemicolons() {
    assertEquals(List.of("a", "b"), split("a; b;"));
    assertEquals(List.of("a"), split("; a ;; -- nothing\n;/* or ; this */"));
    assertEquals(List.of(), split(" -- only a comment"));
  }

  @Test
  void quotedSemicolonsEndNothing() {
    assertEquals(List.of("SELECT ';''; '", "b"), split("SELECT ';''; '; b"));
    assertEquals(List.of("SELECT \";\"", "b"), split("SELECT \";\"; b"));
    assertEquals(List.of("SELECT E'\\';'", "b"), split("SELECT E'\\';'; b"));
    assertEquals(List.of("SELECT '\\'", "b'"), split("SELECT '\\'; b'"));
    assertEquals(List.of("SELECT '\\'; b'"), StatementSplitter.split("SELECT '\\'; b'", false));
  }

  @Test
  void dollarQuotesAndParametersAreToldApart() {
    assertEquals(List.of("DO $$ a; b $$", "c"), split("DO $$ a; b $$; c"));
    assertEquals(List.of("DO $x$ ; $$ ; $x$", "c"), split("DO $x$ ; $$ ; $x$; c"));
    assertEquals(List.of("SELECT $1", "SELECT $2"), split("SELECT $1; SELECT $2"));
  }

  @Test
  void commentsNest() {
    assertEquals(List.of("a /* /* ; */ ; */ c", "d"), split("a /* /* ; */ ; */ c; d"));
  }

  @Test
  void commentsEndWithTheLineHoweverItEnds() {
    assertEquals(List.of("a -- ;", "b"), split("a -- ;\r; b"));
    assertEquals(List.of("a -- ;", "b"), split("a -- ;\n; b"));
    assertEquals(List.of("a /* ; b"), split("a /* ; b"));
    assertEquals(List.of("a -- ; b"), split("a -- ; b"));
  }

  @Test
  void rulesAndAtomicBodiesKeepTheirSemicolons() {
    String rule = "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)";
    assertEquals(List.of(rule, "c"), split(rule + "; c"));
    String function =
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2;"
            + " END";
    assertEquals(List.of(function, "c"), split(function + "; c"));
  }
}
