package org.abelian.router.frontend;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ClientError;

/** The session's cursors that are nodes' own: which node has the cursor of a name. */
public final class NodeCursors {
  /**
   * A cursor.
   *
   * @param savepoints how much had happened in the transaction when it was declared
   * @param holds true when it outlives its transaction
   * @param kept true when that transaction has committed
   * @param closed true when it is gone; its node says so best
   */
  private record Cursor(Backend node, int savepoints, boolean holds, boolean kept, boolean closed) {
    boolean isOpen() {
      return !closed && !isLost();
    }

    /** Its connection ended after the transaction that declared it. */
    boolean isLost() {
      return kept && !(node.isUsable() && node.isOwn());
    }

    Cursor atMost(int most) {
      return savepoints <= most ? this : new Cursor(node, most, holds, kept, closed);
    }

    Cursor ended() {
      return new Cursor(node, savepoints, holds, true, closed);
    }

    Cursor gone() {
      return new Cursor(node, savepoints, holds, kept, true);
    }
  }

  private final Map<String, Cursor> cursors = new HashMap<>();

  /** Where cursors are that functions have opened, as far as was asked. */
  private final Map<String, Backend> opened = new HashMap<>();

  /**
   * The node gets a cursor of that name.
   *
   * @param savepoints how much has happened in the transaction
   * @throws ClientError when another node has one already; the node itself would say so
   */
  void declare(String name, Backend node, int savepoints, boolean holds) {
    Cursor known = cursors.get(name);
    if (known != null && known.isOpen()) {
      if (known.node() != node) {
        throw Portals.taken(name);
      }
      return;
    }
    cursors.put(name, new Cursor(node, savepoints, holds, false, false));
  }

  /** Refuses the name of a cursor for a portal, on whichever node the cursor is. */
  void requireFree(String name) {
    Cursor known = cursors.get(name);
    if (known != null && known.isOpen()) {
      throw Portals.taken(name);
    }
  }

  /** The node that knows of the cursor of that name; null when none does. */
  Backend home(String name) {
    Backend found = opened.get(name);
    if (found != null) {
      return found;
    }
    Cursor known = cursors.get(name);
    return known == null || known.isLost() ? null : known.node();
  }

  /** True when DECLARE has given the name to a cursor that is still there. */
  boolean isDeclared(String name) {
    Cursor known = cursors.get(name);
    return known != null && known.isOpen();
  }

  /**
   * A function has opened one of that name. Another one may do so on another node, so that this
   * holds for one statement.
   *
   * @param node null when it is not known to be anywhere
   */
  void opened(String name, Backend node) {
    if (node == null) {
      opened.remove(name);
    } else {
      opened.put(name, node);
    }
  }

  /** The nodes that have cursors. */
  List<Backend> homes() {
    return cursors.values().stream().filter(Cursor::isOpen).map(Cursor::node).distinct().toList();
  }

  /**
   * It is closed.
   *
   * @param name null for all of them
   */
  void close(String name) {
    cursors.replaceAll(
        (known, cursor) -> name == null || name.equals(known) ? cursor.gone() : cursor);
  }

  /** Savepoints were released, so that only so much has happened in the transaction. */
  void released(int savepoints) {
    cursors.replaceAll((name, cursor) -> cursor.atMost(savepoints));
  }

  /** The transaction is back where only so much had happened: cursors of later are gone. */
  void rolledBack(int savepoints) {
    cursors.values().removeIf(cursor -> !cursor.kept() && cursor.savepoints() >= savepoints);
  }

  /** No transaction is open any more: only those that are held stay. */
  public void ended(boolean committed) {
    opened.clear();
    if (!cursors.isEmpty()) {
      cursors
          .values()
          .removeIf(cursor -> !cursor.isOpen() || !cursor.kept() && !(cursor.holds() && committed));
      cursors.replaceAll((name, cursor) -> cursor.ended());
    }
  }

  /** Forgets all. */
  void clear() {
    cursors.clear();
    opened.clear();
  }
}
