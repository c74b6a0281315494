package org.abelian.router.pool;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is prepared on one node connection, and under which name. A Parse that was sent counts as
 * prepared until the end of its message group shows that the node skipped it. Names are never used
 * twice on a connection, so that a statement which the node still has although we forgot it does no
 * harm. Not thread-safe.
 */
public final class PreparedStatements {
  /** The most recent ones stay however large they are: they are about to be bound. */
  private static final int KEPT_MIN = 2;

  private final int capacity;
  private final long bytesMax;
  private long bytes;
  private final LinkedHashMap<NodeStatement, byte[]> names = new LinkedHashMap<>(64, 0.75f, true);
  private final ArrayDeque<NodeStatement> unconfirmed = new ArrayDeque<>();
  private NodeStatement unnamed;

  /** What decided which values their literals have; null as long as nobody has said. */
  private String literals;

  private long counter;

  /**
   * @param capacity how many named statements stay prepared
   * @param bytesMax how many bytes of the heap their texts may take together
   */
  public PreparedStatements(int capacity, long bytesMax) {
    this.capacity = capacity;
    this.bytesMax = bytesMax;
  }

  /** The name under which it is prepared, or null. */
  public byte[] name(NodeStatement statement) {
    return names.get(statement);
  }

  /** Gives it a name; a Parse with that name is about to be sent. */
  public byte[] prepare(NodeStatement statement) {
    byte[] name = ("abelian_" + Long.toString(++counter, 36)).getBytes(StandardCharsets.US_ASCII);
    if (names.put(statement, name) == null) {
      bytes += statement.heapBytes();
    }
    unconfirmed.add(statement);
    return name;
  }

  /** True when the unnamed statement of the connection is this one. */
  public boolean isUnnamed(NodeStatement statement) {
    return unnamed == statement;
  }

  /** A Parse without a name is about to be sent. */
  public void prepareUnnamed(NodeStatement statement) {
    unnamed = statement;
    unconfirmed.add(statement);
  }

  /** A simple query is about to be sent: nodes drop the unnamed statement then. */
  public void dropUnnamed() {
    unnamed = null;
  }

  /** A ParseComplete arrived. */
  public void confirm() {
    unconfirmed.poll();
  }

  /** A message group ended: what is not confirmed by now was skipped. */
  public void endGroup() {
    while (!unconfirmed.isEmpty()) {
      forget(unconfirmed.poll());
    }
  }

  /** Forgets a statement whose plan the node cannot use any more. */
  public void forget(NodeStatement statement) {
    if (names.remove(statement) != null) {
      bytes -= statement.heapBytes();
    }
    if (unnamed == statement) {
      unnamed = null;
    }
  }

  /**
   * The name of the statement that has not been used for longest when there are too many; it is
   * forgotten. Else null.
   */
  public byte[] evict() {
    if (names.size() <= capacity && (bytes <= bytesMax || names.size() <= KEPT_MIN)) {
      return null;
    }
    Iterator<Map.Entry<NodeStatement, byte[]>> entries = names.entrySet().iterator();
    Map.Entry<NodeStatement, byte[]> oldest = entries.next();
    entries.remove();
    bytes -= oldest.getKey().heapBytes();
    return oldest.getValue();
  }

  /** Forgets all, as {@link #forget} does each. */
  public void forgetAll() {
    names.clear();
    bytes = 0;
    unnamed = null;
  }

  /**
   * What decides from now on which values literals have, and what names stand for. Where it is
   * something else than before, all are forgotten, since nodes keep the values that literals had
   * when they were parsed.
   *
   * @return true when the node still has named ones
   */
  public boolean readsOtherwise(String now) {
    if (now.equals(literals)) {
      return false;
    }
    boolean hadNamed = literals != null && !names.isEmpty();
    if (literals != null) {
      forgetAll();
    }
    literals = now;
    return hadNamed;
  }

  /** The node dropped them all (DISCARD ALL). */
  public void clear() {
    forgetAll();
    unconfirmed.clear();
  }

  /** The number of named statements. */
  public int size() {
    return names.size();
  }
}
