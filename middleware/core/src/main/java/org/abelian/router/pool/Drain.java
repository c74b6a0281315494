package org.abelian.router.pool;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/**
 * Reads what a node sends while the thread that has the connection is stuck in a write to it. A
 * node does not take more while nobody reads what it says, so both would wait for ever. It reads in
 * a thread of its own, into memory, boundedly. The other thread takes the bytes from here until it
 * has them all; then it reads from the socket again.
 */
final class Drain {
  private static final int PIECE = 16384;

  /** In bytes. What a node says about a message of which it has not got all is little. */
  private static final int KEPT_MAX = 64 << 20;

  private final InputStream input;
  private final Runnable close;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ByteQueue queue;

  /** A reader shall begin, if the write is still stuck. */
  private boolean wanted;

  /** The reader shall not begin another read. */
  private boolean retired;

  private boolean running;
  private boolean discarded;

  /**
   * @param close ends the connection, when a node says too much
   */
  Drain(InputStream input, MemoryBudget budget, Runnable close) {
    this.input = input;
    this.close = close;
    queue = new ByteQueue(PIECE, budget);
  }

  /** {@link #start} may come, from either of two threads. */
  void want(boolean now) {
    lock.lock();
    try {
      wanted = now;
    } finally {
      lock.unlock();
    }
  }

  /** Starts to read, unless it was started since it was wanted. */
  void start() {
    lock.lock();
    try {
      if (!wanted) {
        return;
      }
      wanted = false;
      retired = false;
      discarded = false;
      if (!running) {
        running = true;
        Thread reader = new Thread(this::run, "abelian-drain");
        reader.setDaemon(true);
        reader.start();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    byte[] piece = new byte[PIECE];
    boolean more = true;
    while (more) {
      int count;
      try {
        count = input.read(piece);
      } catch (IOException e) {
        count = -1; // Whoever reads or writes next learns why.
      }
      more = keep(piece, count);
    }
  }

  private boolean keep(byte[] piece, int count) {
    lock.lock();
    try {
      if (count > 0 && !discarded) {
        queue.append(piece, 0, count);
      }
      running = count >= 0 && !retired;
      if (queue.size() > KEPT_MAX) {
        close.run();
      }
    } catch (AbelianException noMemory) {
      running = false;
      close.run();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
    return running;
  }

  /**
   * Waits for bytes, and copies what is there behind the end of the target.
   *
   * @return their number; -1 when there is nothing more to read
   */
  int take(ByteQueue target) {
    lock.lock();
    try {
      retired = true;
      while (queue.isEmpty() && running) {
        changed.awaitUninterruptibly();
      }
      return queue.isEmpty() ? -1 : copy(target);
    } finally {
      lock.unlock();
    }
  }

  /** Copies what is there behind the end of the target; the number of bytes, which may be 0. */
  int takeNow(ByteQueue target) {
    lock.lock();
    try {
      return copy(target);
    } finally {
      lock.unlock();
    }
  }

  private int copy(ByteQueue target) {
    int count = Math.min(queue.size(), target.array().length - target.end());
    System.arraycopy(queue.array(), queue.start(), target.array(), target.end(), count);
    queue.consume(count);
    if (queue.isEmpty()) {
      queue.clear(PIECE);
    }
    return count;
  }

  /** True when its reader has ended, and everything was taken. */
  boolean isOver() {
    lock.lock();
    try {
      return !running && queue.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody wants the rest. */
  void discard() {
    lock.lock();
    try {
      retired = true;
      discarded = true;
      queue.close();
    } finally {
      lock.unlock();
    }
  }
}
