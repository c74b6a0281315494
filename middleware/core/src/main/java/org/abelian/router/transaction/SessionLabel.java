package org.abelian.router.transaction;

import java.util.Optional;
import java.util.UUID;

/**
 * The name of a client's session over all nodes, which the router sets as abelian.session on each
 * of its connections.
 *
 * @param router drawn at random when the router starts
 * @param session the router's number for it
 */
public record SessionLabel(UUID router, long session) {
  /**
   * Reads what {@link #toString} wrote; empty for anything else, such as connections that no router
   * made.
   */
  public static Optional<SessionLabel> parse(String text) {
    int colon = text == null ? -1 : text.indexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new SessionLabel(
              UUID.fromString(text.substring(0, colon)),
              Long.parseLong(text.substring(colon + 1))));
    } catch (IllegalArgumentException notOurs) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return router + ":" + session;
  }
}
