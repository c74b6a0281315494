package org.abelian.server;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread for each client: virtual from Java 24 on, else one of the system's. Java 21 to 23 have
 * virtual threads too, but one that waits inside {@code synchronized} keeps a thread of the system
 * there; a few that wait so for a connection to a node could stop those that would give one back.
 */
final class ClientThreads {
  private static final int VIRTUAL_SINCE = 24;

  private ClientThreads() {}

  /** Makes threads that do not keep the process alive. */
  static ThreadFactory factory() {
    if (Runtime.version().feature() < VIRTUAL_SINCE) {
      return platform();
    }
    try {
      Method ofVirtual = Thread.class.getMethod("ofVirtual");
      Object builder = ofVirtual.invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      builder = type.getMethod("name", String.class, long.class).invoke(builder, "client-", 1L);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java has no virtual threads", e);
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
