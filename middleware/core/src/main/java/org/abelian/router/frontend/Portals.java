package org.abelian.router.frontend;

import java.util.HashMap;
import java.util.Map;
import org.abelian.router.engine.Execution;
import org.abelian.router.protocol.CString;
import org.abelian.router.statement.SharedStatement;

/** The portals of a client, by their names. */
public final class Portals {
  /**
   * A bound statement.
   *
   * @param statement the client's text
   * @param execution how it is run
   */
  public record Portal(SharedStatement statement, Execution execution) {}

  private Portal unnamed;
  private final Map<String, Portal> named = new HashMap<>();

  /** The portal of the name between two indexes; null when there is none. */
  public Portal get(byte[] array, int from, int to) {
    return from == to ? unnamed : named.get(CString.read(array, from, to));
  }

  /** Defines a portal; one of the same name is forgotten. */
  public void put(byte[] array, int from, int to, Portal portal) {
    if (from == to) {
      unnamed = portal;
    } else {
      named.put(CString.read(array, from, to), portal);
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

  /** Forgets all. */
  public void clear() {
    unnamed = null;
    if (!named.isEmpty()) {
      named.clear();
    }
  }
}
