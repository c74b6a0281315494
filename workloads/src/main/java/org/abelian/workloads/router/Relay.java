package org.abelian.workloads.router;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import org.abelian.workloads.database.Database;

/**
 * Forwards bytes between clients and one server without looking at them: what any proxy costs at
 * least, two threads for a connection.
 */
final class Relay implements AutoCloseable {
  private static final String JDBC = "jdbc:";
  private static final int POSTGRESQL_PORT = 5432;

  private final Database target;
  private final URI uri;
  private final ServerSocket listener;

  private Relay(Database target) throws IOException {
    this.target = target;
    uri = URI.create(target.url().substring(JDBC.length()));
    listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  /** Listens on a free port of this machine until it is closed. */
  static Relay start(Database target) throws IOException {
    Relay relay = new Relay(target);
    daemon(relay::accept);
    return relay;
  }

  /** The same database, through this relay. */
  Database database() {
    String address = listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort();
    return new Database(
        target.url().replace(uri.getAuthority(), address), target.user(), target.password());
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server =
            new Socket(uri.getHost(), uri.getPort() < 0 ? POSTGRESQL_PORT : uri.getPort());
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        daemon(() -> forward(client, server));
        daemon(() -> forward(server, client));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Until one of them is closed, which closes the other. */
  private static void forward(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // The client has gone, and its connection with it.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
