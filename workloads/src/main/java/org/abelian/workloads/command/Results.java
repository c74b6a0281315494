package org.abelian.workloads.command;

import java.io.IOException;
import java.nio.file.Path;
import org.abelian.workloads.measure.BenchResult;
import org.abelian.workloads.measure.ResultFile;
import org.abelian.workloads.measure.ResultTable;
import picocli.CommandLine.Option;

/** Where the result of a benchmark goes. */
final class Results {
  @Option(names = "--json", paramLabel = "FILE", description = "write the result there, too")
  private Path json;

  /** Prints the result, and writes it where it was asked for. */
  void publish(BenchResult result) throws IOException {
    ResultTable.print(result, System.out);
    if (json != null) {
      ResultFile.write(result, json);
    }
  }
}
