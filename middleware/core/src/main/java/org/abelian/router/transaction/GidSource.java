package org.abelian.router.transaction;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Gives each coordinated transaction of one router its gid. Safe for several threads. */
public final class GidSource {
  private final UUID router;
  private final AtomicLong next = new AtomicLong(1);

  /**
   * @param router drawn at random when the router starts, so that no restart repeats a gid
   */
  public GidSource(UUID router) {
    this.router = router;
  }

  /** As below, without a word on the nodes: reads of several nodes pass the gate because of it. */
  public Gid next(int holder, long session) {
    return next(holder, session, List.of());
  }

  /**
   * A gid that was never given before.
   *
   * @param nodes those that commit the transaction
   */
  public Gid next(int holder, long session, List<Integer> nodes) {
    return new Gid(holder, new SessionLabel(router, session), next.getAndIncrement(), nodes);
  }
}
