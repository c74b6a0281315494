package org.abelian.router.session;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
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
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.StartupCode;
import org.abelian.router.protocol.StartupMessage;

/**
 * The beginning of a session: requests for encryption, cancel requests, start-up, authentication,
 * greeting.
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
      case StartupCode.SSL_REQUEST, StartupCode.GSS_ENCRYPTION_REQUEST ->
          session.output().writer().int1('N');
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
    exchange = authentication.begin(startup, session.output());
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
    Map<String, String> parameters = new LinkedHashMap<>(message.parameters());
    parameters.keySet().removeIf(name -> name.startsWith("_pq_."));
    parameters.put("database", message.database());
    NodeIdentity identity = new NodeIdentity(parameters, exchange.secret());
    Map<String, String> reported = connectSomewhere(identity);
    UtilityExecution.requireUtf8(reported.getOrDefault("client_encoding", "UTF8"));
    session.opened(identity);
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
  private Map<String, String> connectSomewhere(NodeIdentity identity) throws IOException {
    NodeLostException last = null;
    for (Node node : session.router().seeds()) {
      NodePool pool =
          session.router().pools().pool(new NodeAddress(node.host(), node.port()), identity);
      try {
        NodeConnection connection = pool.borrow(session, null);
        pool.giveBackToAnyone(connection);
        return connection.parameters();
      } catch (NodeLostException e) {
        last = e;
      }
    }
    throw new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "no node of the cluster can be reached" + (last == null ? "" : ": " + last.getMessage()),
        "Check that the nodes run, and the addresses that the router was given.");
  }
}
