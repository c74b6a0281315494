package org.abelian.router.pool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Two sockets that are connected with each other: one is the router's, one the node's. */
record Loopback(Socket router, Socket node) implements AutoCloseable {
  static Loopback open() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Socket router = new Socket(listener.getInetAddress(), listener.getLocalPort());
      return new Loopback(router, listener.accept());
    }
  }

  @Override
  public void close() throws IOException {
    router.close();
    node.close();
  }
}
