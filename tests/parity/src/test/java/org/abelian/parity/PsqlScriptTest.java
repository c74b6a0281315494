package org.abelian.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class PsqlScriptTest {
  private static List<String> statements(String script) {
    return new PsqlScript(List.of(script.split("\n")))
        .statements().stream().map(Statement::text).toList();
  }

  private static List<String> echoed(String script) {
    return new PsqlScript(List.of(script.split("\n")))
        .echoed().stream().map(PsqlScript.EchoedLine::text).toList();
  }

  @Test
  void statementsEndAtSemicolons() {
    assertEquals(
        List.of("SELECT 1;", "SELECT\n  2;", "SELECT 3\\; SELECT 4;"),
        statements("SELECT 1;\n-- a comment;\nSELECT\n  2;\nSELECT 3\\; SELECT 4;"));
  }

  @Test
  void quotesCommentsAndParenthesesHideSemicolons() {
    List<String> whole =
        List.of(
            "SELECT ';\n;' || E'\\';' || \"a;\";",
            "DO $x$ ; $$ ; $x$;",
            "SELECT /* ; /* ; */ ; */ 1;",
            "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b);");
    assertEquals(whole, statements(String.join("\n", whole)));
  }

  @Test
  void bodiesOfRoutinesHideSemicolons() {
    List<String> whole =
        List.of(
            "CREATE FUNCTION f() RETURNS int\nBEGIN ATOMIC\n  SELECT CASE WHEN a THEN 1 END;\nEND;",
            "BEGIN;",
            "SELECT CASE WHEN true THEN 1 END;",
            "END;");
    assertEquals(whole, statements(String.join("\n", whole)));
  }

  @Test
  void backslashCommandsStandAloneOrSend() {
    assertEquals(
        List.of("\\d t", "SELECT 1 AS a \\gset", "SELECT 2", "\\echo :a"),
        List.of(
            statements("\\d t\nSELECT 1 AS a \\gset\n\\echo :a").get(0),
            statements("\\d t\nSELECT 1 AS a \\gset\n\\echo :a").get(1),
            statements("SELECT 2").get(0),
            statements("\\d t\nSELECT 1 AS a \\gset\n\\echo :a").get(2)));
  }

  @Test
  void emptyLinesAndCopyDataAreNotEchoed() {
    assertEquals(
        List.of("COPY t FROM stdin;", "SELECT 'a", "", "b';"),
        echoed("COPY t FROM stdin;\n1\n2\n\\.\n\nSELECT 'a\n\nb';"));
  }
}
