package org.abelian.router.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;

/**
 * A connection by which a reader enters the commit gate of one node, and leaves it. Between {@link
 * #ask} and {@link #isIn}, and between {@link #letGo} and {@link #left}, others can be asked.
 */
final class GateEntry {
  private static final String LET_GO = "COMMIT";
  private static final String UNDEFINED_FUNCTION = "42883";

  /** The node answers within half a second, if it is there. */
  private static final int ANSWER_MILLIS = 10_000;

  final int node;
  private final Object reader;
  private final NodePool pool;
  private NodeConnection connection;
  private String gate;
  private String question;
  private boolean repeated;
  private boolean begun;
  private boolean unanswered;
  private String visible;

  /** Takes a connection. */
  GateEntry(int node, Object reader, NodePool pool) throws IOException {
    this.node = node;
    this.reader = reader;
    this.pool = pool;
    borrow();
  }

  private void borrow() throws IOException {
    connection = pool.borrow(reader, null);
    connection.timeout(ANSWER_MILLIS);
  }

  /**
   * Asks to be let in, at the latest after so long.
   *
   * @param behind what to ask behind the gate, as a statement
   * @param alone whether no other reader may be behind the gate
   */
  void ask(int waitMillis, String behind, boolean alone) throws IOException {
    gate = "BEGIN;SELECT abelian.snapshot_gate(" + waitMillis + (alone ? ",true)" : ")");
    question = behind;
    try {
      send();
    } catch (NodeLostException stale) {
      repeat();
    }
  }

  private void send() throws NodeLostException {
    NodeCall.sendSimple(connection, gate + ";" + question);
    begun = true;
    unanswered = true;
  }

  /**
   * It broke while it was idle, and nothing was held on it: another takes its place, once.
   *
   * @throws IOException when that does not help either
   */
  private void repeat() throws IOException {
    if (repeated) {
      throw new NodeLostException(pool.address(), new IOException("it broke again"));
    }
    repeated = true;
    pool.drop(connection);
    connection = null;
    borrow();
    send();
  }

  /**
   * Whether it was let in.
   *
   * @throws RuntimeException the node's error
   */
  boolean isIn() throws IOException {
    QueryResult result;
    try {
      result = answer();
    } catch (NodeLostException stale) {
      repeat();
      result = answer();
    }
    if (!result.succeeded()) {
      throw new ClientError(result.errorFields());
    }
    boolean in = "t".equals(result.value());
    if (in && result.rows().size() > 1 && result.rows().get(1)[0] != null) {
      visible = new String(result.rows().get(1)[0], StandardCharsets.UTF_8);
    }
    return in;
  }

  private QueryResult answer() throws NodeLostException {
    QueryResult result = NodeCall.await(connection, true);
    unanswered = false;
    boolean older =
        !result.succeeded() && UNDEFINED_FUNCTION.equals(result.errorFields().sqlState());
    if (!older) {
      return result;
    }
    // The node's extension has not been updated yet, so that nothing commits as commuting.
    NodeCall.simple(connection, "ROLLBACK");
    return NodeCall.simple(connection, gate);
  }

  /** What it saw behind the gate; null for nothing. */
  String visible() {
    return visible;
  }

  /** The greatest timestamp of the node's lane behind the gate. */
  long laneClock() {
    return connection == null ? 0 : connection.laneClock();
  }

  /**
   * Leaves the gate, if it has asked to be let in.
   *
   * @param before statements to run before that
   */
  void letGo(String before) {
    if (!isUsable()) {
      return;
    }
    try {
      if (unanswered) {
        unanswered = false;
        NodeCall.await(connection, true);
      }
      NodeCall.sendSimple(connection, before + LET_GO);
    } catch (IOException e) {
      connection.close();
    }
  }

  /**
   * Waits until it has left.
   *
   * @return whether it was behind the gate until then: its connection is still there
   */
  boolean left() {
    boolean held = false;
    if (isUsable()) {
      try {
        held = LET_GO.equals(NodeCall.await(connection, true).tag());
      } catch (IOException e) {
        connection.close();
      }
    }
    begun = false;
    visible = null;
    return held;
  }

  private boolean isUsable() {
    return begun && connection != null && !connection.isLost();
  }

  /** Gives the connection back. */
  void close() {
    if (connection != null) {
      connection.timeout(0);
      pool.giveBackToAnyone(connection);
      connection = null;
    }
  }
}
