package org.abelian.advisor.command;

import java.util.concurrent.Callable;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.log.LogTrace;
import org.abelian.advisor.trace.log.LogTraceOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./abelian advise trace}. */
@Command(name = "trace", sortOptions = false, description = "Makes a trace from a server's log.")
final class TraceCommand implements Callable<Integer> {
  @Mixin private LogSettings settings;
  @Mixin private OutputSettings output;

  @Override
  public Integer call() {
    LogTraceOptions options = settings.options();
    try (OutputFolder folder = output.begin()) {
      long count = Progress.phase("trace", () -> LogTrace.run(options, folder));
      System.out.println(count + " transactions");
    }
    return 0;
  }
}
