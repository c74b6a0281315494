package org.abelian.router.backend;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
import org.abelian.router.pool.SealKey;

/**
 * This router's keys at the nodes. A node gives it one for each of its runs, over a connection in
 * the router's own name. Safe for several threads.
 */
public final class SealKeys {
  /** Nodes that have not been updated to 0.6.0 know no keys; who is no router gets none. */
  private static final List<String> WITHOUT = List.of("42883", "42501");

  /** How long nodes are left alone that give none. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int ANSWER_MILLIS = 5_000;

  private final Function<NodeAddress, NodePool> control;
  private final String question;
  private final Map<NodeAddress, SealKey> known = new ConcurrentHashMap<>();
  private final Map<NodeAddress, Long> without = new ConcurrentHashMap<>();

  /**
   * None is known yet.
   *
   * @param control connections to a node in the router's own name
   */
  public SealKeys(Function<NodeAddress, NodePool> control, UUID router) {
    this.control = control;
    question = "SELECT pg_catalog.encode(abelian.router_key('" + router + "'), 'hex')";
  }

  /**
   * Gives a connection the key, unless it has it or the node asks for no seals.
   *
   * @throws IOException when the node cannot be asked
   */
  public void provide(NodeConnection connection) throws IOException {
    if (connection.lacksSealKey()) {
      SealKey key = known.get(connection.address());
      boolean fits = key != null && key.fits(connection.name());
      connection.sealKey(fits ? key : find(connection.address(), connection.name()));
    }
  }

  private SealKey find(NodeAddress node, String connection) throws IOException {
    Long since = without.get(node);
    if (since != null && System.nanoTime() - since < PAUSE_NANOS) {
      return null;
    }
    NodePool pool = control.apply(node);
    SealKey key;
    try {
      key = ask(pool);
    } catch (NodeLostException lost) {
      key = ask(pool); // The node was restarted, and has left the connection behind.
    }
    if (key == null) {
      without.put(node, System.nanoTime());
      return null;
    }
    known.put(node, key);
    without.remove(node);
    return key.fits(connection) ? key : null;
  }

  /** What a session calls itself, so that the node believes it. */
  public static String sealed(NodeConnection connection, String label) {
    String seal = connection.sealWord("session", label);
    return seal == null ? label : label + ":" + seal;
  }

  private SealKey ask(NodePool pool) throws IOException {
    NodeConnection control = pool.borrow(this, null);
    try {
      QueryResult answer = NodeCall.simple(control, question, ANSWER_MILLIS);
      if (answer.succeeded()) {
        return new SealKey(control.name(), HexFormat.of().parseHex(answer.value()));
      }
      if (WITHOUT.contains(answer.errorFields().sqlState())) {
        return null;
      }
      throw new IOException(answer.errorFields().message());
    } finally {
      pool.giveBackToAnyone(control);
    }
  }
}
