package org.abelian.router.transaction;

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

  /** A gid that was never given before. */
  public Gid next(int holder, long session) {
    return new Gid(holder, new SessionLabel(router, session), next.getAndIncrement());
  }
}
