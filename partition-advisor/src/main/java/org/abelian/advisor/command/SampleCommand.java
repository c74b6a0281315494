package org.abelian.advisor.command;

import java.util.concurrent.Callable;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.sample.Sample;
import org.abelian.advisor.sample.SampleKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise sample}. */
@Command(
    name = "sample",
    sortOptions = false,
    description = "Draws the trace of a benchmark, without a database: ${COMPLETION-CANDIDATES}.")
final class SampleCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "${COMPLETION-CANDIDATES}")
  private SampleKind kind;

  @Option(
      names = {"-t", "--transactions"},
      defaultValue = "10000",
      description = "how many (default: ${DEFAULT-VALUE})")
  private int transactions;

  @Option(
      names = {"-s", "--scale"},
      defaultValue = "15",
      description =
          "warehouses of TPC-C, hundreds of users of the social graph (default:"
              + " ${DEFAULT-VALUE})")
  private int scale;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private long seed;

  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    Sample sample = kind.create(scale, seed);
    try (OutputFolder folder = output.begin()) {
      sample.write(
          folder,
          transactions,
          "sample of " + kind.title() + ", scale " + scale + ", seed " + seed);
    }
    return 0;
  }
}
