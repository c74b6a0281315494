package org.abelian.workloads.tpcc.run;

import java.util.concurrent.atomic.LongAdder;

/** What the terminals of a run share: its phase, its progress, its errors. Thread-safe. */
final class RunControl {
  private final LongAdder completed = new LongAdder();
  private final ErrorSamples errors = new ErrorSamples();
  private final WarehouseLocations locations;
  private volatile boolean measuring;
  private volatile boolean over;

  RunControl(WarehouseLocations locations) {
    this.locations = locations;
  }

  WarehouseLocations locations() {
    return locations;
  }

  boolean isMeasuring() {
    return measuring;
  }

  boolean isOver() {
    return over;
  }

  void startMeasuring() {
    measuring = true;
  }

  void stop() {
    measuring = false;
    over = true;
  }

  /** Counts a completed transaction; false outside the measured time. */
  boolean completed() {
    if (!measuring) {
      return false;
    }
    completed.increment();
    return true;
  }

  long completedSoFar() {
    return completed.sum();
  }

  ErrorSamples errors() {
    return errors;
  }
}
