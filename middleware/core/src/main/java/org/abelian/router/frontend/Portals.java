package org.abelian.router.frontend;

import java.util.HashMap;
import java.util.Map;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.ScatterExecution;
import org.abelian.router.execution.ClientError;
import org.abelian.router.protocol.CString;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.trace.TracedStatement;

/** The portals of a client, by their names. */
public final class Portals {
  /**
   * A bound statement.
   *
   * @param statement the client's text
   * @param execution how it is run
   * @param traced what the trace keeps of it; null when it is not recorded
   */
  public record Portal(SharedStatement statement, Execution execution, TracedStatement traced) {}

  private Portal unnamed;
  private final Map<String, Portal> named = new HashMap<>();

  /** Cursors over several nodes, and when each was declared. */
  private final Map<String, Integer> declared = new HashMap<>();

  /** The portal of the name between two indexes; null when there is none. */
  public Portal get(byte[] array, int from, int to) {
    return from == to ? unnamed : named.get(CString.read(array, from, to));
  }

  /** Defines a portal; of the unnamed one nothing may be left. */
  public void put(byte[] array, int from, int to, Portal portal) {
    if (from == to) {
      unnamed = portal;
    } else {
      named.put(CString.read(array, from, to), portal);
    }
  }

  /**
   * The unnamed portal is about to be replaced. That comes before the other one's messages to nodes
   * whose answers are not awaited yet: answers are taken in the order of the messages.
   */
  void forgetUnnamed() {
    if (unnamed != null) {
      unnamed.execution().forget();
      unnamed = null;
    }
  }

  /** Forgets a portal and gives it; null when there is none. */
  public Portal remove(byte[] array, int from, int to) {
    if (from == to) {
      Portal portal = unnamed;
      unnamed = null;
      return portal;
    }
    return named.remove(CString.read(array, from, to));
  }

  /** The portal of that name; null when there is none. */
  Portal get(String name) {
    return named.get(name);
  }

  /**
   * Defines a cursor over several nodes.
   *
   * @param savepoints how much had happened in the transaction when it was declared
   */
  void declare(String name, Portal portal, int savepoints) {
    named.put(name, portal);
    declared.put(name, savepoints);
  }

  /** The transaction is back where only so much had happened: cursors of later are gone. */
  void rolledBack(int savepoints) {
    declared
        .entrySet()
        .removeIf(
            cursor -> {
              boolean gone = cursor.getValue() >= savepoints;
              if (gone) {
                named.remove(cursor.getKey());
              }
              return gone;
            });
  }

  /**
   * True when it is one over several nodes, of which no node knows the whole.
   *
   * @param name null to ask for any
   */
  boolean hasCursor(String name) {
    return name == null
        ? named.values().stream().anyMatch(Portals::isCursor)
        : isCursor(named.get(name));
  }

  /** Refuses the name of a cursor over several nodes for another one. */
  void requireFree(String name) {
    if (hasCursor(name)) {
      throw ClientError.of("42P03", "cursor \"" + name + "\" already exists");
    }
  }

  private static boolean isCursor(Portal portal) {
    return portal != null && portal.execution() instanceof ScatterExecution;
  }

  /** Closes the cursor over several nodes of that name, or with null all of them. */
  void closeCursors(String name) {
    named
        .entrySet()
        .removeIf(
            entry -> {
              boolean closed =
                  isCursor(entry.getValue()) && (name == null || entry.getKey().equals(name));
              if (closed) {
                entry.getValue().execution().close();
              }
              return closed;
            });
  }

  /** Forgets all. */
  public void clear() {
    unnamed = null;
    if (!named.isEmpty()) {
      named.clear();
      declared.clear();
    }
  }
}
