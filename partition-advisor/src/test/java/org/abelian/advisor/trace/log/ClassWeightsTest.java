package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.Traces;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceWriter;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassWeightsTest {
  @TempDir Path folder;

  private static ClassWeights weights(Object... namesCountsAndKeys) {
    ClassWeights weights = new ClassWeights();
    for (int i = 0; i < namesCountsAndKeys.length; i += 3) {
      for (int n = 0; n < (int) namesCountsAndKeys[i + 1]; n++) {
        weights.add(
            (String) namesCountsAndKeys[i],
            List.of(((String) namesCountsAndKeys[i + 2]).split("; ")));
      }
    }
    return weights;
  }

  @Test
  void weighsClassesByTheirStatements() {
    Map<String, Double> found =
        weights("read", 10, "select a", "write", 10, "update a")
            .of(Map.of("select a", 900L, "update a", 100L));
    assertEquals(1.8, found.get("read"), 1e-6);
    assertEquals(0.2, found.get("write"), 1e-6);
  }

  /** 700 of the 800 reads are not in transactions that write. */
  @Test
  void dividesStatementsOfSeveralClasses() {
    Map<String, Double> found =
        weights("read", 10, "select a", "write", 10, "select a; update a")
            .of(Map.of("select a", 800L, "update a", 100L));
    assertEquals(7, found.get("read") / found.get("write"), 0.01);
    assertEquals(2, found.get("read") + found.get("write"), 1e-6);
  }

  /** Three times the same statement in a transaction is one transaction for three calls. */
  @Test
  void countsRepeatedStatements() {
    Map<String, Double> found =
        weights("thrice", 10, "insert a; insert a; insert a", "once", 10, "select a")
            .of(Map.of("insert a", 300L, "select a", 100L));
    assertEquals(found.get("once"), found.get("thrice"), 1e-6);
  }

  @Test
  void keepsTheShareOfWhatWasNotCounted() {
    ClassWeights weights = weights("known", 10, "select a", "unknown", 10, "select b");
    Map<String, Double> found = weights.of(Map.of("select a", 500L, "select c", 500L));
    assertEquals(1, found.get("known"), 1e-6);
    assertEquals(1, found.get("unknown"), 1e-6);
    assertEquals(0.5, weights.missing(Map.of("select a", 500L, "select c", 500L, "BEGIN", 9L)));
  }

  @Test
  void readsAFileOfTheView() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("calls.csv"),
            """
            userid,query,calls,plans
            10,"SELECT ""n"" FROM a
             WHERE id = $1 AND d > interval $2",5,0
            11,"SELECT ""n"" FROM a WHERE id = $1 AND d > interval $2",7,0
            10,BEGIN,12,0
            """);
    Map<String, Long> calls = CallCounts.read(file.toString(), null);
    String logged = "SELECT \"n\" FROM a WHERE id = 17 AND d > interval '1 day'";
    assertEquals(new TreeMap<>(Map.of(CallCounts.key(logged), 12L, "BEGIN", 12L)), calls);
  }

  @Test
  void saysWhatAFileShouldBe() throws IOException {
    Path file = Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
    String message =
        assertThrows(AdvisorException.class, () -> CallCounts.read(file.toString(), null))
            .getMessage();
    assertTrue(message.contains("columns query and calls"), message);
  }

  /** A trace in which what a hash distributes seems half, and is a tenth. */
  @Test
  void judgesByTheTrueShares() {
    Path trace = folder.resolve("trace");
    try (OutputFolder output = OutputFolder.begin(trace);
        TraceWriter writer = new TraceWriter(output.path(), List.of(Traces.table("t", 1, "id")))) {
      for (int i = 0; i < 2000; i++) {
        Access one = Traces.write(0, i % 1000);
        writer.add(
            i % 2 == 0 ? "single" : "double",
            List.of(),
            true,
            i % 2 == 0 ? List.of(one) : List.of(one, Traces.write(1, (i * 7 + 13) % 1000)));
      }
      writer.finish(
          "a test", Map.of(), null, Map.of("single", 1.8, "double", 0.2), List.of(), List.of());
      output.finish();
    }
    assertEquals(
        0,
        Commands.execute(
            "run", "--trace", trace.toString(), "--output", folder.resolve("o").toString()));
    Judgement judged =
        JsonFile.read(ValidationPhase.file(folder.resolve("o/validation")), Validation.class)
            .judgement("primary-key");
    // Of the pairs two of three lie on different nodes of three.
    assertEquals(0.1 * 2 / 3, judged.distributed(), 0.015);
    Judgement.OfClass pairs =
        judged.classes().stream().filter(one -> one.name().equals("double")).findFirst().get();
    assertEquals(0.1, pairs.share(), 0.015);
    assertEquals(2 / 3.0, pairs.distributed(), 0.1);
  }
}
