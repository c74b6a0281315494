package org.abelian.router.pool;

import java.io.IOException;
import javax.net.ssl.SSLException;
import org.abelian.router.pool.NodeDialer.Dialled;
import org.abelian.router.pool.NodeDialer.Encryption;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.tls.SslMode;
import org.abelian.router.tls.TlsException;

/** Opens connections to nodes, encrypted as the sslmode says. */
public final class NodeConnector {
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int START_TIMEOUT_MILLIS = 30_000;

  /** invalid_authorization_specification: among others, a rule for the other kind of connection. */
  private static final String NO_SUCH_CONNECTION = "28000";

  private final NodeDialer dialer;
  private final NodeIdentity identity;
  private final IoContext io;
  private boolean encrypted;

  private NodeConnector(NodeDialer dialer, NodeIdentity identity, IoContext io) {
    this.dialer = dialer;
    this.identity = identity;
    this.io = io;
  }

  /**
   * Opens a connection.
   *
   * @throws NodeRefusedException when the node answers with an error
   * @throws NodeLostException when it cannot be reached, or not in the way that is asked for
   */
  public static NodeConnection open(NodeAddress address, NodeIdentity identity, IoContext io)
      throws IOException {
    NodeDialer dialer = new NodeDialer(address, io, CONNECT_TIMEOUT_MILLIS, START_TIMEOUT_MILLIS);
    try {
      return new NodeConnector(dialer, identity, io).open();
    } catch (NodeRefusedException | NodeLostException | ProtocolException e) {
      throw e;
    } catch (SSLException | TlsException e) {
      throw NodeLostException.withoutTls(address, e);
    } catch (IOException e) {
      throw new NodeLostException(address, e);
    }
  }

  private NodeConnection open() throws IOException {
    SslMode mode = io.tls().settings().mode();
    if (mode.requiresEncryption()) {
      return attempt(Encryption.REQUIRED);
    }
    try {
      return attempt(mode == SslMode.PREFER ? Encryption.WHERE_OFFERED : Encryption.NONE);
    } catch (NodeRefusedException | NodeLostException | SSLException first) {
      if (mode == SslMode.DISABLE || encrypted != (mode == SslMode.PREFER) || !isReason(first)) {
        throw first;
      }
      return attemptOtherwise(first);
    }
  }

  /** Whether the other kind of connection may be what the node wants. */
  private static boolean isReason(IOException failure) {
    return failure instanceof NodeRefusedException refused
        ? refused.error().sqlState().equals(NO_SUCH_CONNECTION)
        : failure instanceof SSLException || failure.getCause() instanceof SSLException;
  }

  private NodeConnection attemptOtherwise(IOException first) throws IOException {
    try {
      return attempt(encrypted ? Encryption.NONE : Encryption.REQUIRED);
    } catch (IOException second) {
      first.addSuppressed(second);
      throw first;
    }
  }

  private NodeConnection attempt(Encryption encryption) throws IOException {
    encrypted = encryption != Encryption.NONE;
    Dialled dialled = dialer.dial(encryption);
    encrypted = dialled.encrypted();
    NodeConnection connection = new NodeConnection(dialer.address(), dialled, io);
    boolean opened = false;
    try {
      connection.timeout(START_TIMEOUT_MILLIS);
      new NodeLogin(identity, dialled, io.tls().settings().channelBinding()).run(connection);
      connection.timeout(0);
      opened = true;
      return connection;
    } finally {
      if (!opened) {
        connection.close();
        connection.free();
      }
    }
  }
}
