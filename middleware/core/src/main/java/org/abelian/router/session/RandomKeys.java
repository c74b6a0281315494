package org.abelian.router.session;

import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;

/**
 * Decides which INSERTs run with keys of the router's making: those that cannot be routed without
 * them, and those of transactions that may commit in the commuting class because of them. What
 * commits on one node by itself runs as the client has sent it.
 */
final class RandomKeys {
  private final Session session;

  RandomKeys(Session session) {
    this.session = session;
  }

  /**
   * What is to run instead of the statement; null when it is to run as it is.
   *
   * @param alone true when nothing else is in its group of messages
   */
  MadeForm instead(RoutedStatement routed, BoundValues values, boolean alone) {
    MadeForm form = routed.made();
    if (form == null || values.count() != routed.facts().parameters().size()) {
      return null; // Of values that are missing, the node tells.
    }
    boolean wanted =
        mayCommute(form, alone) || routed.router().route(values) instanceof Route.Refused;
    return wanted ? form : null;
  }

  private boolean mayCommute(MadeForm form, boolean alone) {
    return maySpread(alone)
        && form.routed().isBlind()
        && ClassChoice.obstacle(session, session.transaction().work()) == null;
  }

  /**
   * True when the next statement may be one of several of a transaction over several nodes.
   *
   * @param alone true when nothing else is in its group of messages
   */
  boolean maySpread(boolean alone) {
    boolean several =
        session.transaction().isOpen() || !alone || !session.backends().touched().isEmpty();
    return several && session.router().catalog().current().nodes().size() > 1;
  }
}
