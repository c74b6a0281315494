package org.abelian.workloads.tpcc.run;

import java.time.Duration;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.schema.Scale;

/**
 * A measured run.
 *
 * @param terminals connections, each with a transaction at a time
 * @param warmUp time before the measurement
 * @param duration time of the measurement
 * @param deck true for a deck of cards, false for independent choices by percentage
 * @param waits true to keep the keying and think times of the specification
 * @param maxAttempts how often one input is tried when the database answers 40001 or 40P01
 * @param seed of all terminals
 * @param procedures true to run NewOrder and Payment as calls of distributed procedures
 */
public record RunOptions(
    Scale scale,
    int terminals,
    Duration warmUp,
    Duration duration,
    InputOptions inputs,
    boolean deck,
    boolean waits,
    int maxAttempts,
    long seed,
    boolean procedures) {
  public RunOptions {
    if (terminals < 1 || maxAttempts < 1 || duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException("a run needs a terminal, an attempt and some time");
    }
  }
}
