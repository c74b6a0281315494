package org.abelian.server;

import java.util.Collection;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Looks after the clients now and then, in a thread of its own: see {@link ClientConnection}. */
final class ClientWatch implements AutoCloseable {
  private static final int CANCELLERS = 4;
  private static final int CANCELS_WAITING = 1000;
  private static final long SHORTEST_MILLIS = 10;

  private final Collection<ClientConnection> clients;
  private final long periodNanos;
  private final ThreadPoolExecutor cancellers;
  private volatile boolean closed;

  /**
   * @param clients whoever is there; may change
   */
  ClientWatch(Collection<ClientConnection> clients, ClientLimits limits) {
    this.clients = clients;
    periodNanos =
        TimeUnit.MILLISECONDS.toNanos(Math.max(SHORTEST_MILLIS, limits.checkMillis() / 2));
    cancellers =
        new ThreadPoolExecutor(
            CANCELLERS,
            CANCELLERS,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(CANCELS_WAITING),
            work -> daemon(work, "cancel"));
    cancellers.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    daemon(this::run, "client-watch").start();
  }

  private void run() {
    while (!closed) {
      long now = System.nanoTime();
      clients.forEach(client -> client.look(now, cancellers));
      LockSupport.parkNanos(periodNanos);
    }
  }

  @Override
  public void close() {
    closed = true;
    cancellers.shutdown();
  }
}
