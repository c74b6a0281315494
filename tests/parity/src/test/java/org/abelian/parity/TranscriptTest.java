package org.abelian.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TranscriptTest {
  private static final PsqlScript SCRIPT =
      new PsqlScript(
          List.of("CREATE TABLE t (", "  a int);", "SELECT 1;", "", "SELECT 1;", "\\d t"));

  private static List<List<String>> answers(String... output) {
    return Transcript.ofStatements(SCRIPT, List.of(output)).subList(0, 4);
  }

  @Test
  void outputBelongsToTheStatementBeforeIt() {
    assertEquals(
        List.of(List.of("ERROR: no"), List.of("one"), List.of(), List.of("table")),
        answers(
            "CREATE TABLE t (",
            "  a int);",
            "ERROR: no",
            "SELECT 1;",
            "one",
            "SELECT 1;",
            "\\d t",
            "table"));
  }

  @Test
  void whatASessionDidNotReachIsTold() {
    assertEquals(
        Arrays.asList(List.of(), List.of("lost"), null, null),
        answers("CREATE TABLE t (", "  a int);", "SELECT 1;", "lost"));
  }

  @Test
  void permutationsOfIsolationTestsArePartsOfTheirOwn() {
    assertEquals(
        List.of(
            List.of("Parsed test spec with 2 sessions", ""),
            List.of("starting permutation: a b", "step a: x"),
            List.of("starting permutation: b a")),
        Transcript.ofPermutations(
            List.of(
                "Parsed test spec with 2 sessions",
                "",
                "starting permutation: a b",
                "step a: x",
                "starting permutation: b a")));
  }
}
