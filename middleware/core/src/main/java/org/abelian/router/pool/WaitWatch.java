package org.abelian.router.pool;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks, from a thread of its own, at those who wait for nodes: see {@link NodeSocket}. It runs
 * while there is something to look at. Safe for several threads.
 */
public final class WaitWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WaitWatch.class);
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private record Task(long periodNanos, Runnable work, AtomicLong doneNanos) {}

  private final List<Task> tasks = new CopyOnWriteArrayList<>();
  private final Set<NodeSocket> sockets = ConcurrentHashMap.newKeySet();
  private boolean running;
  private volatile boolean closed;

  /** Nothing to look at yet. */
  public WaitWatch() {}

  /** Something short that is to be done now and then, while there are connections to nodes. */
  void every(long periodNanos, Runnable work) {
    tasks.add(new Task(periodNanos, work, new AtomicLong(System.nanoTime())));
  }

  void add(NodeSocket socket) {
    sockets.add(socket);
    synchronized (this) {
      if (!running && !closed) {
        running = true;
        Thread thread = new Thread(this::run, "abelian-waits");
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  void remove(NodeSocket socket) {
    sockets.remove(socket);
  }

  private void run() {
    while (goesOn()) {
      look(System.nanoTime());
      LockSupport.parkNanos(PERIOD_NANOS);
    }
  }

  private synchronized boolean goesOn() {
    running = !closed && !sockets.isEmpty();
    return running;
  }

  /** Looks at all of them once. */
  void look(long nowNanos) {
    for (NodeSocket socket : sockets) {
      socket.look(nowNanos);
    }
    for (Task task : tasks) {
      if (nowNanos - task.doneNanos().get() >= task.periodNanos()) {
        task.doneNanos().set(nowNanos);
        run(task.work());
      }
    }
  }

  private static void run(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      LOG.error("looking after the connections to nodes", e);
    }
  }

  /** Looks no more. */
  @Override
  public void close() {
    closed = true;
  }
}
