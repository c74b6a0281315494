package org.abelian.router.session;

import java.util.HashMap;
import java.util.Map;
import org.abelian.router.protocol.CString;

/** The portals that a client has bound, by its names for them. They end with the transaction. */
final class Portals {
  private Portal unnamed;
  private final Map<String, Portal> named = new HashMap<>();

  /** The portal of the name between two indexes, or null. */
  Portal get(byte[] array, int from, int to) {
    return from == to ? unnamed : named.get(CString.read(array, from, to));
  }

  /** Binds a name. */
  void put(byte[] array, int from, int to, Portal portal) {
    if (from == to) {
      unnamed = portal;
    } else {
      named.put(CString.read(array, from, to), portal);
    }
  }

  /** Closes a portal; the portal, or null. */
  Portal remove(byte[] array, int from, int to) {
    if (from == to) {
      Portal portal = unnamed;
      unnamed = null;
      return portal;
    }
    return named.remove(CString.read(array, from, to));
  }

  /** The transaction ended. */
  void clear() {
    unnamed = null;
    if (!named.isEmpty()) {
      named.clear();
    }
  }
}
