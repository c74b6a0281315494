package org.abelian.parity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compares what scripts printed with the expected outputs of a source tree. */
final class Judge {
  private final Path source;
  private final Path results;

  /**
   * @param source src/test/regress or src/test/isolation
   * @param results the folder that pg_regress wrote NAME.out to
   */
  Judge(Path source, Path results) {
    this.source = source;
    this.results = results;
  }

  /**
   * The judgement by the expected output that the result is nearest to, as some files have several.
   */
  Judgement judge(String file) throws IOException {
    List<String> actual = lines(results.resolve(file + ".out"));
    Judgement best = null;
    for (Path expected : alternatives(file)) {
      Judgement judgement = compare(file, lines(expected), actual);
      if (best == null || judgement.differing() < best.differing()) {
        best = judgement;
      }
    }
    return best;
  }

  private Judgement compare(String file, List<String> expected, List<String> actual)
      throws IOException {
    Path script = source.resolve("sql").resolve(file + ".sql");
    return Files.exists(script)
        ? compareStatements(file, new PsqlScript(lines(script)), expected, actual)
        : comparePermutations(file, expected, actual);
  }

  private static Judgement compareStatements(
      String file, PsqlScript script, List<String> expected, List<String> actual) {
    List<List<String>> should = Transcript.ofStatements(script, expected);
    List<List<String>> did = Transcript.ofStatements(script, actual);
    List<Difference> differences = new ArrayList<>();
    for (int i = 0; i < script.statements().size(); i++) {
      String text = script.statements().get(i).text();
      if (!Answers.same(text, should.get(i), did.get(i))) {
        differences.add(new Difference(text, should.get(i), did.get(i)));
      }
    }
    return new Judgement(file, script.statements().size(), differences);
  }

  private static Judgement comparePermutations(
      String file, List<String> expected, List<String> actual) {
    List<List<String>> should = Transcript.ofPermutations(expected);
    List<List<String>> did = Transcript.ofPermutations(actual);
    List<Difference> differences = new ArrayList<>();
    for (int i = 0; i < should.size(); i++) {
      List<String> answer = i < did.size() ? did.get(i) : null;
      if (!should.get(i).equals(answer)) {
        differences.add(new Difference(should.get(i).get(0), should.get(i), answer));
      }
    }
    return new Judgement(file, should.size(), differences);
  }

  private List<Path> alternatives(String file) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(source.resolve("expected"), file + "{,_[0-9]}.out")) {
      files.forEach(found::add);
    }
    found.sort(null);
    if (found.isEmpty()) {
      throw new IOException("there is no expected output of " + file);
    }
    return found;
  }

  /** Scripts in other encodings than UTF-8 are compared byte by byte. */
  private static List<String> lines(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\n", -1));
  }
}
