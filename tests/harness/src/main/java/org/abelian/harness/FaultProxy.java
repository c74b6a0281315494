package org.abelian.harness;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between a router and a node and understands just enough of PostgreSQL's protocol to cut,
 * hold or react at a chosen statement. So faults strike at exact points of a commit without any
 * hook in the product.
 */
public final class FaultProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket listener;

  /** All since the last {@link #disarm}, those that have been triggered too. */
  private final List<Fault> faults = new CopyOnWriteArrayList<>();

  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

  private FaultProxy(int target, ServerSocket listener) {
    this.target = target;
    this.listener = listener;
  }

  /** Listens on a port of its own and forwards to a port of this machine. */
  public static FaultProxy to(int target) {
    Resources.prepare();
    try {
      ServerSocket listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve()));
      FaultProxy proxy = new FaultProxy(target, listener);
      Resources.opened(proxy);
      startDaemon(proxy::accept, "fault proxy to " + target);
      return proxy;
    } catch (IOException e) {
      throw new HarnessException("cannot listen", e);
    }
  }

  /** The port that stands for the node's. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Strikes once, at the next statement that the fault describes, on any connection. */
  public Fault arm(Fault fault) {
    faults.add(fault);
    return fault;
  }

  /**
   * Forgets faults that have not struck, and waits for those that are striking: none of them does
   * anything to what is started afterwards.
   */
  public void disarm() {
    faults.forEach(Fault::callOff);
    faults.clear();
  }

  /** Cuts all connections, like a network that fails for a moment. */
  public void cutAll() {
    connections.forEach(ProxiedConnection::cut);
  }

  /** The armed fault that this text triggers, which is then no longer armed; or null. */
  Fault trigger(String text) {
    for (Fault fault : faults) {
      if (fault.isTriggered(text)) {
        return fault;
      }
    }
    return null;
  }

  void ended(ProxiedConnection connection) {
    connections.remove(connection);
  }

  private void accept() {
    while (!listener.isClosed()) {
      Socket client = null;
      try {
        client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        ProxiedConnection connection = new ProxiedConnection(this, client, server);
        connections.add(connection);
        connection.start();
      } catch (IOException e) {
        // The node is down, or the proxy is being closed.
        closeQuietly(client);
      }
    }
  }

  static void startDaemon(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  static void closeQuietly(Closeable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (IOException e) {
      // Closing is all that was wanted.
    }
  }

  @Override
  public void close() {
    closeQuietly(listener);
    cutAll();
    Resources.closed(this);
  }

  @Override
  public String toString() {
    return "fault proxy on port " + port() + " to " + target;
  }
}
