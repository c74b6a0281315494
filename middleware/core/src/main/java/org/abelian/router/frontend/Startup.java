package org.abelian.router.frontend;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeRefusedException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.StartupCode;
import org.abelian.router.protocol.StartupMessage;

/**
 * The beginning of a session: requests for encryption, cancel requests, start-up, authentication,
 * greeting.
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
     * Makes sure that a node accepts the client.
     *
     * @return the settings that it reports
     */
    Map<String, String> connect(NodeIdentity identity) throws IOException;

    /** The client is known and may begin. */
    void opened(NodeIdentity identity);

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
      case StartupCode.SSL_REQUEST, StartupCode.GSS_ENCRYPTION_REQUEST -> output.writer().int1('N');
      case StartupCode.CANCEL_REQUEST -> {
        if (length == 16) {
          host.cancel(
              BigEndian.int4(input.array(), at + 8), BigEndian.int4(input.array(), at + 12));
        }
        host.close();
      }
      default -> {
        if (code >>> 16 != 3) {
          throw new ProtocolException(
              "unsupported frontend protocol " + (code >>> 16) + "." + (code & 0xffff));
        }
        begin(StartupMessage.read(input.array(), at + 8, at + length));
      }
    }
    input.consume(length);
    return true;
  }

  private void begin(StartupMessage startup) {
    message = startup;
    if (startup.user() == null) {
      throw new ClientError(
          ErrorFields.of("FATAL", "28000", "no PostgreSQL user name specified in startup packet"));
    }
    if (startup.parameters().containsKey("replication")) {
      throw AbelianException.unsupported(
          "replication is not supported through the router", "Connect to a node.");
    }
    exchange = authentication.begin(startup, output);
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
    Map<String, String> parameters = new LinkedHashMap<>(message.parameters());
    parameters.keySet().removeIf(name -> name.startsWith("_pq_."));
    parameters.put("database", message.database());
    NodeIdentity identity = new NodeIdentity(parameters, exchange.secret());
    Map<String, String> reported = host.connect(identity);
    SessionCommands.requireUtf8(reported.getOrDefault("client_encoding", "UTF8"));
    host.opened(identity);
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
