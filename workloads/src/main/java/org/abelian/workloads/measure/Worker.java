package org.abelian.workloads.measure;

import java.io.IOException;
import java.sql.SQLException;

/** One client of a measurement, run by a thread of its own. */
public interface Worker extends AutoCloseable {
  /**
   * Does once what it does again and again.
   *
   * @param end when the measurement ends, by {@link System#nanoTime}
   * @return whether it has succeeded
   */
  boolean once(long end) throws Exception;

  /**
   * Waits until it is time to do it.
   *
   * @param end when the measurement ends; it need not wait longer
   * @return when its time has come, from which its latency counts
   */
  default long turn(long end) {
    return System.nanoTime();
  }

  /** The warm-up is over. */
  default void begin() {}

  /** The measurement is over. */
  default void end() {}

  /** What it has tried in vain so far. */
  default long failures() {
    return 0;
  }

  @Override
  void close() throws IOException, SQLException;
}
