package org.abelian.router.backend;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.ObjectNumbers;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;

/**
 * Finds the first node's numbers by the objects' names, over connections in the router's own name.
 * What only the client's transaction sees yet keeps the number of its node. Safe for several
 * threads.
 */
public final class FirstNodeNumbers implements ObjectNumbers {
  private static final int ANSWER_MILLIS = 5_000;

  /** Beyond that, those that were found are forgotten. */
  private static final int KEPT_MAX = 100_000;

  private static final String NAMES =
      "SELECT pg_catalog.format('n.nspname = %%L AND o.%2$s = %%L', n.nspname, o.%2$s)"
          + " FROM pg_catalog.%1$s o JOIN pg_catalog.pg_namespace n ON n.oid = o.%3$s"
          + " WHERE o.oid = %4$s";
  private static final String NUMBERS =
      "SELECT o.oid FROM pg_catalog.%1$s o JOIN pg_catalog.pg_namespace n ON n.oid = o.%3$s"
          + " WHERE %4$s";

  /** What has numbers of its own. */
  private enum Kind {
    TYPE("pg_type", "typname", "typnamespace"),
    TABLE("pg_class", "relname", "relnamespace");

    private final String catalog;
    private final String name;
    private final String schema;

    Kind(String catalog, String name, String schema) {
      this.catalog = catalog;
      this.name = name;
      this.schema = schema;
    }

    private String query(String form, String last) {
      return form.formatted(catalog, name, schema, last);
    }
  }

  private record Key(NodeAddress from, NodeAddress to, Kind kind, int number) {}

  private final Supplier<Node> first;
  private final Function<NodeAddress, NodePool> control;
  private final Map<Key, Integer> found = new ConcurrentHashMap<>();

  /**
   * None is known yet.
   *
   * @param first the first node
   * @param control connections to a node in the router's own name
   */
  public FirstNodeNumbers(Supplier<Node> first, Function<NodeAddress, NodePool> control) {
    this.first = first;
    this.control = control;
  }

  private NodeAddress first() {
    Node node = first.get();
    return new NodeAddress(node.host(), node.port());
  }

  @Override
  public boolean areClients(NodeAddress node) {
    return node.equals(first());
  }

  @Override
  public int type(NodeAddress node, int number) {
    return find(new Key(node, first(), Kind.TYPE, number), number);
  }

  @Override
  public int typeThere(NodeAddress node, int number) {
    return find(new Key(first(), node, Kind.TYPE, number), 0);
  }

  @Override
  public int table(NodeAddress node, int number) {
    return find(new Key(node, first(), Kind.TABLE, number), number);
  }

  private int find(Key key, int otherwise) {
    Integer known = found.get(key);
    if (known != null) {
      return known;
    }
    try {
      String number = Integer.toUnsignedString(key.number());
      String name = ask(key.from(), key.kind().query(NAMES, number));
      String there = name == null ? null : ask(key.to(), key.kind().query(NUMBERS, name));
      if (there == null) {
        return otherwise;
      }
      if (found.size() >= KEPT_MAX) {
        found.clear();
      }
      int result = Integer.parseUnsignedInt(there);
      found.put(key, result);
      return result;
    } catch (IOException | AbelianException unreachable) {
      return otherwise; // The rows are right all the same.
    }
  }

  /** The value of the only row; null when there is none. */
  private String ask(NodeAddress node, String query) throws IOException {
    NodePool pool = control.apply(node);
    NodeConnection connection = pool.borrow(this, null);
    try {
      QueryResult answer = NodeCall.simple(connection, query, ANSWER_MILLIS);
      return answer.succeeded() ? answer.value() : null;
    } finally {
      pool.giveBackToAnyone(connection);
    }
  }
}
