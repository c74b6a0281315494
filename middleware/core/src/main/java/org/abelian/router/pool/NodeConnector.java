package org.abelian.router.pool;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.Scram;
import org.abelian.router.protocol.ScramClient;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;

/**
 * Opens connections to nodes: start-up, authentication (trust, SCRAM-SHA-256, clear text), first
 * ReadyForQuery.
 */
public final class NodeConnector {
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int START_TIMEOUT_MILLIS = 30_000;

  /** Class of 57P01 admin_shutdown, 57P02 crash_shutdown and 57P03 cannot_connect_now. */
  private static final String OPERATOR_INTERVENTION = "57P";

  private static final int AUTHENTICATED = 0;
  private static final int CLEAR_TEXT = 3;
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;
  private static final int SASL_FINAL = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final NodeIdentity identity;
  private ScramClient scram;
  private final Map<String, String> parameters = new HashMap<>();
  private int processId;
  private int secretKey;

  private NodeConnector(NodeIdentity identity) {
    this.identity = identity;
  }

  /**
   * Opens a connection.
   *
   * @throws NodeRefusedException when the node answers with an error
   * @throws NodeLostException when it cannot be reached
   */
  public static NodeConnection open(NodeAddress address, NodeIdentity identity, IoContext io)
      throws IOException {
    Socket socket = new Socket();
    NodeConnection connection = null;
    boolean opened = false;
    try {
      socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_TIMEOUT_MILLIS);
      KeepAlive.set(socket);
      socket.setTcpNoDelay(true);
      connection = new NodeConnection(address, socket, io);
      connection.timeout(START_TIMEOUT_MILLIS);
      new NodeConnector(identity).start(connection);
      connection.timeout(0);
      opened = true;
      return connection;
    } catch (NodeRefusedException | NodeLostException | ProtocolException e) {
      throw e;
    } catch (IOException e) {
      throw new NodeLostException(address, e);
    } finally {
      if (!opened) {
        socket.close();
        if (connection != null) {
          connection.close();
          connection.free();
        }
      }
    }
  }

  private void start(NodeConnection connection) throws IOException {
    new StartupMessage(identity.startup()).write(connection.writer());
    connection.flush();
    for (; ; ) {
      int length = connection.awaitFrame();
      ByteQueue incoming = connection.incoming();
      byte[] array = incoming.array();
      int at = incoming.start();
      switch (connection.frameType()) {
        case BackendType.AUTHENTICATION -> authenticate(connection, array, at + 5, at + length);
        case BackendType.PARAMETER_STATUS -> {
          int nameEnd = CString.end(array, at + 5, at + length);
          parameters.put(
              CString.read(array, at + 5, nameEnd),
              CString.read(array, nameEnd + 1, at + length - 1));
        }
        case BackendType.BACKEND_KEY_DATA -> {
          processId = BigEndian.int4(array, at + 5);
          secretKey = BigEndian.int4(array, at + 9);
        }
        case BackendType.ERROR_RESPONSE ->
            throw refused(connection.address(), ErrorFields.read(array, at));
        case BackendType.READY_FOR_QUERY -> {
          incoming.consume(length);
          connection.opened(processId, secretKey, parameters);
          return;
        }
        default -> {
          // Notices and NegotiateProtocolVersion say nothing that matters here.
        }
      }
      incoming.consume(length);
    }
  }

  private void authenticate(NodeConnection connection, byte[] array, int at, int limit)
      throws IOException {
    int method = BigEndian.int4(array, at);
    switch (method) {
      case AUTHENTICATED -> {}
      case CLEAR_TEXT -> {
        if (!(identity.secret() instanceof ScramSecret.Password password)) {
          throw refused("the node asks for a clear-text password, which the router does not have");
        }
        connection.writer().begin(FrontendType.PASSWORD).string(password.password()).end();
        connection.flush();
      }
      case SASL -> {
        if (!new String(array, at + 4, limit - at - 4, StandardCharsets.US_ASCII)
            .contains(Scram.MECHANISM)) {
          throw refused("the node offers no " + Scram.MECHANISM);
        }
        if (identity.secret() == null) {
          throw refused(
              "password authentication failed for user \""
                  + identity.user()
                  + "\": no password was given");
        }
        scram = new ScramClient(identity.secret(), nonce());
        byte[] first = scram.first().getBytes(StandardCharsets.UTF_8);
        connection
            .writer()
            .begin(FrontendType.PASSWORD)
            .string(Scram.MECHANISM)
            .int4(first.length)
            .bytes(first)
            .end();
        connection.flush();
      }
      case SASL_CONTINUE -> {
        String last = scram.last(text(array, at + 4, limit));
        connection
            .writer()
            .begin(FrontendType.PASSWORD)
            .bytes(last.getBytes(StandardCharsets.UTF_8))
            .end();
        connection.flush();
      }
      case SASL_FINAL -> scram.verify(text(array, at + 4, limit));
      default ->
          throw refused(
              "the node asks for authentication method " + method + "; use scram-sha-256");
    }
  }

  /** A nonce for one exchange: 18 random bytes, as PostgreSQL takes. */
  public static String nonce() {
    byte[] bytes = new byte[18];
    RANDOM.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String text(byte[] array, int from, int limit) {
    return new String(array, from, limit - from, StandardCharsets.UTF_8);
  }

  /** A node that is starting up or shutting down is as good as one that is not there. */
  private static IOException refused(NodeAddress address, ErrorFields error) {
    return error.sqlState().startsWith(OPERATOR_INTERVENTION)
        ? new NodeLostException(address, new IOException(error.message()))
        : new NodeRefusedException(error);
  }

  private static NodeRefusedException refused(String message) {
    return new NodeRefusedException(ErrorFields.of("FATAL", "28P01", message));
  }
}
