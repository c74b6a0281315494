package org.abelian.router.session;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;

/**
 * Requests to end what a session does: by its client, by the deadlock detector, by its end. Any
 * thread may ask; the session's own finds out.
 */
public final class Cancellation {
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicReference<AbelianException> deadlock = new AtomicReference<>();
  private volatile boolean closed;

  /**
   * Notices a request that comes while no part of the statement runs on a node, where a cancel
   * request would find it: between attempts, for example.
   */
  public final class Watch {
    private final int before = requests.get();

    private Watch() {}

    /** Whether the statement, or the session, is to end. */
    public boolean hasStruck() {
      return requests.get() != before || closed;
    }

    /**
     * For a statement of which nothing is done.
     *
     * @throws RuntimeException the client's error, when it is to end
     */
    public void check() {
      if (hasStruck()) {
        throw error();
      }
    }
  }

  /** Notices requests from now on. */
  public Watch watch() {
    return new Watch();
  }

  /** The statement that runs now is to end. */
  public void request() {
    requests.incrementAndGet();
  }

  /** The session is to end. */
  public void close() {
    closed = true;
  }

  /** The next cancellation is to be told as this error. */
  public void deadlock(AbelianException error) {
    deadlock.set(error);
  }

  /** It is not, unless that has become another error. */
  public void spare(AbelianException error) {
    deadlock.compareAndSet(error, null);
  }

  /** The error to tell in place of a cancellation, once; else null. */
  public AbelianException takeDeadlock() {
    return deadlock.getAndSet(null);
  }

  /** The error for a statement that is not wanted any more, of which nothing is done. */
  public RuntimeException error() {
    AbelianException found = takeDeadlock();
    return found != null
        ? found
        : ClientError.of("57014", "canceling statement due to user request");
  }
}
