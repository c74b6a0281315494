package org.abelian.workloads.router;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What the calling thread has used since some moment. */
final class ThreadUse {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long nanos;
  private long bytes;

  /** From now on. */
  void start() {
    nanos = THREADS.getCurrentThreadCpuTime();
    bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Up to now; the start is forgotten. */
  void stop() {
    nanos = THREADS.getCurrentThreadCpuTime() - nanos;
    bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - bytes;
  }

  /** Processor time in nanoseconds. */
  long nanos() {
    return nanos;
  }

  /** Allocated bytes. */
  long bytes() {
    return bytes;
  }
}
