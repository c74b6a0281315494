package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeRefusedException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.StartupCode;
import org.abelian.router.protocol.StartupMessage;
import org.abelian.router.protocol.StartupSettings;
import org.abelian.router.routing.Encodings;
import org.abelian.router.session.SessionErrors;

/**
 * The beginning of a session: cancel requests, start-up, authentication, greeting. Whether the
 * connection is encrypted was settled before.
 */
public final class Startup {
  private static final int LARGEST_STARTUP = 10_000;
  private static final int LARGEST_PASSWORD = 65_536;

  /** The session that begins. */
  public interface Host {
    /** The number that the client knows as its process id. */
    int id();

    /** The key that a cancel request must name. */
    int secret();

    /** A client asks to cancel what the session of that number does. */
    void cancel(int id, int secret);

    /**
     * Makes sure that a node accepts the client, and sets there what it asks for.
     *
     * @param asked what the client has asked for
     * @return the settings that the node reports then
     */
    Map<String, String> connect(NodeIdentity identity, StartupSettings asked) throws IOException;

    /** The client is known and may begin. */
    void opened();

    /** The dialogue is over. */
    void close();
  }

  private final Host host;
  private final ClientOutput output;
  private final Authentication authentication;
  private StartupMessage message;
  private Authentication.Exchange exchange;
  private boolean done;

  public Startup(Host host, ClientOutput output, Authentication authentication) {
    this.host = host;
    this.output = output;
    this.authentication = authentication;
  }

  /** True when the client may send queries. */
  public boolean isDone() {
    return done;
  }

  /** Looks at the next message; false when it is not all there. */
  public boolean advance(ByteQueue input) throws IOException {
    try {
      return message == null ? first(input) : password(input);
    } catch (ClientError failure) {
      refuse(failure.fields());
    } catch (NodeRefusedException refused) {
      refuse(refused.error());
    } catch (NodeLostException lost) {
      refuse(SessionErrors.connectionLost(lost));
    } catch (AbelianException error) {
      refuse(ClientError.fields(error));
    }
    return true;
  }

  private void refuse(ErrorFields error) {
    error.with(ErrorFields.SEVERITY, "FATAL").with(ErrorFields.SEVERITY_UNTRANSLATED, "FATAL");
    output.error(error);
    host.close();
  }

  private boolean first(ByteQueue input) throws IOException {
    if (input.size() < 8) {
      return false;
    }
    int length = BigEndian.int4(input.array(), input.start());
    if (length < 8 || length > LARGEST_STARTUP) {
      throw new ProtocolException("invalid length of startup packet");
    }
    if (input.size() < length) {
      return false;
    }
    int at = input.start();
    int code = BigEndian.int4(input.array(), at + 4);
    switch (code) {
      case StartupCode.CANCEL_REQUEST -> {
        if (length == 16) {
          host.cancel(
              BigEndian.int4(input.array(), at + 8), BigEndian.int4(input.array(), at + 12));
        }
        host.close();
      }
      default -> {
        if (code >>> 16 != 3) {
          throw new AbelianException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "unsupported frontend protocol "
                  + (code >>> 16)
                  + "."
                  + (code & 0xffff)
                  + ": server supports 3.0 to 3.0",
              null);
        }
        StartupMessage asked = StartupMessage.read(input.array(), at + 8, at + length);
        negotiate(code & 0xffff, asked);
        begin(asked);
      }
    }
    input.consume(length);
    return true;
  }

  /** Tells a client that asks for more than version 3.0 what it can have. */
  private void negotiate(int minor, StartupMessage startup) {
    List<String> unknown =
        startup.parameters().keySet().stream().filter(name -> name.startsWith("_pq_.")).toList();
    if (minor == 0 && unknown.isEmpty()) {
      return;
    }
    FrameWriter writer = output.writer().begin(BackendType.NEGOTIATE_PROTOCOL_VERSION);
    writer.int4(StartupCode.PROTOCOL_3_0).int4(unknown.size());
    unknown.forEach(writer::string);
    writer.end();
  }

  private void begin(StartupMessage startup) throws IOException {
    message = startup;
    if (startup.user() == null || startup.user().isEmpty()) {
      throw new ClientError(
          ErrorFields.of("FATAL", "28000", "no PostgreSQL user name specified in startup packet"));
    }
    if (startup.parameters().containsKey("replication")) {
      throw AbelianException.unsupported(
          "replication is not supported through the router", "Connect to a node.");
    }
    exchange = authentication.begin(startup, output);
    if (exchange.isDone()) {
      open();
    }
  }

  private boolean password(ByteQueue input) throws IOException {
    if (input.size() < 5) {
      return false;
    }
    int at = input.start();
    int length = BigEndian.int4(input.array(), at + 1);
    if (input.array()[at] != FrontendType.PASSWORD || length < 4 || length > LARGEST_PASSWORD) {
      throw new ProtocolException("expected password response");
    }
    if (!input.hasFrame()) {
      return false;
    }
    boolean proven = exchange.answer(input.array(), at + 5, at + 1 + length, output);
    input.consume(length + 1);
    if (proven) {
      open();
    }
    return true;
  }

  private void open() throws IOException {
    StartupSettings asked = StartupSettings.of(message);
    NodeIdentity identity = new NodeIdentity(asked.fixed(), exchange.secret());
    Encodings.requireUtf8(asked.settings().getOrDefault("client_encoding", "UTF8"));
    Map<String, String> reported = host.connect(identity, asked);
    Encodings.requireUtf8(reported.getOrDefault("client_encoding", "UTF8"));
    host.opened();
    output.writer().begin(BackendType.AUTHENTICATION).int4(0).end();
    reported.forEach(
        (name, value) -> {
          if (!name.startsWith("abelian.")) {
            output.parameterStatus(name, value);
          }
        });
    output.writer().begin(BackendType.BACKEND_KEY_DATA).int4(host.id()).int4(host.secret()).end();
    output.readyForQuery('I');
    done = true;
  }
}
