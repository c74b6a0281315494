package org.abelian.server;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread for each client: virtual where the JVM has them (from 21 on), else one of the
 * system's.
 */
final class ClientThreads {
  private ClientThreads() {}

  /** Makes threads that do not keep the process alive. */
  static ThreadFactory factory() {
    try {
      Method ofVirtual = Thread.class.getMethod("ofVirtual");
      Object builder = ofVirtual.invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      builder = type.getMethod("name", String.class, long.class).invoke(builder, "client-", 1L);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException olderJvm) {
      return platform();
    }
  }

  private static ThreadFactory platform() {
    AtomicLong number = new AtomicLong(1);
    return work -> {
      Thread thread = new Thread(work, "client-" + number.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }
}
