package org.abelian.router.session;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;

/**
 * When the transaction has begun, which {@code now()} gives on all of its nodes alike. Each node
 * has a timestamp of its own. Only when a statement that may ask for it comes to a second node are
 * the others told the first one's; where several begin with such a statement, all are told the
 * router's (docs/design/transaction-clock.md).
 */
public final class TransactionClock {
  /** PostgreSQL counts from here. */
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  private static final NodeStatement TELL =
      NodeStatement.of("SELECT abelian.set_transaction_timestamp($1,$2,$3)");

  static final NodeStatement ASK =
      NodeStatement.of(
          "SELECT pg_catalog.concat_ws(',',%s,%s)"
              .formatted(micros("transaction_timestamp"), micros("statement_timestamp")));

  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final InstantSource time;
  private final String router;

  /**
   * No transaction is open.
   *
   * @param time what the router gives when several nodes begin at once
   */
  public TransactionClock(
      TransactionState state,
      BackendSession backends,
      ReplyQueue replies,
      InstantSource time,
      UUID router) {
    this.state = state;
    this.backends = backends;
    this.replies = replies;
    this.time = time;
    this.router = router.toString();
  }

  /** A statement that may ask for the time is about to go to this node alone. */
  void share(Backend backend) {
    if (state.isOpen() && asks(backend)) {
      share();
    }
    tell(backend);
  }

  /**
   * True when another node has to be asked first, if this is a transaction.
   *
   * @param only the node that a statement goes to; null for several
   */
  boolean asks(Backend only) {
    Backend source = source();
    boolean known = state.timestamp().text() != null;
    return !known && source != null && source != only;
  }

  /** A statement that may ask for the time is about to go to several nodes. */
  void share() {
    if (state.timestamp().text() == null) {
      replies.apart(this::find);
    }
  }

  private void find() throws IOException {
    Backend source = source();
    if (source == null) {
      Duration since = Duration.between(EPOCH, time.instant());
      state.timestamp().is(Long.toString(TimeUnit.NANOSECONDS.toMicros(since.toNanos())));
      return;
    }
    List<String> moments = moments(backends, replies, source);
    if (moments != null) {
      state.timestamp().is(moments.get(0));
      state.timestamp().toldTo(source);
    }
  }

  /** The node whose timestamp is the transaction's; null when none has begun. */
  private Backend source() {
    Backend first = state.timestamp().first();
    if (first != null) {
      return state.lacksSnapshot() ? null : first;
    }
    List<Backend> unfinished = backends.unfinished();
    return unfinished.isEmpty() ? null : unfinished.get(0);
  }

  /** Tells a node that takes part, unless it knows, or nobody has needed it. */
  void tell(Backend backend) {
    SharedTimestamp shared = state.timestamp();
    String timestamp = shared.text();
    if (timestamp == null || state.lacksSnapshot() || shared.isKnownBy(backend)) {
      return;
    }
    NodeConnection connection = backend.connection;
    String seal = connection.seal("set_transaction_timestamp", timestamp);
    if (seal != null) { // Nodes without seals do not know the function either.
      backends.touch(backend);
      byte[] name = backends.prepare(backend, TELL, true, replies);
      NodeCall.send(connection, name, router, timestamp, seal);
      // What comes behind it may run for long, and the answers of other nodes are read after this.
      connection.writer().empty(FrontendType.FLUSH);
      replies.add(NodeReply.swallow(connection));
      replies.add(NodeReply.swallow(connection));
    }
    shared.toldTo(backend);
  }

  /**
   * Asks a node when the client's transaction and statement have begun, in microseconds of
   * PostgreSQL's clock.
   *
   * @return null when a node has failed, and the client was told
   */
  public static List<String> moments(BackendSession backends, ReplyQueue replies, Backend node)
      throws IOException {
    backends.requestAnswers();
    replies.runAll();
    if (replies.failed()) {
      return null;
    }
    QueryResult result = NodeCall.prepared(node.connection, ASK, !node.touched);
    if (!result.succeeded()) {
      node.skips = node.touched;
      throw new ClientError(result.errorFields());
    }
    return List.of(result.value().split(","));
  }

  private static String micros(String function) {
    return ("((EXTRACT(EPOCH FROM pg_catalog.%s()) OPERATOR(pg_catalog.-) 946684800)"
            + " OPERATOR(pg_catalog.*) 1000000)::pg_catalog.int8")
        .formatted(function);
  }
}
