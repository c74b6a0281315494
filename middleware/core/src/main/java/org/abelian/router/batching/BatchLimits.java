package org.abelian.router.batching;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of batching.
 *
 * @param inFlight how many statements of one key are in flight while others wait
 * @param crowd while no more sessions than this have something in flight or waiting, at all keys
 *     together, none waits
 * @param batch how many operations become one at most
 * @param queue how many sessions wait at one key at most; more run alone
 * @param waitNanos how long a session waits at most, in nanoseconds
 * @param suspendNanos how long nothing is batched at a key after a few failures in a row; after the
 *     first failure a {@value #STEPS}th of it
 * @param forgetsOverdue whether what is in flight for longer than somebody has waited does not
 *     count any more: it waits for something that need not concern the others
 * @param takenNanos for batches that have no effect: one that takes longer is stopped, its members
 *     run alone, and each may leave it at any time; 0 for others
 * @param queuesKept so many queues stay when nothing is in flight; 0 for none
 */
public record BatchLimits(
    int inFlight,
    int crowd,
    int batch,
    int queue,
    long waitNanos,
    long suspendNanos,
    boolean forgetsOverdue,
    long takenNanos,
    int queuesKept) {
  private static final int STEPS = 16;

  /** What routers use. */
  public static final BatchLimits DEFAULT =
      new BatchLimits(
          6,
          0,
          1000,
          4000,
          TimeUnit.MILLISECONDS.toNanos(20),
          TimeUnit.MILLISECONDS.toNanos(100),
          false,
          0,
          0);

  /** The same for calls that share transactions, all of which wait for one lane or row. */
  public static final BatchLimits CALLS_IN_LINE =
      new BatchLimits(2, 0, 64, 4000, DEFAULT.waitNanos, DEFAULT.suspendNanos, false, 0, 0);

  /** The same for calls that share transactions, whatever they wait for. */
  public static final BatchLimits CALLS =
      new BatchLimits(2, 0, 64, 4000, DEFAULT.waitNanos, DEFAULT.suspendNanos, true, 0, 0);

  private static final int PROCESSORS = Math.max(2, Runtime.getRuntime().availableProcessors());

  /**
   * The same for reads of one node. As long as processors can be found for all who have one,
   * sending them together saves nothing that anybody waits for.
   */
  public static final BatchLimits READS = reads(12 * PROCESSORS);

  /** The same for reads of several nodes, each of which keeps several processors busy. */
  public static final BatchLimits READS_OF_SEVERAL = reads(2 * PROCESSORS);

  private static BatchLimits reads(int crowd) {
    return new BatchLimits(
        PROCESSORS,
        crowd,
        64,
        4000,
        DEFAULT.waitNanos,
        DEFAULT.suspendNanos,
        true,
        TimeUnit.MILLISECONDS.toNanos(100),
        64);
  }

  /** How long nothing is batched after a failure that no success has come before. */
  long suspendedAfter(Suspension before) {
    return before == null ? suspendNanos / STEPS : Math.min(2 * before.nanos(), suspendNanos);
  }
}
