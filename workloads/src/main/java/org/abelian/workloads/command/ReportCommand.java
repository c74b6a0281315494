package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.workloads.report.DemoReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demo's report. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = "Writes the demo's page from the results of hotrow and tpcc.")
final class ReportCommand implements Callable<Integer> {
  @Option(names = "--hotrow", required = true, paramLabel = "JSON", description = "its --json file")
  private Path hotRow;

  @Option(names = "--tpcc", required = true, paramLabel = "JSON", description = "its --json file")
  private Path tpcc;

  @Option(
      names = "--check",
      paramLabel = "JSON",
      description = "the --json file of tpcc check; default: what the result of tpcc says")
  private Path check;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      defaultValue = "demo-report.html",
      description = "default: ${DEFAULT-VALUE}")
  private Path page;

  @Override
  public Integer call() throws Exception {
    DemoReport.write(hotRow, tpcc, check == null ? tpcc : check, page);
    System.out.println("report: " + page);
    return 0;
  }
}
