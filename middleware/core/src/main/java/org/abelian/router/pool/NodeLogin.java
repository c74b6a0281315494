package org.abelian.router.pool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.pool.NodeDialer.Dialled;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.Scram;
import org.abelian.router.protocol.ScramBinding;
import org.abelian.router.protocol.ScramClient;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;
import org.abelian.router.tls.ChannelBinding;

/**
 * The first dialogue on a connection to a node: start-up, authentication (trust, certificate,
 * SCRAM-SHA-256 with and without channel binding, clear text), first ReadyForQuery.
 */
final class NodeLogin {
  /** Class of 57P01 admin_shutdown, 57P02 crash_shutdown and 57P03 cannot_connect_now. */
  private static final String OPERATOR_INTERVENTION = "57P";

  private static final int AUTHENTICATED = 0;
  private static final int CLEAR_TEXT = 3;
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;
  private static final int SASL_FINAL = 12;

  private final NodeIdentity identity;
  private final Dialled dialled;
  private final ChannelBinding channelBinding;
  private ScramClient scram;
  private boolean nodeProved;
  private final Map<String, String> parameters = new HashMap<>();
  private int processId;
  private int secretKey;

  NodeLogin(NodeIdentity identity, Dialled dialled, ChannelBinding channelBinding) {
    this.identity = identity;
    this.dialled = dialled;
    this.channelBinding = channelBinding;
  }

  /** Logs in, or throws. */
  void run(NodeConnection connection) throws IOException {
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
          requireProof();
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
      case CLEAR_TEXT -> clearText(connection);
      case SASL -> beginScram(connection, mechanisms(array, at + 4, limit));
      case SASL_CONTINUE -> {
        String last = scram().last(text(array, at + 4, limit));
        connection
            .writer()
            .begin(FrontendType.PASSWORD)
            .bytes(last.getBytes(StandardCharsets.UTF_8))
            .end();
        connection.flush();
      }
      case SASL_FINAL -> {
        scram().verify(text(array, at + 4, limit));
        nodeProved = true;
      }
      default ->
          throw refused(
              "the node asks for authentication method " + method + "; use scram-sha-256");
    }
  }

  private ScramClient scram() throws IOException {
    if (scram == null) {
      throw refused("the node sent a SCRAM message that was not asked for");
    }
    return scram;
  }

  private static List<String> mechanisms(byte[] array, int from, int limit) {
    return List.of(new String(array, from, limit - from, StandardCharsets.US_ASCII).split("\0"));
  }

  private void beginScram(NodeConnection connection, List<String> offered) throws IOException {
    if (identity.secret() == null) {
      throw refused(
          "password authentication failed for user \""
              + identity.user()
              + "\": the node asks for a password and the router has none");
    }
    ScramBinding binding = binding(offered);
    String mechanism = binding.mechanism();
    if (!offered.contains(mechanism)) {
      throw refused("the node offers no " + mechanism);
    }
    scram = new ScramClient(identity.secret(), Scram.nonce(), binding);
    byte[] first = scram.first().getBytes(StandardCharsets.UTF_8);
    connection
        .writer()
        .begin(FrontendType.PASSWORD)
        .string(mechanism)
        .int4(first.length)
        .bytes(first)
        .end();
    connection.flush();
  }

  /** What to tell the node about the channel, as libpq does. */
  private ScramBinding binding(List<String> offered) throws IOException {
    boolean plus = offered.contains(Scram.MECHANISM_PLUS);
    if (plus && !dialled.encrypted()) {
      throw refused(
          "the node offers " + Scram.MECHANISM_PLUS + " over a connection that is not encrypted");
    }
    boolean able = channelBinding != ChannelBinding.DISABLE && dialled.endPoint() != null;
    if (plus && able) {
      return ScramBinding.to(dialled.endPoint());
    }
    if (channelBinding == ChannelBinding.REQUIRE) {
      throw refused(
          "channel binding is required, but the node did not offer an authentication method that"
              + " supports channel binding");
    }
    return able ? ScramBinding.NOT_OFFERED : ScramBinding.NONE;
  }

  private void clearText(NodeConnection connection) throws IOException {
    if (channelBinding == ChannelBinding.REQUIRE) {
      throw refused("channel binding is required, but the node asks for a clear-text password");
    }
    if (!(identity.secret() instanceof ScramSecret.Password password)) {
      throw refused("the node asks for a clear-text password, which the router does not have");
    }
    connection.writer().begin(FrontendType.PASSWORD).string(password.password()).end();
    connection.flush();
  }

  /** A node that asked for SCRAM must have shown that it knows the verifier. */
  private void requireProof() throws IOException {
    if (scram != null && !nodeProved) {
      throw refused("the node did not prove that it knows the password");
    }
    if (scram == null && channelBinding == ChannelBinding.REQUIRE) {
      throw refused(
          "channel binding is required, but the node authenticated the client without it");
    }
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
