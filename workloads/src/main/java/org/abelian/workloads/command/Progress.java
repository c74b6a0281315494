package org.abelian.workloads.command;

/** Progress of a run on standard error. */
final class Progress {
  private static final int EVERY_SECONDS = 5;

  private Progress() {}

  /** Prints every fifth second. */
  static void second(int second, long completed) {
    if (second % EVERY_SECONDS == 0) {
      System.err.printf("  %3d s  %,d transactions in the last second%n", second, completed);
    }
  }
}
