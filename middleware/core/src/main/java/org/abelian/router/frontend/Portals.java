package org.abelian.router.frontend;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.BiPredicate;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.ScatterExecution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.trace.TracedStatement;

/**
 * The portals of a client, by their names, those among them that SQL has declared as cursors over
 * several nodes. What the client names is counted. Not thread-safe.
 */
public final class Portals {
  /** A client that never closes portals shall hurt only itself. */
  private static final int MOST = 10_000;

  /** What a portal takes beside its text and values, in bytes. */
  private static final int PORTAL_LEAST = 1_000;

  /**
   * A bound statement.
   *
   * @param statement the client's text
   * @param execution how it is run
   * @param traced what the trace keeps of it; null when it is not recorded
   * @param once true when it gives no rows, so that there is nothing to go on with; false also when
   *     a node says so
   */
  public record Portal(
      SharedStatement statement, Execution execution, TracedStatement traced, boolean once) {
    /** True when it cannot be run any more. */
    boolean isSpent() {
      return once && execution.hasRun();
    }

    private boolean isCursor() {
      return execution instanceof ScatterExecution;
    }
  }

  /**
   * One that has a name.
   *
   * @param history how much had happened in the transaction when it was bound
   * @param bytes that are counted for it
   */
  private record Named(Portal portal, int history, long bytes) {
    Named atMost(int most) {
      return history <= most ? this : new Named(portal, most, bytes);
    }
  }

  private final MemoryBudget memory;
  private Portal unnamed;
  private final Map<String, Named> named = new HashMap<>();

  /** None yet. */
  public Portals(MemoryBudget memory) {
    this.memory = memory;
  }

  /** The portal of the name between two indexes; null when there is none. */
  public Portal get(byte[] array, int from, int to) {
    return from == to ? unnamed : get(CString.name(array, from, to));
  }

  /** The portal of that name; null when there is none. */
  Portal get(String name) {
    Named known = named.get(name);
    return known == null ? null : known.portal();
  }

  /** Defines the unnamed portal; of the one before nothing may be left. */
  void put(Portal portal) {
    unnamed = portal;
  }

  /**
   * Defines a portal with a name, which is free.
   *
   * @param history how much has happened in the transaction
   * @param values how many bytes it may keep of the client's values
   * @throws AbelianException when there are too many, or there is no memory for it
   */
  void put(String name, Portal portal, int history, int values) {
    if (named.size() >= MOST) {
      throw new AbelianException(
          SqlState.CONFIGURATION_LIMIT_EXCEEDED,
          "a session cannot have more than " + MOST + " portals",
          "Close those that are not needed any more.");
    }
    long bytes = PORTAL_LEAST + values;
    memory.take(bytes);
    try {
      portal.statement().hold(memory);
    } catch (AbelianException noMemory) {
      memory.give(bytes);
      throw noMemory;
    }
    named.put(name, new Named(portal, history, bytes));
  }

  /**
   * The unnamed portal is about to be replaced. That comes before the other one's messages to nodes
   * whose answers are not awaited yet: answers are taken in the order of the messages.
   */
  void forgetUnnamed() {
    if (unnamed != null) {
      unnamed.execution().forget();
      unnamed.execution().free();
      unnamed = null;
    }
  }

  /** Forgets a portal and gives it; null when there is none. */
  public Portal remove(byte[] array, int from, int to) {
    if (from == to) {
      Portal portal = unnamed;
      unnamed = null;
      if (portal != null) {
        portal.execution().free();
      }
      return portal;
    }
    Named removed = named.remove(CString.name(array, from, to));
    if (removed == null) {
      return null;
    }
    release(removed);
    return removed.portal();
  }

  /** Savepoints were released, so that only so much has happened in the transaction. */
  void released(int history) {
    named.replaceAll((name, portal) -> portal.atMost(history));
  }

  /** The transaction is back where only so much had happened: portals of later are gone. */
  void rolledBack(int history) {
    removeIf((name, portal) -> portal.history() >= history);
  }

  /** True when it is one over several nodes, of which no node knows the whole. */
  boolean hasCursor(String name) {
    Portal portal = get(name);
    return portal != null && portal.isCursor();
  }

  /** True when there is any of these. */
  boolean hasCursors() {
    return named.values().stream().anyMatch(known -> known.portal().isCursor());
  }

  /**
   * True when there is one.
   *
   * @param name null to ask for any
   */
  boolean has(String name) {
    return name == null ? !named.isEmpty() : named.containsKey(name);
  }

  /** Refuses a name for a second portal, on whichever node the first one is. */
  void requireFree(String name) {
    if (named.containsKey(name)) {
      throw taken(name);
    }
  }

  /** The error of a name that a portal has already. */
  static ClientError taken(String name) {
    return ClientError.of("42P03", "cursor \"" + name + "\" already exists");
  }

  /**
   * Closes the portal of that name, or with null all of them.
   *
   * @param active the name of the one that runs and stays
   */
  void close(String name, String active) {
    removeIf(
        (known, portal) -> {
          boolean closes = name == null ? !known.equals(active) : known.equals(name);
          if (closes) {
            portal.portal().execution().close();
          }
          return closes;
        });
  }

  /** Forgets all. */
  public void clear() {
    if (unnamed != null) {
      unnamed.execution().free();
      unnamed = null;
    }
    if (!named.isEmpty()) {
      named.values().forEach(this::release);
      named.clear();
    }
  }

  private void removeIf(BiPredicate<String, Named> gone) {
    Iterator<Map.Entry<String, Named>> all = named.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Named> entry = all.next();
      if (gone.test(entry.getKey(), entry.getValue())) {
        all.remove();
        release(entry.getValue());
      }
    }
  }

  private void release(Named portal) {
    memory.give(portal.bytes());
    portal.portal().execution().free();
    portal.portal().statement().release(memory);
  }
}
