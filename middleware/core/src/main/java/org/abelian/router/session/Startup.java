package org.abelian.router.session;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
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

/**
 * The beginning of a session: cancel requests, start-up, authentication, greeting. Whether the
 * connection is encrypted was settled before.
 */
final class Startup {
  private static final int LARGEST_STARTUP = 10_000;
  private static final int LARGEST_PASSWORD = 65_536;

  private final Session session;
  private final Authentication authentication;
  private StartupMessage message;
  private Authentication.Exchange exchange;
  private boolean done;

  Startup(Session session, Authentication authentication) {
    this.session = session;
    this.authentication = authentication;
  }

  /** True when the client may send queries. */
  boolean isDone() {
    return done;
  }

  /** Looks at the next message; false when it is not all there. */
  boolean advance(ByteQueue input) throws IOException {
    try {
      return message == null ? first(input) : password(input);
    } catch (Failure failure) {
      refuse(failure.fields());
    } catch (NodeRefusedException refused) {
      refuse(refused.error());
    } catch (NodeLostException lost) {
      refuse(SessionErrors.connectionLost(lost));
    } catch (AbelianException error) {
      refuse(Failure.fields(error));
    }
    return true;
  }

  private void refuse(ErrorFields error) {
    error.with(ErrorFields.SEVERITY, "FATAL").with(ErrorFields.SEVERITY_UNTRANSLATED, "FATAL");
    session.output().error(error);
    session.close();
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
          session
              .router()
              .sessions()
              .cancel(
                  BigEndian.int4(input.array(), at + 8), BigEndian.int4(input.array(), at + 12));
        }
        session.close();
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
    FrameWriter writer = session.output().writer().begin(BackendType.NEGOTIATE_PROTOCOL_VERSION);
    writer.int4(StartupCode.PROTOCOL_3_0).int4(unknown.size());
    unknown.forEach(writer::string);
    writer.end();
  }

  private void begin(StartupMessage startup) throws IOException {
    message = startup;
    if (startup.user() == null || startup.user().isEmpty()) {
      throw new Failure(
          ErrorFields.of("FATAL", "28000", "no PostgreSQL user name specified in startup packet"));
    }
    if (startup.parameters().containsKey("replication")) {
      throw AbelianException.unsupported(
          "replication is not supported through the router", "Connect to a node.");
    }
    exchange = authentication.begin(startup, session.output());
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
    boolean proven = exchange.answer(input.array(), at + 5, at + 1 + length, session.output());
    input.consume(length + 1);
    if (proven) {
      open();
    }
    return true;
  }

  private void open() throws IOException {
    StartupSettings asked = StartupSettings.of(message);
    NodeIdentity identity = new NodeIdentity(asked.fixed(), exchange.secret());
    UtilityExecution.requireUtf8(asked.settings().getOrDefault("client_encoding", "UTF8"));
    NodePool known = anyNode(identity);
    session.opened(identity, asked);
    Map<String, String> reported = greeting(known);
    UtilityExecution.requireUtf8(reported.getOrDefault("client_encoding", "UTF8"));
    session.router().opened(session);
    session.output().writer().begin(BackendType.AUTHENTICATION).int4(0).end();
    reported.forEach(
        (name, value) -> {
          if (!name.startsWith("abelian.")) {
            session.output().parameterStatus(name, value);
          }
        });
    session
        .output()
        .writer()
        .begin(BackendType.BACKEND_KEY_DATA)
        .int4(session.id())
        .int4(session.secret())
        .end();
    session.output().readyForQuery('I');
    done = true;
  }

  /** A node must accept the client before the router does anything for it. */
  private NodePool anyNode(NodeIdentity identity) throws IOException {
    NodeLostException last = null;
    for (Node node : session.router().seeds()) {
      NodePool pool =
          session.router().pools().pool(new NodeAddress(node.host(), node.port()), identity);
      try {
        pool.giveBackToAnyone(pool.borrow(session, null));
        return pool;
      } catch (NodeLostException e) {
        last = e;
      }
    }
    throw new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "no node of the cluster can be reached" + (last == null ? "" : ": " + last.getMessage()),
        "Check that the nodes run, and the addresses that the router was given.");
  }

  /** What a node reports once it has the settings that the client asks for. */
  private Map<String, String> greeting(NodePool pool) throws IOException {
    SessionSettings settings = session.settings();
    String asked = String.join("\n;", settings.asked().statements());
    // Ends, since each connection whose role or database has got other defaults leaves the pool.
    while (true) {
      NodeConnection connection = pool.borrow(session, null);
      boolean fit = false;
      try {
        connection.settingsMark(SettingsSnapshot.UNKNOWN);
        session.router().sealKeys().provide(connection);
        String taken = settings.snapshot().takeOver(0, label -> SealKeys.sealed(connection, label));
        QueryResult result = NodeCall.simple(connection, taken + asked);
        fit = !"f".equals(result.value());
        if (!result.succeeded()) {
          throw new Failure(result.errorFields());
        }
        if (fit) {
          settings.adopt(ReportedSettings.of(connection.settings()));
          return new LinkedHashMap<>(connection.parameters());
        }
      } finally {
        if (fit) {
          pool.giveBackToAnyone(connection);
        } else {
          pool.drop(connection);
        }
      }
    }
  }
}
