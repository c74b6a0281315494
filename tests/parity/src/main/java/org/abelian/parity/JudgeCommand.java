package org.abelian.parity;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares a run of scripts with a baseline. */
@Command(name = "judge", description = "Compares what scripts printed with what they should.")
final class JudgeCommand implements Callable<Integer> {
  @Option(names = "--source", required = true, description = "src/test/regress or .../isolation")
  private Path source;

  @Option(names = "--results", required = true, description = "folder of the printed NAME.out")
  private Path results;

  @Option(names = "--baseline", required = true, description = "counts to compare with")
  private Path baselineFile;

  @Option(names = "--title", required = true, description = "name of the run")
  private String title;

  @Option(names = "--bless", description = "write the counts of this run as the baseline")
  private boolean bless;

  @Option(names = "--show", description = "print each statement that differs")
  private boolean show;

  @Parameters(arity = "1..*", description = "names of scripts")
  private List<String> files;

  @Override
  public Integer call() throws IOException {
    Judge judge = new Judge(source, results);
    List<Judgement> judgements = new ArrayList<>();
    for (String file : files) {
      judgements.add(judge.judge(file));
    }
    if (show) {
      judgements.forEach(JudgeCommand::print);
    }
    if (bless) {
      Baseline.of(judgements).write(baselineFile);
    }
    Baseline baseline = Baseline.read(baselineFile);
    int worse = 0;
    for (Judgement judgement : judgements) {
      worse += report(judgement, baseline.differing(judgement.file())) ? 1 : 0;
    }
    System.out.printf("%s: %s%n", title, Baseline.of(judgements).summary());
    System.out.printf("%d passed, %d failed, 0 skipped%n", judgements.size() - worse, worse);
    return worse == 0 ? 0 : 1;
  }

  /**
   * Whether the file is worse than it was. Of scripts that differ, some statements differ in one
   * run and not in the next: which connection of a pool they get decides.
   */
  private boolean report(Judgement judgement, int known) {
    int differing = judgement.differing();
    boolean worse = differing > known + (known < 3 ? 0 : Math.max(3, known / 10));
    if (differing == known) {
      return false;
    }
    System.out.printf(
        "%s  %s/%s: %d of %d differ, %d in the baseline%n",
        worse ? "FAILED" : differing < known ? "better" : "varies",
        title,
        judgement.file(),
        differing,
        judgement.parts(),
        known);
    return worse;
  }

  private static void print(Judgement judgement) {
    for (Difference difference : judgement.differences()) {
      System.out.printf("=== %s%n%s%n", judgement.file(), difference.part());
      print("-", difference.expected());
      print("+", difference.actual());
    }
  }

  private static void print(String sign, List<String> lines) {
    if (lines == null) {
      System.out.println(sign + "(not reached)");
    } else {
      lines.forEach(line -> System.out.println(sign + line));
    }
  }
}
