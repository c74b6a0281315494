package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.evaluate.Evaluation;
import org.abelian.workloads.evaluate.Machine;
import org.abelian.workloads.evaluate.Size;
import org.abelian.workloads.evaluate.Targets;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultTable;
import org.abelian.workloads.report.EvaluationReport;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The published workloads side by side. */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    description =
        "What the papers measured, on this machine: every workload in plain and in Abelian columns,"
            + " on one PostgreSQL and on three nodes; writes results, pictures and a page.")
final class EvaluateCommand implements Callable<Integer> {
  @ArgGroup private Sizes sizes = new Sizes();

  /** One of them. */
  private static final class Sizes {
    @Option(names = "--quick", description = "some minutes, small tables; the default")
    private boolean quick;

    @Option(names = "--full", description = "hours, the papers' sizes; use --resume after a break")
    private boolean full;
  }

  @Option(
      names = "--resume",
      description = "keep results of the same size that are in the folder, and measure the others")
  private boolean resume;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      defaultValue = "",
      description = "experiments whose names have such a part")
  private String only;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      defaultValue = "docs/evaluation",
      description = "of results, pictures and the page; default: ${DEFAULT-VALUE}")
  private Path folder;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private int seed;

  @Mixin private PlainUrl plainUrl;

  @Mixin private DriverUrl url;

  @Mixin private PgbenchFolder programs;

  @Override
  public Integer call() throws Exception {
    Database plain = plainUrl.database();
    Targets targets = new Targets(plain, url.database(), Environment.nodes(), programs.path());
    Size size = sizes.full ? Size.FULL : Size.QUICK;
    List<BenchResult> results =
        new Evaluation(targets, size, seed, folder, Machine.describe(plain))
            .run(only, resume, System.err::println);
    results.forEach(result -> ResultTable.print(result, System.out));
    System.out.println("page: " + EvaluationReport.write(results, folder));
    return results.stream().allMatch(EvaluateCommand::isConsistent) ? 0 : 1;
  }

  /** Whether every rule holds everywhere. */
  private static boolean isConsistent(BenchResult result) {
    return ((Map<?, ?>) result.further().get("consistency"))
        .values().stream()
            .flatMap(rules -> ((Map<?, ?>) rules).values().stream())
            .allMatch(violations -> ((Number) violations).longValue() == 0);
  }
}
