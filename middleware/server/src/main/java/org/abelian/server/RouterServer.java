package org.abelian.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.Router;
import org.abelian.router.frontend.ScramAuthentication;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts clients and gives each a session and a thread. */
final class RouterServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RouterServer.class);
  private static final int BACKLOG = 200;

  /** How long clients may go on with their transactions when the server is told to stop. */
  private static final long GRACE_MILLIS = 3000;

  private static final int PAUSE_MILLIS = 20;

  private final Router router;
  private final ServerSocket socket;
  private final int maxClients;
  private final Authentication authentication;
  private final ThreadFactory threads = ClientThreads.factory();
  private final Set<ClientConnection> clients = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  private RouterServer(Router router, ServerSocket socket, int maxClients) {
    this.router = router;
    this.socket = socket;
    this.maxClients = maxClients;
    byte[] mockKey = new byte[32];
    new SecureRandom().nextBytes(mockKey);
    authentication = new ScramAuthentication(router::verifier, mockKey);
  }

  /**
   * Starts to accept clients.
   *
   * @param address port 0 takes a free one
   * @throws IOException when the port cannot be had
   */
  static RouterServer start(Router router, InetSocketAddress address, int maxClients)
      throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(address, BACKLOG);
    RouterServer server = new RouterServer(router, socket, maxClients);
    Thread acceptor = new Thread(server::accept, "accept");
    acceptor.setDaemon(true);
    acceptor.start();
    return server;
  }

  /** The port that it listens on. */
  int port() {
    return socket.getLocalPort();
  }

  private void accept() {
    while (!stopping) {
      try {
        Socket client = socket.accept();
        client.setTcpNoDelay(true);
        client.setKeepAlive(true);
        serve(client);
      } catch (SocketException e) {
        if (!stopping) {
          LOG.warn("cannot accept a client: {}", e.getMessage());
        }
      } catch (IOException | OutOfMemoryError e) {
        LOG.warn("cannot accept a client", e);
      }
    }
  }

  private void serve(Socket socketOfClient) {
    ClientConnection client =
        new ClientConnection(
            socketOfClient, router.openSession(authentication), clients.size() >= maxClients);
    clients.add(client);
    threads
        .newThread(
            () -> {
              try {
                client.run();
              } finally {
                clients.remove(client);
              }
            })
        .start();
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
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing the listening socket", e);
    }
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
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
  }

  @Override
  public void close() {
    stop();
  }
}
