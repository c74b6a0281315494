package org.abelian.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.session.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client: moves bytes between its socket and its session, in one thread. While the session
 * works for long, nobody reads from the client; then {@link ClientWatch}, in its own thread, looks
 * whether the client is still there, and has the statement of one that is gone cancelled.
 */
final class ClientConnection implements Admission.Visitor {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);
  private static final int READ_BUFFER = 16384;
  private static final int WRITE_AT = 32768;

  /** What a client has sent ahead is read up to here to see whether it is gone. */
  private static final int AHEAD_MAX = 16 << 20;

  /** A session that does not end when it is cancelled is ended by force after so long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  // The lowest bits of the activity tell what the thread does; the rest counts changes.
  private static final long KIND = 3;
  private static final long READING = 0;
  private static final long WORKING = 1;
  private static final long WRITING = 2;
  private static final long LOOKED_AT = 3;

  private final Socket socket;
  private final Session session;
  private final ClientLimits limits;
  private final byte[] buffer = new byte[READ_BUFFER];
  private final AtomicLong activity = new AtomicLong();
  private final ByteQueue ahead;
  private volatile boolean waiting;
  private volatile boolean gone;
  private volatile boolean started;

  // ---- of the watch

  private final long openedNanos;
  private long seen;
  private long seenNanos;
  private long goneNanos;

  /**
   * @param nowNanos by {@link System#nanoTime}
   */
  ClientConnection(Socket socket, Session session, ClientLimits limits, long nowNanos) {
    this.socket = socket;
    this.session = session;
    this.limits = limits;
    ahead = new ByteQueue(0, session.memory());
    openedNanos = nowNanos;
    seenNanos = nowNanos;
  }

  /** Serves the client until it or the session ends. */
  void run() {
    try (socket) {
      serve(socket.getInputStream(), socket.getOutputStream());
    } catch (IOException e) {
      LOG.debug("{} ended: {}", session, e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("{} ended by a fault", session, e);
    } finally {
      begin(READING); // Nobody looks at it any more.
      ahead.close();
      session.close();
      session.free();
    }
  }

  private void serve(InputStream input, OutputStream output) throws IOException {
    while (!session.isClosed() && !gone) {
      if (!receive(input)) {
        return;
      }
      while (!gone && session.advance()) {
        if (session.output().queue().size() >= WRITE_AT) {
          write(output);
        }
      }
      write(output);
      started = session.isStarted();
    }
  }

  /** Hands what the client sends to the session; false when there will be no more. */
  private boolean receive(InputStream input) throws IOException {
    begin(READING);
    if (!ahead.isEmpty()) {
      int count = Math.min(ahead.size(), READ_BUFFER);
      session.receive(ahead.array(), ahead.start(), count);
      ahead.consume(count);
      begin(WORKING);
      return true;
    }
    waiting = session.isIdle();
    int count = input.read(buffer);
    waiting = false;
    begin(WORKING);
    if (count < 0) {
      return false;
    }
    session.receive(buffer, 0, count);
    return true;
  }

  private void write(OutputStream output) throws IOException {
    ClientOutput messages = session.output();
    int count = messages.queue().size();
    if (count > 0) {
      begin(WRITING);
      output.write(messages.queue().array(), messages.queue().start(), count);
      messages.taken(count);
      begin(WORKING);
    }
  }

  /** The thread turns to something else; if it is being looked at, it waits for that to end. */
  private void begin(long kind) {
    long now = activity.get();
    while (!activity.compareAndSet(now, (now | KIND) + 1 + kind)) {
      synchronized (ahead) {
        now = activity.get(); // The look, which takes a millisecond, holds the monitor.
      }
    }
  }

  // ---- for the watch

  /**
   * Looks after the client.
   *
   * @param canceller runs what may take long
   */
  void look(long nowNanos, Executor canceller) {
    if (!started && nowNanos - openedNanos >= TimeUnit.MILLISECONDS.toNanos(limits.startMillis())) {
      LOG.debug("{} did not say who it is in time", session);
      abort();
      return;
    }
    long now = activity.get();
    if (now != seen) {
      seen = now;
      seenNanos = nowNanos;
    }
    long kind = now & KIND;
    long spent = TimeUnit.NANOSECONDS.toMillis(nowNanos - seenNanos);
    if (gone) {
      insist(nowNanos, canceller);
    } else if (kind == WORKING && spent >= limits.checkMillis()) {
      lookForClient(now, nowNanos, canceller);
    } else if (kind == WRITING && limits.stallMillis() > 0 && spent >= limits.stallMillis()) {
      LOG.info("{} has not read its answer for {} ms", session, spent);
      abort();
    }
  }

  private void lookForClient(long working, long nowNanos, Executor canceller) {
    synchronized (ahead) {
      if (!activity.compareAndSet(working, working & ~KIND | LOOKED_AT)) {
        return; // It is not stuck.
      }
      gone = !isThere();
      seenNanos = nowNanos;
      activity.set(working);
    }
    if (gone) {
      LOG.debug("{} is cancelled, since the client is gone", session);
      goneNanos = nowNanos;
      cancel(canceller);
    }
  }

  /** Whether the client has not closed its side; what it has sent is kept for the session. */
  private boolean isThere() {
    byte[] piece = new byte[READ_BUFFER];
    try {
      socket.setSoTimeout(1);
      InputStream input = socket.getInputStream();
      while (ahead.size() < AHEAD_MAX && !session.memory().isTight()) {
        int count = input.read(piece);
        if (count < 0) {
          return false;
        }
        ahead.appendAnyway(piece, 0, count);
      }
      return true;
    } catch (SocketTimeoutException silent) {
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      block();
    }
  }

  private void block() {
    try {
      socket.setSoTimeout(0);
    } catch (IOException e) {
      LOG.debug("a client's socket", e);
    }
  }

  private void insist(long nowNanos, Executor canceller) {
    if (nowNanos - goneNanos >= PATIENCE_NANOS) {
      abort();
    } else {
      cancel(canceller);
    }
  }

  private void cancel(Executor canceller) {
    try {
      canceller.execute(session::cancel);
    } catch (RejectedExecutionException busy) {
      LOG.debug("{} is cancelled later", session);
    }
  }

  /** Ends the connection if no transaction is open. */
  void stopWhenIdle() {
    if (waiting) {
      abort();
    }
  }

  @Override
  public void turnAway() {
    abort();
  }

  /** Ends the connection; from any thread. */
  void abort() {
    session.abort();
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing a client's socket", e);
    }
  }
}
