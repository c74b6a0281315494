package org.abelian.router.transaction;

import java.util.UUID;

/**
 * The name of a commuting transaction on the nodes. Never used twice.
 *
 * @param router drawn at random when the router starts
 * @param number grows with the commits of that router
 */
public record IntentId(UUID router, long number) {
  /** The name of the transaction whose outcome is asked for by that gid. */
  static IntentId of(Gid gid) {
    return new IntentId(gid.session().router(), gid.number());
  }

  @Override
  public String toString() {
    return router + "-" + number;
  }
}
