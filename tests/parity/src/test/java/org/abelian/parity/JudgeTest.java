package org.abelian.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class JudgeTest {
  @TempDir private Path folder;

  @BeforeEach
  void writeSource() throws IOException {
    write("source/sql/a.sql", "SELECT 1;\nSELECT 2;\n");
    write("source/expected/a.out", "SELECT 1;\none\nSELECT 2;\ntwo\n");
    write("source/expected/a_1.out", "SELECT 1;\nuno\nSELECT 2;\ndos\n");
    write("source/expected/b.out", "Parsed\nstarting permutation: x\nstep x\n");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Judgement judge(String file) throws IOException {
    return new Judge(folder.resolve("source"), folder.resolve("results")).judge(file);
  }

  @Test
  void theNearestExpectedOutputCounts() throws IOException {
    write("results/a.out", "SELECT 1;\nuno\nSELECT 2;\nzwei\n");
    Judgement judgement = judge("a");
    assertEquals(2, judgement.parts());
    assertEquals(
        List.of("SELECT 2;"), judgement.differences().stream().map(Difference::part).toList());
  }

  @Test
  void aFileThatDidNotRunDiffersWholly() throws IOException {
    assertEquals(2, judge("a").differing());
    assertEquals(2, judge("b").differing());
  }

  @Test
  void theBaselineKeepsAFileFromGettingWorse() throws IOException {
    write("results/a.out", "SELECT 1;\none\nSELECT 2;\nzwei\n");
    assertEquals(1, command());
    assertEquals(0, command("--bless"));
    assertEquals(0, command());
    write("results/a.out", "SELECT 1;\nein\nSELECT 2;\nzwei\n");
    assertEquals(1, command());
    write("results/a.out", "SELECT 1;\none\nSELECT 2;\ntwo\n");
    assertEquals(0, command());
  }

  private int command(String... options) {
    CommandLine command = new CommandLine(new JudgeCommand());
    String[] all = {
      "--source", folder.resolve("source").toString(),
      "--results", folder.resolve("results").toString(),
      "--baseline", folder.resolve("baseline.tsv").toString(),
      "--title", "test",
      "a"
    };
    String[] arguments = new String[all.length + options.length];
    System.arraycopy(options, 0, arguments, 0, options.length);
    System.arraycopy(all, 0, arguments, options.length, all.length);
    return command.execute(arguments);
  }
}
