package org.abelian.router.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * TLS with nodes as pgjdbc wants it, with the same trust as all other connections to nodes. Public
 * because pgjdbc makes it by reflection.
 */
public final class NodeSocketFactory extends SSLSocketFactory {
  /** Puts TLS over a connection. */
  @FunctionalInterface
  interface Layer {
    /** As {@link SSLSocketFactory#createSocket(Socket, String, int, boolean)}. */
    SSLSocket over(Socket socket, String host, int port, boolean autoClose) throws IOException;
  }

  /** Those that pgjdbc may ask for, by the key that it is given. */
  private static final Map<String, Layer> BY_KEY = new ConcurrentHashMap<>();

  private static final AtomicLong NEXT_KEY = new AtomicLong(1);

  private final Layer layer;

  /**
   * The factory of a key.
   *
   * @param key that {@link #register} has given
   */
  public NodeSocketFactory(String key) {
    layer = BY_KEY.get(key);
    if (layer == null) {
      throw new IllegalArgumentException("no TLS settings are known under " + key);
    }
  }

  /** Makes a layer known under a key. */
  static String register(Layer layer) {
    String key = Long.toString(NEXT_KEY.getAndIncrement());
    BY_KEY.put(key, layer);
    return key;
  }

  /** Ends what {@link #register} began. */
  static void forget(String key) {
    BY_KEY.remove(key);
  }

  @Override
  public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
      throws IOException {
    return layer.over(socket, host, port, autoClose);
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
