package org.abelian.router.pool;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ObjectNumber;
import org.abelian.router.protocol.Utf8;

/**
 * A text with parameter types, as Parse carries them. Identity is what counts: a connection
 * remembers which of these it has prepared. Immutable, shared by sessions.
 */
public final class NodeStatement {
  private static final int[] NO_TYPES = {};

  /** By this a node knows them. */
  private static final String ROWS_FOR_NODES = "/* rows for nodes */";

  private final byte[] body;
  private final int textLength;

  /** The same for nodes that have other numbers for users' types. */
  private final Map<NodeAddress, NodeStatement> elsewhere = new ConcurrentHashMap<>(0);

  private final boolean hasUsersTypes;

  /**
   * @param body the text, a zero byte, the number of types as 16 bits, the type OIDs
   */
  public NodeStatement(byte[] body) {
    this.body = body;
    int at = 0;
    while (body[at] != 0) {
      at++;
    }
    textLength = at;
    hasUsersTypes = IntStream.of(types()).anyMatch(ObjectNumber::isUsers);
  }

  /** A text without parameter types. */
  public static NodeStatement of(String sql) {
    return of(sql, NO_TYPES);
  }

  /** As below. */
  public static NodeStatement of(String sql, List<Integer> types) {
    return of(sql, types.stream().mapToInt(Integer::intValue).toArray());
  }

  /** A text with the type OIDs of its parameters; 0 leaves one to the node. */
  public static NodeStatement of(String sql, int[] types) {
    byte[] text = sql.getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[text.length + 3 + 4 * types.length];
    System.arraycopy(text, 0, body, 0, text.length);
    BigEndian.putInt2(body, text.length + 1, types.length);
    for (int i = 0; i < types.length; i++) {
      BigEndian.putInt4(body, text.length + 3 + 4 * i, types[i]);
    }
    return new NodeStatement(body);
  }

  /**
   * A query whose rows the router gives to other nodes: their texts say all of the values, whatever
   * the session's settings for numbers and moments. The client must not see them.
   */
  public static NodeStatement ofRows(String sql, List<Integer> types) {
    return of(ROWS_FOR_NODES + sql, types);
  }

  /** What follows the name in Parse. */
  public byte[] body() {
    return body;
  }

  /** The text. */
  public String sql() {
    return new String(body, 0, textLength, StandardCharsets.UTF_8);
  }

  /** Bytes of the text that are no UTF-8, as {@link Utf8#malformed} tells them; null for none. */
  public String malformed() {
    return Utf8.malformed(body, 0, textLength, sql());
  }

  /** How many bytes of the heap it takes: large arrays may take twice their length. */
  public long heapBytes() {
    return 2L * body.length;
  }

  /** The number of types that are given. */
  public int typeCount() {
    return BigEndian.int2(body, textLength + 1) & 0xffff;
  }

  /** The types that are given; 0 where the node is to find out. */
  public int[] types() {
    int[] types = new int[typeCount()];
    for (int i = 0; i < types.length; i++) {
      types[i] = BigEndian.int4(body, textLength + 3 + 4 * i);
    }
    return types;
  }

  /** True when a parameter has a type that users have made, which has a number on each node. */
  public boolean hasUsersTypes() {
    return hasUsersTypes;
  }

  /**
   * The statement for a node that has other numbers for users' types.
   *
   * @param numbers gives the node's number for one of the client's, or 0
   */
  public NodeStatement on(NodeAddress node, IntUnaryOperator numbers) {
    return hasUsersTypes ? elsewhere.computeIfAbsent(node, any -> with(numbers)) : this;
  }

  private NodeStatement with(IntUnaryOperator numbers) {
    return of(
        sql(),
        IntStream.of(types())
            .map(type -> ObjectNumber.isUsers(type) ? numbers.applyAsInt(type) : type)
            .toArray());
  }

  @Override
  public String toString() {
    return sql();
  }
}
