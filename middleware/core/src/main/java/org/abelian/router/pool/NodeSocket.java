package org.abelian.router.pool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.transport.Transport;

/**
 * The socket of a connection to a node. One thread reads and writes, by calls that block; {@link
 * WaitWatch} looks at them from another. It ends those that take longer than they may, and when a
 * write does not get on, it has somebody read what the node sends meanwhile: the node may be
 * waiting for just that before it takes more.
 *
 * <p>A blocking call costs one system call, since the time limit is not the system's.
 */
final class NodeSocket implements Transport {
  /** A write that gets no further for so long has the node's messages read meanwhile. */
  static final long STUCK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** So often a reader that waits does what there is to do meanwhile. */
  private static final int MEANWHILE_MILLIS = 20;

  /** The lowest bits of the state tell what is going on; the rest counts calls. */
  private static final long KIND = 7;

  private static final long READING = 1;
  private static final long WRITING = 2;
  private static final long WRITING_DRAINED = 3;
  private static final long EXPIRED = 4;
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(NodeSocket.class, "state", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Socket socket;
  private final InputStream input;
  private final OutputStream output;
  private final MemoryBudget budget;

  /** Changed by the thread that waits when a call begins and ends, by the watch in between. */
  private volatile long state;

  private volatile int timeoutMillis;
  private volatile Drain drain;

  /** What the reading thread does while it waits; null for nothing. */
  private Runnable meanwhile;

  /** The node's bytes are to be taken from the drain. */
  private boolean drained;

  // ---- of the watch: the call that it saw last, and when it saw it first

  private long seen;
  private long seenNanos;

  NodeSocket(Socket socket, MemoryBudget budget) throws IOException {
    this.socket = socket;
    this.budget = budget;
    input = socket.getInputStream();
    output = socket.getOutputStream();
  }

  /** How long a call may get no further before the socket is closed; 0 for ever. */
  void timeout(int millis) {
    timeoutMillis = millis;
  }

  /**
   * As anywhere.
   *
   * @throws IOException also when the time is over
   */
  @Override
  public boolean read(ByteQueue target, int room) throws IOException {
    target.reserve(room);
    long call = begin(READING);
    int count;
    try {
      if (drained) {
        count = drain.take(target);
      } else {
        count = meanwhile == null ? receive(target) : receiveMeanwhile(target);
      }
    } finally {
      end(call);
    }
    if (count < 0) {
      return false;
    }
    target.extend(count);
    if (drained && drain.isOver()) {
      discard();
    }
    return true;
  }

  private int receive(ByteQueue target) throws IOException {
    return input.read(target.array(), target.end(), target.array().length - target.end());
  }

  /** It takes two system calls more, as the time of each wait is limited. */
  private int receiveMeanwhile(ByteQueue target) throws IOException {
    try {
      while (meanwhile != null) {
        socket.setSoTimeout(MEANWHILE_MILLIS);
        try {
          return receive(target);
        } catch (SocketTimeoutException nothingYet) {
          meanwhile.run();
        }
      }
    } finally {
      socket.setSoTimeout(0);
    }
    return receive(target);
  }

  @Override
  public boolean readSoon(ByteQueue target, int room) throws IOException {
    if (drained) {
      readAside(target, room);
      return true;
    }
    target.reserve(room);
    socket.setSoTimeout(1);
    try {
      int count = receive(target);
      target.extend(Math.max(count, 0));
      return count >= 0;
    } catch (SocketTimeoutException nothing) {
      return true;
    } finally {
      socket.setSoTimeout(0);
    }
  }

  /**
   * What the thread that reads shall do now and then while it waits for the node.
   *
   * @param work null for nothing
   */
  void meanwhile(Runnable work) {
    meanwhile = work;
  }

  /** What was read while a write was stuck. */
  @Override
  public void readAside(ByteQueue target, int room) {
    if (drained) {
      target.reserve(room);
      target.extend(drain.takeNow(target));
    }
  }

  @Override
  public void write(byte[] array, int offset, int length) throws IOException {
    long call = begin(WRITING);
    try {
      output.write(array, offset, length);
    } finally {
      end(call);
    }
  }

  private long begin(long kind) {
    long call = (state | KIND) + 1 + kind;
    STATE.setVolatile(this, call);
    return call;
  }

  /** The call is over; somebody may have interfered with it. */
  private void end(long call) throws IOException {
    long idle = call & ~KIND;
    if (STATE.compareAndSet(this, call, idle)) {
      return;
    }
    if (STATE.compareAndSet(this, idle | WRITING_DRAINED, idle)) {
      drained = true;
      drain.start();
      return;
    }
    throw new SocketTimeoutException("no answer within " + timeoutMillis + " ms");
  }

  /** True while a call is going on. From any thread. */
  boolean isWaiting() {
    return (state & KIND) != 0;
  }

  // ---- for the watch

  /** Looks at the call that is going on, if any. */
  void look(long nowNanos) {
    long call = state;
    if (call != seen) {
      seen = call;
      seenNanos = nowNanos;
      return;
    }
    long kind = call & KIND;
    if (kind == 0 || kind == EXPIRED) {
      return;
    }
    long waited = nowNanos - seenNanos;
    int limit = timeoutMillis;
    if (limit > 0 && waited >= TimeUnit.MILLISECONDS.toNanos(limit)) {
      if (STATE.compareAndSet(this, call, call & ~KIND | EXPIRED)) {
        close();
      }
    } else if (kind == WRITING && waited >= STUCK_NANOS) {
      startDrain(call);
    }
  }

  private void startDrain(long call) {
    if (drain == null) {
      drain = new Drain(input, budget, this::close);
    }
    drain.want(true);
    if (STATE.compareAndSet(this, call, call & ~KIND | WRITING_DRAINED)) {
      drain.start();
    } else {
      drain.want(false); // The write has ended meanwhile.
    }
  }

  /** What was read for the connection is of no use any more; for its owner, at the end. */
  void discard() {
    if (drained) {
      drained = false;
      drain.discard();
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone either way.
    }
  }
}
