package org.abelian.router.notification;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MemoryBudget;

/**
 * The notifications that one session has not been told yet, as messages for its client. It is
 * bounded: a session that is not told for too long is ended. Safe for several threads.
 */
public final class Mailbox {
  /** A session that so much waits for is ended, in bytes. */
  static final int LARGEST = 16 << 20;

  /** So much is handed over at once, at most, unless one message is larger. */
  private static final int PORTION = 1 << 20;

  private final ByteQueue messages;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private ErrorFields failure;
  private boolean closed;
  private volatile Runnable wake = () -> {};

  /** Empty. What it keeps is counted. */
  public Mailbox(MemoryBudget memory) {
    messages = new ByteQueue(0, memory);
  }

  /** What is run, by any thread, whenever there is something for the client. */
  public void onArrival(Runnable told) {
    wake = told;
  }

  /** Adds a message; one for which there is no room ends the session. */
  void offer(byte[] message) {
    lock.lock();
    try {
      if (closed || failure != null) {
        return;
      }
      if (messages.size() + message.length > LARGEST || !added(message)) {
        failed(
            ErrorFields.of(
                    "FATAL",
                    SqlState.PROGRAM_LIMIT_EXCEEDED.code(),
                    "terminating connection because too many notifications wait for it")
                .with(
                    ErrorFields.HINT,
                    "End transactions of sessions that listen soon, and read what comes."));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  private boolean added(byte[] message) {
    try {
      messages.append(message, 0, message.length);
      return true;
    } catch (AbelianException noMemory) {
      return false;
    }
  }

  /** The session must not go on: something that it listens to may have been missed. */
  void fail(ErrorFields reason) {
    lock.lock();
    try {
      if (closed || failure != null) {
        return;
      }
      failed(reason);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  private void failed(ErrorFields reason) {
    failure = reason;
    messages.close();
  }

  /** Why the session must end; null when it need not. */
  public ErrorFields failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /** True when there is nothing to tell. */
  public boolean isEmpty() {
    lock.lock();
    try {
      return failure == null && messages.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Moves whole messages to the end of a queue, as many as should go at once. */
  public void take(ByteQueue target) {
    lock.lock();
    try {
      int count = 0;
      while (count < messages.size() && count < PORTION) {
        count += messages.frameAt(messages.start() + count);
      }
      target.appendAnyway(messages.array(), messages.start(), count);
      messages.consume(count);
      if (messages.isEmpty()) {
        messages.clear(0);
      }
    } finally {
      lock.unlock();
    }
  }

  /** How much it holds, in bytes. */
  int size() {
    lock.lock();
    try {
      return messages.size();
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what is of other channels than these, behind the first bytes. */
  void retain(Set<String> channels, int first) {
    lock.lock();
    try {
      int at = Math.min(first, messages.size());
      while (at < messages.size()) {
        int frame = messages.start() + at;
        int length = messages.frameAt(frame);
        int channelEnd = CString.end(messages.array(), frame + 9, frame + length);
        if (channels.contains(CString.read(messages.array(), frame + 9, channelEnd))) {
          at += length;
        } else {
          messages.remove(at, length);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until there is something to tell, or the mailbox is closed.
   *
   * @param millis the longest wait; 0 for ever
   */
  public void await(int millis) {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (!closed && failure == null && messages.isEmpty() && (millis == 0 || left > 0)) {
        if (millis == 0) {
          changed.await();
        } else {
          left = changed.awaitNanos(left);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing is kept any more, and nobody waits. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      messages.close();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
