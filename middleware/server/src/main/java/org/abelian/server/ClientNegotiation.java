package org.abelian.server;

import java.io.IOException;
import java.net.InetAddress;
import javax.net.ssl.SSLException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.StartupCode;
import org.abelian.router.tls.ServerTls;
import org.abelian.router.transport.TlsTransport;
import org.abelian.router.transport.Transport;
import org.abelian.server.hba.Channel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes before a client's first message: TLS, asked for by an SSLRequest or begun at once, or
 * none. What was received in the clear is never taken for something that was encrypted.
 */
final class ClientNegotiation {
  private static final Logger LOG = LoggerFactory.getLogger(ClientNegotiation.class);

  /** The first byte of a TLS handshake; that of a first message is 0, its length being small. */
  private static final byte TLS_HANDSHAKE = 0x16;

  private static final int REQUEST_LENGTH = 8;

  /**
   * A connection on which the client may speak; the beginning of its first message, at least eight
   * bytes, was received.
   */
  record Opened(Transport transport, Channel channel) {}

  private final InetAddress address;
  private final ServerTls tls;
  private final ByteQueue received;
  private Transport transport;
  private Channel channel;
  private boolean sslAnswered;
  private boolean gssAnswered;

  /**
   * @param address of the client
   * @param socket on which nothing was sent yet
   * @param tls null where there is none
   * @param received an empty buffer, which holds what the client has sent afterwards
   */
  ClientNegotiation(InetAddress address, Transport socket, ServerTls tls, ByteQueue received) {
    this.address = address;
    this.tls = tls;
    this.received = received;
    transport = socket;
    channel = Channel.plain(address);
  }

  /**
   * Negotiates.
   *
   * @return null when the client has left or was sent away
   * @throws SSLException when a handshake fails
   */
  Opened open() throws IOException {
    if (!fill(1)) {
      return null;
    }
    if (received.array()[received.start()] == TLS_HANDSHAKE && !beginAtOnce()) {
      return null;
    }
    while (fill(REQUEST_LENGTH)) {
      if (!isRequest()) {
        return new Opened(transport, channel);
      }
      if (!answer()) {
        return null;
      }
    }
    return null;
  }

  private boolean fill(int count) throws IOException {
    while (received.size() < count) {
      if (!transport.read(received, received.array().length / 2)) {
        return false;
      }
    }
    return true;
  }

  private static int codeIn(ByteQueue message) {
    return BigEndian.int4(message.array(), message.start() + 4);
  }

  /** A request for encryption that was not answered yet; a second one is no request. */
  private boolean isRequest() {
    if (BigEndian.int4(received.array(), received.start()) != REQUEST_LENGTH) {
      return false;
    }
    return switch (codeIn(received)) {
      case StartupCode.SSL_REQUEST -> !sslAnswered;
      case StartupCode.GSS_ENCRYPTION_REQUEST -> !gssAnswered;
      default -> false;
    };
  }

  private boolean answer() throws IOException {
    boolean ssl = codeIn(received) == StartupCode.SSL_REQUEST;
    received.consume(REQUEST_LENGTH);
    if (!received.isEmpty()) {
      refuse(
          ssl
              ? "received unencrypted data after SSL request"
              : "received unencrypted data after GSSAPI encryption request");
      return false;
    }
    boolean accepted = ssl && tls != null;
    transport.write(new byte[] {(byte) (accepted ? 'S' : 'N')}, 0, 1);
    if (ssl) {
      sslAnswered = true;
    } else {
      gssAnswered = true;
    }
    if (accepted) {
      handshake();
    }
    return true;
  }

  private void refuse(String message) throws IOException {
    ByteQueue answer = new ByteQueue(256);
    ErrorFields.of("FATAL", "08P01", message)
        .with(
            ErrorFields.DETAIL,
            "This could be either a client-software bug or evidence of an attempted"
                + " man-in-the-middle attack.")
        .write(new FrameWriter(answer), BackendType.ERROR_RESPONSE);
    transport.write(answer.array(), answer.start(), answer.size());
    LOG.warn("{} from {}", message, address);
  }

  /** Without the request, so only a client that names this protocol means this server. */
  private boolean beginAtOnce() throws IOException {
    if (tls == null) {
      return false;
    }
    sslAnswered = true;
    TlsTransport encrypted = handshake();
    if (!encrypted.engine().applicationProtocol().equals(ServerTls.APPLICATION_PROTOCOL)) {
      LOG.info(
          "direct TLS connection from {} without the application protocol {}",
          address,
          ServerTls.APPLICATION_PROTOCOL);
      encrypted.end();
      return false;
    }
    return true;
  }

  private TlsTransport handshake() throws IOException {
    ServerTls.Accepted accepted = tls.accept();
    accepted.engine().received().append(received.array(), received.start(), received.size());
    received.clear();
    TlsTransport encrypted = new TlsTransport(transport, accepted.engine());
    encrypted.handshake();
    transport = encrypted;
    channel =
        new Channel(
            address,
            true,
            accepted.endPoint(),
            accepted.verifiesClients(),
            accepted.engine().peerCertificate());
    return encrypted;
  }
}
