package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.SessionNumber;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;

/**
 * From which sequences the session has drawn, and over which connections: PostgreSQL remembers the
 * numbers there. A connection forgets those of other sessions before the first draw of this one; so
 * what it tells is this session's, as long as no other has had it in between.
 */
public final class SequenceDraws {
  /** More of them than this are forgotten. */
  private static final int MOST = 10_000;

  static final NodeStatement FORGET = NodeStatement.of("DISCARD SEQUENCES");
  private static final NodeStatement CURRENT =
      NodeStatement.of("SELECT pg_catalog.currval($1::pg_catalog.regclass)");
  private static final String FIND =
      "SELECT pg_catalog.concat(pg_catalog.quote_ident(n.nspname), '.',"
          + " pg_catalog.quote_ident(c.relname)), c.relname, c.relkind FROM pg_catalog.pg_class c"
          + " JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace"
          + " WHERE c.oid OPERATOR(pg_catalog.=) $1::pg_catalog.";
  private static final NodeStatement BY_NAME = NodeStatement.of(FIND + "text::pg_catalog.regclass");
  private static final NodeStatement BY_NAME_OR_NUMBER = NodeStatement.of(FIND + "regclass");
  private static final NodeStatement LAST = NodeStatement.of("SELECT pg_catalog.lastval()");

  private record Draw(Backend backend, NodeConnection connection) {}

  private final BackendSession backends;
  private final Map<String, Draw> draws = new HashMap<>();
  private Draw last;

  /** The session asks for its numbers: from then on connections that know some stay its own. */
  private boolean asked;

  SequenceDraws(BackendSession backends) {
    this.backends = backends;
  }

  /**
   * What comes next on this connection may draw from these.
   *
   * @return true when the connection must forget before what other sessions have drawn
   */
  boolean begin(Backend backend, List<String> sequences) {
    if (draws.size() >= MOST) {
      draws.clear();
    }
    last = new Draw(backend, backend.connection);
    for (String sequence : sequences) {
      draws.put(sequence, last);
    }
    backend.pinned |= asked;
    boolean foreign = areForeign(backend.connection);
    backend.connection.sequencesOf(this);
    return foreign;
  }

  /** True when another session may have drawn over it last. */
  boolean areForeign(NodeConnection connection) {
    return connection.sequencesOf() != this;
  }

  /** The same over a connection that has nothing else to answer. */
  public void beginNow(Backend backend, List<String> sequences) throws NodeLostException {
    if (!sequences.isEmpty() && begin(backend, sequences)) {
      check(backend, NodeCall.prepared(backend.connection, FORGET, !backend.touched));
    }
  }

  /** DISCARD SEQUENCES. */
  public void forget() {
    draws.clear();
    last = null;
  }

  /**
   * The same of a sequence that a node is to find. Nothing else may wait to be answered.
   *
   * @param name as nextval() would take it
   * @param isText whether it is a name, even where it has digits alone
   * @param home a node that is connected, and sees what the session sees
   * @throws ClientError as PostgreSQL refuses it
   */
  public byte[] number(String name, boolean isText, Backend home) throws IOException {
    NodeStatement find = isText ? BY_NAME : BY_NAME_OR_NUMBER;
    QueryResult found = NodeCall.prepared(home.connection, find, !home.touched, name);
    check(home, found);
    if (found.rows().isEmpty()) {
      throw ClientError.of("42P01", "sequence " + name + " does not exist");
    }
    byte[][] row = found.rows().get(0);
    if (!text(row[2]).equals("S")) {
      throw ClientError.of("42809", "\"" + text(row[1]) + "\" is not a sequence");
    }
    return number(new SessionNumber(text(row[0]), text(row[1]), 0));
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }

  /**
   * A number that the session has drawn. Nothing else may wait to be answered.
   *
   * @throws ClientError as PostgreSQL refuses it
   */
  public byte[] number(SessionNumber wanted) throws IOException {
    asked = true;
    Draw draw = wanted.sequence() == null ? last : drawn(wanted.sequence());
    if (draw == null) {
      throw undefined(wanted);
    }
    Backend backend = draw.backend();
    if (!backend.begun) {
      backends.connect(backend); // It may be there, and have missed a change of the placement.
    }
    if (backend.connection != draw.connection() || backend.connection.sequencesOf() != this) {
      throw lost(wanted);
    }
    backend.pinned = true;
    boolean alone = !backend.touched;
    QueryResult result =
        wanted.sequence() == null
            ? NodeCall.prepared(backend.connection, LAST, alone)
            : NodeCall.prepared(backend.connection, CURRENT, alone, wanted.sequence());
    check(backend, result);
    return result.rows().get(0)[0];
  }

  /** One whose name only running the statement has told may be that of another draw. */
  private Draw drawn(String sequence) {
    Draw draw = draws.get(sequence);
    return draw == null ? draws.get("") : draw;
  }

  private static void check(Backend backend, QueryResult result) {
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
  }

  private static ClientError undefined(SessionNumber wanted) {
    String what =
        wanted.sequence() == null ? "lastval" : "currval of sequence \"" + wanted.name() + "\"";
    return ClientError.of("55000", what + " is not yet defined in this session");
  }

  private static AbelianException lost(SessionNumber wanted) {
    String what = wanted.sequence() == null ? "the session" : "sequence \"" + wanted.name() + "\"";
    return new AbelianException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "the last number that was drawn for " + what + " is not known any more",
        "The connection that knew it served another session since. From now on this session keeps"
            + " such connections; INSERT ... RETURNING tells the number at once.");
  }
}
