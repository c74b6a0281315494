package org.abelian.router.pool;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.StartupCode;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.ServerEndPoint;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.tls.SslNegotiation;
import org.abelian.router.tls.TlsEngine;
import org.abelian.router.tls.TlsException;
import org.abelian.router.transport.TlsTransport;
import org.abelian.router.transport.Transport;

/** Makes a connection to a node as far as the first message: TCP, and TLS where it is wanted. */
final class NodeDialer {
  private final NodeAddress address;
  private final IoContext io;
  private final NodeTls tls;
  private final int connectMillis;
  private final int answerMillis;

  /** Whether to encrypt. */
  enum Encryption {
    NONE,
    WHERE_OFFERED,
    REQUIRED
  }

  /**
   * A connection, which is watched.
   *
   * @param socket at its bottom
   * @param encrypted false when it is plain
   * @param endPoint the channel binding tls-server-end-point; null when there is none
   */
  record Dialled(NodeSocket socket, Transport transport, boolean encrypted, byte[] endPoint) {}

  /**
   * @param connectMillis how long the node may take to accept
   * @param answerMillis how long it may take to say something, until the caller sets it otherwise
   */
  NodeDialer(NodeAddress address, IoContext io, int connectMillis, int answerMillis) {
    this.address = address;
    this.io = io;
    tls = io.tls();
    this.connectMillis = connectMillis;
    this.answerMillis = answerMillis;
  }

  /** The node. */
  NodeAddress address() {
    return address;
  }

  /**
   * Connects.
   *
   * @throws SSLException when the TLS handshake fails
   * @throws TlsException when TLS cannot be had as it was asked for
   */
  Dialled dial(Encryption encryption) throws IOException {
    Socket socket = connect();
    NodeSocket watched = watch(socket);
    Dialled dialled = null;
    try {
      dialled =
          encryption == Encryption.NONE || !negotiate(watched, encryption)
              ? new Dialled(watched, watched, false, null)
              : handshake(socket, watched);
      return dialled;
    } finally {
      if (dialled == null) {
        unwatch(watched);
        socket.close();
      }
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(address.host(), address.port()), connectMillis);
      KeepAlive.set(socket);
      socket.setTcpNoDelay(true);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private NodeSocket watch(Socket socket) throws IOException {
    NodeSocket watched = new NodeSocket(socket, io.memory());
    watched.timeout(answerMillis);
    io.watch().add(watched);
    return watched;
  }

  private void unwatch(NodeSocket watched) {
    io.watch().remove(watched);
    watched.discard();
  }

  /** Asks the node for TLS; false when it has none and need not. */
  private boolean negotiate(NodeSocket socket, Encryption encryption) throws IOException {
    if (tls.settings().negotiation() == SslNegotiation.DIRECT) {
      return true;
    }
    ByteQueue bytes = new ByteQueue(16);
    new FrameWriter(bytes).beginUntyped().int4(StartupCode.SSL_REQUEST).end();
    socket.write(bytes.array(), bytes.start(), bytes.size());
    bytes.clear();
    if (!socket.read(bytes, 2)) {
      throw new EOFException("the node closed the connection");
    }
    switch (bytes.array()[bytes.start()]) {
      case 'S' -> {
        // More than the one byte came from somebody who wants it taken for encrypted.
        if (bytes.size() > 1) {
          throw new TlsException("received unencrypted data after SSL response");
        }
        return true;
      }
      case 'N' -> {
        if (encryption == Encryption.REQUIRED) {
          throw new TlsException("server does not support SSL, but SSL was required");
        }
        return false;
      }
      // Nobody has proved yet to be the node, so the text of an error is not worth repeating.
      case 'E' -> throw new TlsException("server sent an error response during SSL exchange");
      default -> throw new TlsException("received invalid response to SSL negotiation");
    }
  }

  private Dialled handshake(Socket socket, NodeSocket watched) throws IOException {
    SSLSocketFactory custom = tls.customFactory();
    if (custom != null) {
      unwatch(watched);
      return handshake(socket, custom);
    }
    TlsEngine engine = tls.engine(address.host(), address.port());
    TlsTransport transport = new TlsTransport(watched, engine);
    transport.handshake();
    requireProtocol(engine.applicationProtocol());
    tls.verifyHost(address.host(), engine.session());
    return new Dialled(watched, transport, true, ServerEndPoint.ofPeer(engine.session()));
  }

  /** With the factory of the application in place of certificates from files. */
  private Dialled handshake(Socket socket, SSLSocketFactory factory) throws IOException {
    SSLSocket layered =
        (SSLSocket) factory.createSocket(socket, address.host(), address.port(), true);
    layered.setUseClientMode(true);
    layered.setSoTimeout(answerMillis);
    layered.startHandshake();
    layered.setSoTimeout(0);
    tls.verifyHost(address.host(), layered.getSession());
    NodeSocket watched = watch(layered);
    return new Dialled(watched, watched, true, ServerEndPoint.ofPeer(layered.getSession()));
  }

  /** A handshake that nothing came before could be that of another protocol's server. */
  private void requireProtocol(String agreed) throws TlsException {
    if (tls.settings().negotiation() == SslNegotiation.DIRECT
        && !agreed.equals(ServerTls.APPLICATION_PROTOCOL)) {
      throw new TlsException(
          "direct SSL connection was established without ALPN protocol negotiation extension");
    }
  }
}
