package org.abelian.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.abelian.router.Router;

/**
 * Gives pgjdbc its sockets. Named in the inner URL; public because pgjdbc makes it by reflection.
 */
public final class RouterSocketFactory extends SocketFactory {
  private final Router router;

  /**
   * @param key of a router that the driver has opened
   */
  public RouterSocketFactory(String key) {
    router = Routers.byKey(key);
  }

  @Override
  public Socket createSocket() throws IOException {
    return new RouterSocket(router.openSession(router.ownAuthentication()));
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return createSocket();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return createSocket();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return createSocket();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return createSocket();
  }
}
