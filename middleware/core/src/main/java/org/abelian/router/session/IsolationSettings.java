package org.abelian.router.session;

/** Which isolation level a transaction has, as far as the router must know. */
final class IsolationSettings {
  /** The name of the setting that allows snapshots of different nodes in one transaction. */
  static final String DISTRIBUTED_ISOLATION = "abelian.distributed_isolation";

  private static final String DEFAULT_ISOLATION = "default_transaction_isolation";

  private IsolationSettings() {}

  /**
   * True for REPEATABLE READ and SERIALIZABLE, unless the client accepts a snapshot for each node.
   */
  static boolean readsFromOneSnapshot(Session session) {
    return isStrict(session) && !session.says(DISTRIBUTED_ISOLATION, "per_node");
  }

  /**
   * True for REPEATABLE READ and SERIALIZABLE. What the session has for its default counts for
   * transactions to come, not for the one that is open.
   */
  static boolean isStrict(Session session) {
    String level = session.transaction().isolation();
    return isStrict(level == null ? session.settings().current().value(DEFAULT_ISOLATION) : level);
  }

  private static boolean isStrict(String level) {
    return "serializable".equals(level) || "repeatable read".equals(level);
  }
}
