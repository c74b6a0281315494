package org.abelian.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.abelian.router.ClientSession;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.transport.Transport;
import org.abelian.server.hba.Channel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client: moves bytes between its socket and its session, in one thread. While the session
 * works for long, nobody reads from the client; then {@link ClientWatch}, in its own thread, looks
 * whether the client is still there, and has the statement of one that is gone cancelled.
 */
final class ClientConnection implements Admission.Visitor {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);
  private static final byte[] GOODBYE =
      ErrorFields.of(
              "FATAL",
              SqlState.ADMIN_SHUTDOWN.code(),
              "terminating connection due to administrator command")
          .frame(BackendType.ERROR_RESPONSE);

  /** Room for what a client sends at once: little at first, more while it fills that. */
  private static final int READ_FIRST = 1024;

  private static final int READ_MOST = 16384;
  private static final int WRITE_AT = 32768;

  /** A session that does not end when it is cancelled is ended by force after so long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final InetAddress address;
  private final ClientSocket socket;
  private final ServerTls tls;
  private final ClientSession session;
  private final ClientLimits limits;
  private final LongConsumer answered;
  private final NotificationPush push;
  private final ByteQueue received = new ByteQueue(READ_FIRST);
  private int room = READ_FIRST;
  private final Activity activity = new Activity();
  private Transport transport;
  private Channel channel;
  private volatile boolean waiting;
  private volatile boolean gone;
  private volatile boolean started;

  // ---- of the watch

  private final long openedNanos;
  private Activity.Turn seen;
  private long seenNanos;
  private long goneNanos;

  /**
   * @param tls null where there is none
   * @param opener opens the session; told, when the client says who it is, how it is connected
   * @param pushing a thread for each client that is told of notifications
   * @param answered told how many nanoseconds the answer to some messages took
   * @param nowNanos by {@link System#nanoTime}
   */
  ClientConnection(
      Socket socket,
      ServerTls tls,
      Function<Supplier<Channel>, ClientSession> opener,
      ClientLimits limits,
      Executor pushing,
      LongConsumer answered,
      long nowNanos)
      throws IOException {
    address = socket.getInetAddress();
    channel = Channel.plain(address);
    session = opener.apply(() -> channel);
    this.socket = new ClientSocket(socket, session.memory());
    this.tls = tls;
    this.limits = limits;
    this.answered = answered;
    push = new NotificationPush(session, pushing, this::abort);
    openedNanos = nowNanos;
    seenNanos = nowNanos;
  }

  /** Serves the client until it or the session ends. */
  void run() {
    try (socket) {
      ClientNegotiation.Opened opened =
          new ClientNegotiation(address, socket, tls, received).open();
      if (opened != null) {
        channel = opened.channel();
        transport = opened.transport();
        serve();
        transport.end();
      }
    } catch (SSLException e) {
      LOG.info("TLS with {} failed: {}", address, e.getMessage());
    } catch (IOException e) {
      LOG.debug("{} ended: {}", session, e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("{} ended by a fault", session, e);
    } finally {
      activity.begin(Activity.Kind.READING); // Nobody looks at it any more.
      socket.free();
      session.close();
      session.free();
    }
  }

  private void serve() throws IOException {
    activity.begin(Activity.Kind.WORKING);
    boolean more = true;
    while (more && !session.isClosed() && !gone) {
      long begun = System.nanoTime();
      session.receive(received.array(), received.start(), received.size());
      received.clear();
      while (!gone && session.advance()) {
        if (session.output().queue().size() >= WRITE_AT) {
          write();
        }
      }
      write();
      if (started) { // A client that proves who it is takes its own time.
        answered.accept(System.nanoTime() - begun);
      }
      started = session.isStarted();
      if (!session.isClosed() && !gone) {
        more = receive();
        write(); // Why the session has ended, if it has.
      }
    }
  }

  /** Waits for the client; false when it will send no more. */
  private boolean receive() throws IOException {
    activity.begin(Activity.Kind.READING);
    waiting = session.isIdle();
    push.begin(transport);
    boolean more = true;
    boolean silent = false;
    try {
      socket.timeout(session.patience());
      more = transport.read(received, room);
    } catch (SocketTimeoutException timeout) {
      silent = true;
    } finally {
      push.end();
      waiting = false;
    }
    socket.timeout(0);
    activity.begin(Activity.Kind.WORKING);
    if (silent) {
      session.waited(); // Not before nobody else writes.
    }
    if (received.size() >= room) {
      room = Math.min(2 * room, READ_MOST);
    }
    return more;
  }

  private void write() throws IOException {
    ClientOutput messages = session.output();
    int count = messages.queue().size();
    if (count > 0) {
      activity.begin(Activity.Kind.WRITING);
      transport.write(messages.queue().array(), messages.queue().start(), count);
      messages.taken(count);
      activity.begin(Activity.Kind.WORKING);
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
    Activity.Turn now = activity.now();
    if (now != seen) {
      seen = now;
      seenNanos = nowNanos;
    }
    Activity.Kind kind = now.kind();
    long spent = TimeUnit.NANOSECONDS.toMillis(nowNanos - seenNanos);
    if (gone) {
      insist(nowNanos, canceller);
    } else if (kind == Activity.Kind.WORKING && spent >= limits.checkMillis()) {
      lookForClient(now, nowNanos, canceller);
    } else if (push.isStuck(nowNanos, limits.stallMillis())) {
      LOG.info("{} does not read its notifications", session);
      abort();
    } else if (kind == Activity.Kind.WRITING
        && limits.stallMillis() > 0
        && spent >= limits.stallMillis()) {
      LOG.info("{} has not read its answer for {} ms", session, spent);
      abort();
    }
  }

  private void lookForClient(Activity.Turn working, long nowNanos, Executor canceller) {
    boolean looked = activity.during(working, () -> gone = !socket.isThere());
    if (!looked) {
      return; // It is not stuck.
    }
    seenNanos = nowNanos;
    if (gone) {
      LOG.debug("{} is cancelled, since the client is gone", session);
      goneNanos = nowNanos;
      cancel(canceller);
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

  /** Ends the connection, and says why, if no transaction is open. */
  void stopWhenIdle() {
    if (waiting) {
      push.dismiss(GOODBYE, () -> waiting);
    }
  }

  @Override
  public void turnAway() {
    abort();
  }

  /** Ends the connection; from any thread. */
  void abort() {
    session.abort();
    socket.close();
  }
}
