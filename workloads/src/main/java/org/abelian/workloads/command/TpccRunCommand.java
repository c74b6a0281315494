package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.abelian.workloads.tpcc.journal.Journal;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.Scale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the mix on loaded tables. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = "Runs the TPC-C mix on loaded tables.",
    exitCodeOnExecutionException = 2)
final class TpccRunCommand implements Callable<Integer> {
  @Mixin private Connect connect = new Connect();
  @Mixin private Size size = new Size();
  @Mixin private RunSettings settings = new RunSettings();
  @Mixin private Tables tables = new Tables();

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = "append what each COMMIT was answered, for `check --journal`")
  private Path journalFile;

  @Option(
      names = "--tolerate-failures",
      description = "exit with 0 although transactions failed; for runs under faults")
  private boolean tolerateFailures;

  @Mixin private Results results;

  @Override
  public Integer call() throws Exception {
    if (journalFile == null) {
      return run(Journal.NONE);
    }
    try (FileJournal journal = new FileJournal(journalFile)) {
      return run(journal);
    }
  }

  private int run(Journal journal) throws Exception {
    Database database = connect.database();
    Scale scale = size.scale();
    WarehouseLocations locations = tables.locations(database);
    RunResult run =
        new TpccRun(database, settings.options(scale, 0), locations, journal).run(Progress::second);
    BenchResult result =
        new BenchResult(
            "tpcc",
            settings.parameters(scale),
            RunReport.rows("tpcc", settings.terminals(), run),
            Map.of(),
            RunReport.further(run));
    results.publish(result);
    RunReport.printShares(run, System.out);
    return run.failures() == 0 || tolerateFailures ? 0 : 1;
  }
}
