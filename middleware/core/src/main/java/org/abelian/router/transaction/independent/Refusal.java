package org.abelian.router.transaction.independent;

/** Why a node did not propose. */
public enum Refusal {
  /** Its lane is closed: it has to catch up. */
  CLOSED(-1),
  /** The router began with too old a knowledge of the node. */
  OUTDATED(-2),
  /** The router began with too old a knowledge of another participant. */
  FENCED(-3),
  /** A coordinated commit or a read of several nodes has the lane's gate. */
  GATE(-4),
  /** It is settled already. */
  SETTLED(-5),
  /** Too much is pending there. */
  FULL(-6),
  /**
   * Transactions are stricter than READ COMMITTED there, by a default that the router cannot see.
   */
  ISOLATION(-7),
  /** The node could not be asked. */
  LOST(0);

  private final long code;

  Refusal(long code) {
    this.code = code;
  }

  /** The refusal that a node answered with in place of a timestamp. */
  static Refusal of(long code) {
    for (Refusal refusal : values()) {
      if (refusal.code == code) {
        return refusal;
      }
    }
    return LOST;
  }
}
