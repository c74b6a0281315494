package org.abelian.server;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.abelian.router.ClientSession;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a client of notifications, and of the server's end, while its own thread waits for it to
 * send something. Another thread writes them then; the client's own does not go on before that has
 * ended. No thread that has others to tell waits for this client.
 */
final class NotificationPush {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationPush.class);

  /** A client that too much waits for has so long to take what comes before it is told so. */
  private static final int FAREWELL_MILLIS = 30_000;

  private final ClientSession session;
  private final Executor threads;
  private final Runnable abort;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicBoolean wanted = new AtomicBoolean();
  private final AtomicBoolean dismissing = new AtomicBoolean();

  /** Null while the client's own thread writes. */
  private Transport transport;

  /** When the write that is going on began; 0 for none. */
  private volatile long writingSince;

  /**
   * @param threads a new one for whatever may take long
   * @param abort ends the connection at once
   */
  NotificationPush(ClientSession session, Executor threads, Runnable abort) {
    this.session = session;
    this.threads = threads;
    this.abort = abort;
    session.mailbox().onArrival(this::arrived);
  }

  /** The client's thread is about to wait; what has come is told now. */
  void begin(Transport idle) throws IOException {
    lock.lock();
    try {
      tell(idle);
      transport = idle;
    } finally {
      lock.unlock();
    }
  }

  /** The client's thread has something to do. */
  void end() {
    lock.lock();
    transport = null;
    lock.unlock();
  }

  /** Something has come; from any thread. */
  private void arrived() {
    if (wanted.compareAndSet(false, true)) {
      try {
        threads.execute(this::push);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        wanted.set(false);
        LOG.warn("{} is told of notifications later: {}", session, e.toString());
      }
    }
  }

  /**
   * Tells a client why its connection ends, and ends it, unless it has something to do.
   *
   * @param isIdle stays what it is while the client is waited for
   */
  void dismiss(byte[] message, BooleanSupplier isIdle) {
    if (dismissing.compareAndSet(false, true)) {
      threads.execute(() -> dismissNow(message, isIdle));
    }
  }

  private void dismissNow(byte[] message, BooleanSupplier isIdle) {
    lock.lock();
    try {
      if (transport != null && isIdle.getAsBoolean()) {
        transport.write(message, 0, message.length);
        abort.run();
      }
    } catch (IOException e) {
      LOG.debug("dismissing {}: {}", session, e.getMessage());
      abort.run();
    } finally {
      lock.unlock();
      dismissing.set(false);
    }
  }

  private void push() {
    lock.lock();
    try {
      wanted.set(false);
      if (transport != null) {
        tell(transport);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("telling {}: {}", session, e.getMessage());
      abort.run(); // There may be no memory for it; nothing may be left out.
    } finally {
      lock.unlock();
    }
  }

  private void tell(Transport idle) throws IOException {
    while (!session.isClosed() && !session.mailbox().isEmpty() && wouldTell()) {
      ClientOutput messages = session.output();
      int count = messages.queue().size();
      writingSince = System.nanoTime() | 1;
      try {
        idle.write(messages.queue().array(), messages.queue().start(), count);
        messages.taken(count);
      } finally {
        writingSince = 0;
      }
    }
    if (session.isClosed()) {
      abort.run(); // The client has been told why; its thread waits in a read.
    }
  }

  private boolean wouldTell() {
    session.deliver();
    return !session.output().queue().isEmpty();
  }

  /**
   * True when the client has not taken what it is told for so long, or must be ended and has had
   * its time to be told why.
   *
   * @param millis 0 for ever
   */
  boolean isStuck(long nowNanos, int millis) {
    long since = writingSince;
    if (since == 0) {
      return false;
    }
    long spent = TimeUnit.NANOSECONDS.toMillis(nowNanos - since);
    return millis > 0 && spent >= millis
        || spent >= FAREWELL_MILLIS && session.mailbox().failure() != null;
  }
}
