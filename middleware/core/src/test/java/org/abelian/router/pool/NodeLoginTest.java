package org.abelian.router.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.Scram;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.tls.NodeTls;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever pretends to be a node learns nothing and is not believed. */
@Timeout(60) // a hang is a failure, not a wait
class NodeLoginTest {
  private static final String PASSWORD = "do not tell";
  private static final int CLEAR_TEXT = 3;
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;

  /** Says what it is told to, in turns with the router, and keeps what that has said. */
  private static final class Impostor implements AutoCloseable {
    private final ServerSocket listener;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

    Impostor(byte[]... turns) throws IOException {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread thread = new Thread(() -> accept(turns), "impostor");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept(byte[][] turns) {
      while (!listener.isClosed()) {
        try (Socket router = listener.accept()) {
          router.setTcpNoDelay(true);
          DataInputStream in = new DataInputStream(router.getInputStream());
          for (byte[] turn : turns) {
            byte[] buffer = new byte[4096];
            int count = in.read(buffer);
            synchronized (heard) {
              heard.write(buffer, 0, Math.max(0, count));
            }
            router.getOutputStream().write(turn);
          }
          in.readAllBytes();
        } catch (IOException e) {
          // The test is over, or the router has seen enough.
        }
      }
    }

    NodeAddress address() {
      return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    String heard() {
      synchronized (heard) {
        return heard.toString(StandardCharsets.ISO_8859_1);
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  private static byte[] messages(Consumer<FrameWriter> content) {
    ByteQueue queue = new ByteQueue(64);
    content.accept(new FrameWriter(queue));
    return queue.toByteArray();
  }

  private static byte[] authentication(int kind, String... texts) {
    return messages(
        writer -> {
          writer.begin(BackendType.AUTHENTICATION).int4(kind);
          for (String text : texts) {
            writer.string(text);
          }
          if (kind == SASL) {
            writer.int1(0);
          }
          writer.end();
        });
  }

  private static byte[] welcome() {
    return messages(
        writer -> {
          writer.begin(BackendType.AUTHENTICATION).int4(0).end();
          writer.begin(BackendType.BACKEND_KEY_DATA).int4(1).int4(2).end();
          writer.begin(BackendType.READY_FOR_QUERY).int1('I').end();
        });
  }

  private static NodeConnection open(Impostor impostor, String... options) throws IOException {
    NodeTlsSettings.Builder settings = new NodeTlsSettings.Builder(Dialect.LIBPQ);
    settings.set("sslmode", "disable");
    for (int i = 0; i < options.length; i += 2) {
      settings.set(options[i], options[i + 1]);
    }
    NodeIdentity identity =
        new NodeIdentity(Map.of("user", "test"), new ScramSecret.Password(PASSWORD));
    try (NodeTls tls = new NodeTls(settings.build())) {
      IoContext io = IoContext.of(MemoryBudget.unlimited(), tls);
      return NodeConnector.open(impostor.address(), identity, io);
    }
  }

  private static String refusal(Impostor impostor, String... options) {
    return assertThrows(IOException.class, () -> open(impostor, options)).getMessage();
  }

  @Test
  void aNodeThatAsksForNothingIsBelievedUnlessChannelBindingIsRequired() throws IOException {
    try (Impostor impostor = new Impostor(welcome())) {
      open(impostor).close();
      String refusal = refusal(impostor, "channel_binding", "require");
      assertTrue(refusal.contains("authenticated the client without it"), refusal);
    }
  }

  @Test
  void aPasswordIsNotToldWhereChannelBindingIsRequired() throws IOException {
    try (Impostor impostor = new Impostor(authentication(CLEAR_TEXT), welcome())) {
      String refusal = refusal(impostor, "channel_binding", "require");
      assertTrue(refusal.contains("asks for a clear-text password"), refusal);
      assertFalse(impostor.heard().contains(PASSWORD));
    }
  }

  @Test
  void aNodeThatSkipsItsOwnProofIsNotBelieved() throws IOException {
    byte[] question = authentication(SASL, Scram.MECHANISM);
    try (Impostor impostor = new Impostor(question, welcome())) {
      assertTrue(refusal(impostor).contains("did not prove"), refusal(impostor));
    }
  }

  @Test
  void scramThatNobodyAskedForIsRefused() throws IOException {
    byte[] first = authentication(SASL_CONTINUE, "r=x,s=AAAA,i=1");
    try (Impostor impostor = new Impostor(first)) {
      assertTrue(refusal(impostor).contains("not asked for"), refusal(impostor));
    }
  }

  @Test
  void channelBindingOverAPlainConnectionIsALie() throws IOException {
    byte[] question = authentication(SASL, Scram.MECHANISM_PLUS, Scram.MECHANISM);
    try (Impostor impostor = new Impostor(question)) {
      assertTrue(refusal(impostor).contains("is not encrypted"), refusal(impostor));
    }
  }

  @Test
  void withoutTlsThereIsNoChannelBinding() throws IOException {
    byte[] question = authentication(SASL, Scram.MECHANISM);
    try (Impostor impostor = new Impostor(question)) {
      String refusal = refusal(impostor, "channel_binding", "require");
      assertTrue(refusal.contains("did not offer an authentication method"), refusal);
    }
  }

  @Test
  void anAnswerInTheClearDoesNotPassForAnEncryptedOne() throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write('S');
    both.writeBytes(welcome());
    try (Impostor impostor = new Impostor(both.toByteArray())) {
      String refusal = refusal(impostor, "sslmode", "require");
      assertTrue(refusal.endsWith("received unencrypted data after SSL response"), refusal);
    }
  }

  /** The text of an error that anybody could have sent is not passed on (CVE-2024-10977). */
  @ParameterizedTest
  @ValueSource(strings = {"prefer", "require"})
  void anErrorInPlaceOfAnAnswerIsNotRepeated(String mode) throws IOException {
    byte[] error =
        messages(
            writer ->
                writer
                    .begin(BackendType.ERROR_RESPONSE)
                    .int1('M')
                    .string("send your password to evil.example.org")
                    .int1(0)
                    .end());
    try (Impostor impostor = new Impostor(error)) {
      String refusal = refusal(impostor, "sslmode", mode);
      assertTrue(refusal.endsWith("error response during SSL exchange"), refusal);
    }
  }

  @Test
  void aNodeWithoutTlsIsNoNodeWhereItIsRequired() throws IOException {
    try (Impostor impostor = new Impostor(new byte[] {'N'}, welcome())) {
      String refusal = refusal(impostor, "sslmode", "require");
      assertTrue(refusal.contains("does not support SSL, but SSL was required"), refusal);
      assertFalse(impostor.heard().contains("user"));
      open(impostor, "sslmode", "prefer").close();
    }
  }

  @Test
  void theFirstBytesOfADirectHandshakeAreTlsAlready() throws IOException {
    // As much as a TLS record begins with, since the router waits for less until its login is late.
    try (Impostor impostor = new Impostor("no TLS".getBytes(StandardCharsets.US_ASCII))) {
      refusal(impostor, "sslmode", "require", "sslnegotiation", "direct");
      assertEquals(0x16, impostor.heard().charAt(0));
    }
  }
}
