package org.abelian.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.abelian.router.Router;
import org.abelian.router.error.SqlState;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.frontend.ScramAuthentication;
import org.abelian.router.pool.KeepAlive;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.tls.ServerTls;
import org.abelian.server.hba.Channel;
import org.abelian.server.hba.ClientRules;
import org.abelian.server.hba.RuledAuthentication;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts clients and gives each a session and a thread. */
final class RouterServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RouterServer.class);
  private static final int BACKLOG = 200;

  private static final int PAUSE_MILLIS = 20;
  private static final long ACCEPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final byte[] SORRY =
      ErrorFields.of(
              "FATAL", SqlState.TOO_MANY_CONNECTIONS.code(), "sorry, too many clients already")
          .frame(BackendType.ERROR_RESPONSE);

  private final Router router;

  /** Of the kind whose sockets can be looked at for a moment and then block again. */
  private final ServerSocketChannel listener;

  private volatile ClientLimits limits;
  private final Admission admission;
  private final ServerTls tls;
  private final ClientRules rules;
  private final LongConsumer answered;
  private final ScramAuthentication scram;
  private final ThreadFactory threads = ClientThreads.factory();
  private final Set<ClientConnection> clients = ConcurrentHashMap.newKeySet();
  private final ClientWatch watch;
  private volatile boolean stopping;

  private RouterServer(
      Router router,
      ServerSocketChannel listener,
      ClientLimits limits,
      ServerTls tls,
      ClientRules rules,
      LongConsumer answered) {
    this.router = router;
    this.listener = listener;
    this.limits = limits;
    this.tls = tls;
    this.rules = rules;
    this.answered = answered;
    admission = new Admission(limits.starting(), limits.clients());
    watch = new ClientWatch(clients, limits);
    byte[] mockKey = new byte[32];
    new SecureRandom().nextBytes(mockKey);
    scram = new ScramAuthentication(router::verifier, mockKey);
  }

  /**
   * Starts to accept clients.
   *
   * @param address port 0 takes a free one
   * @param tls with clients; null for none
   * @param rules by which clients are let in
   * @param answered told how many nanoseconds each answer to a client's messages took
   * @throws IOException when the port cannot be had
   */
  static RouterServer start(
      Router router,
      InetSocketAddress address,
      ClientLimits limits,
      ServerTls tls,
      ClientRules rules,
      LongConsumer answered)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.socket().setReuseAddress(true);
    listener.bind(address, BACKLOG);
    RouterServer server = new RouterServer(router, listener, limits, tls, rules, answered);
    Thread acceptor = new Thread(server::accept, "accept");
    acceptor.setDaemon(true);
    acceptor.start();
    server.watch.start();
    return server;
  }

  /** Sets other bounds, for clients who come from now on. */
  void limits(ClientLimits changed) {
    limits = changed;
    admission.bounds(changed.starting(), changed.clients());
  }

  /** False once it is told to stop. */
  boolean isServing() {
    return !stopping;
  }

  /** The port that it listens on. */
  int port() {
    return listener.socket().getLocalPort();
  }

  private void accept() {
    while (!stopping) {
      try {
        welcome(listener.accept().socket());
      } catch (IOException | OutOfMemoryError e) {
        if (!stopping) {
          LOG.warn("cannot accept a client: {}", e.toString());
          LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
        }
      }
    }
  }

  /** A client that cannot be served is told so, or has gone again. */
  private void welcome(Socket client) {
    boolean served = false;
    try {
      client.setTcpNoDelay(true);
      KeepAlive.set(client);
      served = serve(client);
      if (!served) {
        client.getOutputStream().write(SORRY);
      }
    } catch (IOException e) {
      LOG.debug("a client has gone at once: {}", e.getMessage());
    } finally {
      if (!served) {
        close(client);
      }
    }
  }

  private static void close(Socket client) {
    try {
      client.close();
    } catch (IOException e) {
      LOG.debug("closing a client's socket", e);
    }
  }

  private boolean serve(Socket socketOfClient) throws IOException {
    Place place = new Place();
    ClientConnection client =
        new ClientConnection(
            socketOfClient,
            tls,
            channel -> router.openSession(authentication(place, channel)),
            limits,
            work -> threads.newThread(work).start(),
            answered,
            System.nanoTime());
    place.client = client;
    if (!admission.enter(client, socketOfClient.getInetAddress())) {
      return false;
    }
    clients.add(client);
    boolean started = false;
    try {
      threads.newThread(() -> run(client, place)).start();
      started = true;
    } finally {
      if (!started) {
        leave(client, place);
      }
    }
    return true;
  }

  private Authentication authentication(Place place, Supplier<Channel> channel) {
    return new AdmittingAuthentication(
        new RuledAuthentication(rules, scram, channel), admission::isFull, place::admit);
  }

  /** The place that a client has, first before authentication and then after it. */
  private final class Place {
    private ClientConnection client;
    private boolean admitted;

    boolean admit() {
      admitted = admission.admit(client);
      return admitted;
    }
  }

  private void run(ClientConnection client, Place place) {
    try {
      client.run();
    } finally {
      leave(client, place);
    }
  }

  private void leave(ClientConnection client, Place place) {
    clients.remove(client);
    admission.leave(client, place.admitted);
  }

  /**
   * Stops: no new clients, idle ones are told goodbye, busy ones have a moment to end what they do.
   */
  void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    try {
      listener.close();
    } catch (IOException e) {
      LOG.debug("closing the listening socket", e);
    }
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limits.drainMillis());
    while (!clients.isEmpty() && System.nanoTime() < deadline) {
      clients.forEach(ClientConnection::stopWhenIdle);
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    clients.forEach(ClientConnection::abort);
    watch.close();
  }

  @Override
  public void close() {
    stop();
  }
}
