package org.abelian.router.transaction.simulation;

/** Unwinds a router that has crashed. */
final class ActorKilled extends Error {
  private static final long serialVersionUID = 1L;

  ActorKilled() {
    super("crashed", null, false, false);
  }
}
