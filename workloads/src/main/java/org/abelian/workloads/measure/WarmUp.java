package org.abelian.workloads.measure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs what will be measured before anything is: routers run for days, and a young virtual machine
 * spends much of its time compiling.
 */
public final class WarmUp {
  /** Something that a way does. */
  @FunctionalInterface
  public interface Step {
    void run(Duration time) throws Exception;
  }

  private WarmUp() {}

  /**
   * Runs each way for so long.
   *
   * @param ways by name; what a way does shares its time
   * @param each zero for no warm-up
   * @param progress told a line about each way
   */
  public static void run(Map<String, List<Step>> ways, Duration each, Consumer<String> progress)
      throws Exception {
    if (each.isZero()) {
      return;
    }
    for (Map.Entry<String, List<Step>> way : ways.entrySet()) {
      progress.accept("warming up " + way.getKey());
      for (Step step : way.getValue()) {
        step.run(each.dividedBy(way.getValue().size()));
      }
    }
  }
}
