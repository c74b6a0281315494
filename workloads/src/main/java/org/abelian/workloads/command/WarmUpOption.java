package org.abelian.workloads.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long a benchmark runs before it measures. */
final class WarmUpOption {
  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "of each way, before anything is measured; default: ${DEFAULT-VALUE}")
  private int seconds;

  Duration time() {
    return Duration.ofSeconds(seconds);
  }
}
