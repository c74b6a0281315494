package org.abelian.router.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * TLS with nodes as pgjdbc wants it, with the same trust as all other connections to nodes. Public
 * because pgjdbc makes it by reflection.
 */
public final class NodeSocketFactory extends SSLSocketFactory {
  private final NodeTls tls;

  /**
   * @param key that {@link NodeTls#pgjdbcProperties} has named
   */
  public NodeSocketFactory(String key) {
    tls = NodeTls.byKey(key);
  }

  @Override
  public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
      throws IOException {
    SSLSocket layered =
        (SSLSocket) tls.contextFactory().createSocket(socket, host, port, autoClose);
    SSLParameters parameters = layered.getSSLParameters();
    tls.configure(parameters, host);
    layered.setSSLParameters(parameters);
    return layered;
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return new String[0];
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return new String[0];
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw new IOException("TLS begins on a connection that is there already");
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return createSocket(host, port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return createSocket(host.getHostName(), port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return createSocket(host, port);
  }
}
