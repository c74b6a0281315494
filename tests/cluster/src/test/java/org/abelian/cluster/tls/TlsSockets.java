package org.abelian.cluster.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Connections of clients that do by themselves what libpq and pgjdbc never would. */
final class TlsSockets {
  static final int SSL_REQUEST = 80877103;
  static final int GSS_REQUEST = 80877104;
  private static final int READ_MS_MAX = 60_000;

  private TlsSockets() {}

  static Socket plain(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(READ_MS_MAX);
    return socket;
  }

  /** A message without a type and without a body. */
  static byte[] request(int code) {
    return ByteBuffer.allocate(8).putInt(8).putInt(code).array();
  }

  /** Asks for encryption; the answer's byte. */
  static int ask(Socket socket, int code) throws IOException {
    socket.getOutputStream().write(request(code));
    return socket.getInputStream().read();
  }

  /** A TLS connection that was asked for, whoever the server is. */
  static SSLSocket negotiated(int port) throws IOException {
    Socket socket = plain(port);
    if (ask(socket, SSL_REQUEST) != 'S') {
      throw new IOException("no TLS");
    }
    return handshake(socket, new String[0]);
  }

  /** A TLS connection that begins at once, naming these protocols. */
  static SSLSocket direct(int port, String... protocols) throws IOException {
    return handshake(plain(port), protocols);
  }

  /** Carries out the handshake on a connection. */
  static SSLSocket handshake(Socket socket, String[] protocols, String... versions)
      throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Anyone()}, null);
      SSLSocket layered =
          (SSLSocket)
              context.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
      SSLParameters parameters = layered.getSSLParameters();
      parameters.setApplicationProtocols(protocols);
      if (versions.length > 0) {
        parameters.setProtocols(versions);
      }
      layered.setSSLParameters(parameters);
      layered.startHandshake();
      return layered;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** The channel binding of a server whose certificate is signed with SHA-256. */
  static byte[] endPoint(SSLSocket socket) throws IOException {
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest(socket.getSession().getPeerCertificates()[0].getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static final class Anyone implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
