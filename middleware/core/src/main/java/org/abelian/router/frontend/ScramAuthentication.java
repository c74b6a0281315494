package org.abelian.router.frontend;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ChannelBindingException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.Scram;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.ScramServer;
import org.abelian.router.protocol.ScramVerifier;
import org.abelian.router.protocol.StartupMessage;

/**
 * SCRAM-SHA-256 with the verifier that the nodes have for the role. What the client's proof
 * reveals, its ClientKey, is what the router proves itself with at the nodes; so every node must
 * have the same verifier for the role.
 */
public final class ScramAuthentication implements Authentication {
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;
  private static final int SASL_FINAL = 12;
  private static final int ITERATIONS = 4096;
  private static final int SALT_LENGTH = 16;

  /** Where verifiers come from. */
  @FunctionalInterface
  public interface Verifiers {
    /** The role's verifier; empty when there is no such role or it has no password. */
    Optional<ScramVerifier> find(String user);
  }

  private final Verifiers verifiers;
  private final byte[] mockKey;

  /**
   * @param mockKey secret of the router, from which the salts of unknown roles are made, so that
   *     one cannot tell them from known ones
   */
  public ScramAuthentication(Verifiers verifiers, byte[] mockKey) {
    this.verifiers = verifiers;
    this.mockKey = mockKey.clone();
  }

  @Override
  public Exchange begin(StartupMessage startup, ClientOutput output) {
    return begin(startup, output, null);
  }

  /**
   * Asks for the proof, and offers channel binding.
   *
   * @param endPoint of the TLS connection (tls-server-end-point); null without channel binding
   */
  public Exchange begin(StartupMessage startup, ClientOutput output, byte[] endPoint) {
    String user = String.valueOf(startup.user());
    Optional<ScramVerifier> verifier = verifiers.find(user);
    ScramServer server =
        new ScramServer(
            verifier.orElseGet(() -> mock(user)), verifier.isPresent(), Scram.nonce(), endPoint);
    FrameWriter writer = output.writer().begin(BackendType.AUTHENTICATION).int4(SASL);
    server.mechanisms().forEach(writer::string);
    writer.int1(0).end();
    return new ScramExchange(user, server);
  }

  private ScramVerifier mock(String user) {
    byte[] salt =
        Arrays.copyOf(Scram.hmac(mockKey, user.getBytes(StandardCharsets.UTF_8)), SALT_LENGTH);
    return new ScramVerifier(
        ITERATIONS, salt, new byte[Scram.KEY_LENGTH], new byte[Scram.KEY_LENGTH]);
  }

  private static final class ScramExchange implements Exchange {
    private final String user;
    private final ScramServer server;
    private boolean challenged;

    ScramExchange(String user, ScramServer server) {
      this.user = user;
      this.server = server;
    }

    @Override
    public boolean answer(byte[] array, int from, int to, ClientOutput output)
        throws ProtocolException {
      try {
        if (!challenged) {
          challenged = true;
          challenge(array, from, to, output);
          return false;
        }
        finish(array, from, to, output);
        return true;
      } catch (ChannelBindingException e) {
        throw new AbelianException(
            SqlState.INVALID_AUTHORIZATION_SPECIFICATION, e.getMessage(), e.detail(), null, null);
      }
    }

    private void finish(byte[] array, int from, int to, ClientOutput output)
        throws ProtocolException, ChannelBindingException {
      if (!server.accept(new String(array, from, to - from, StandardCharsets.UTF_8))) {
        throw new ClientError(
            ErrorFields.of(
                "FATAL", "28P01", "password authentication failed for user \"" + user + "\""));
      }
      output
          .writer()
          .begin(BackendType.AUTHENTICATION)
          .int4(SASL_FINAL)
          .bytes(server.last().getBytes(StandardCharsets.UTF_8))
          .end();
    }

    private void challenge(byte[] array, int from, int to, ClientOutput output)
        throws ProtocolException, ChannelBindingException {
      int nameEnd = CString.end(array, from, to);
      if (to - nameEnd < 5) {
        throw new ProtocolException("malformed SASL message");
      }
      int length = BigEndian.int4(array, nameEnd + 1);
      if (length < 0 || length != to - nameEnd - 5) {
        throw new ProtocolException("malformed SASL message");
      }
      String first =
          server.first(
              CString.read(array, from, nameEnd),
              new String(array, nameEnd + 5, length, StandardCharsets.UTF_8));
      output
          .writer()
          .begin(BackendType.AUTHENTICATION)
          .int4(SASL_CONTINUE)
          .bytes(first.getBytes(StandardCharsets.UTF_8))
          .end();
    }

    @Override
    public ScramSecret secret() {
      return server.secret();
    }
  }
}
