package org.abelian.router.session;

import org.abelian.router.backend.BackendSession;

/** Which isolation level a transaction has, as far as the router must know. */
public final class IsolationSettings {
  /** The name of the setting that allows snapshots of different nodes in one transaction. */
  public static final String DISTRIBUTED_ISOLATION = "abelian.distributed_isolation";

  private static final String DEFAULT_ISOLATION = "default_transaction_isolation";

  private IsolationSettings() {}

  /**
   * True for REPEATABLE READ and SERIALIZABLE, unless the client accepts a snapshot for each node.
   */
  public static boolean readsFromOneSnapshot(
      TransactionState transaction, BackendSession backends) {
    return isStrict(transaction, backends) && !backends.says(DISTRIBUTED_ISOLATION, "per_node");
  }

  /**
   * True for REPEATABLE READ and SERIALIZABLE. What the session has for its default counts for
   * transactions to come, not for the one that is open.
   */
  public static boolean isStrict(TransactionState transaction, BackendSession backends) {
    String level = transaction.isolation();
    return isStrict(level == null ? backends.settings().current().value(DEFAULT_ISOLATION) : level);
  }

  private static boolean isStrict(String level) {
    return "serializable".equals(level) || "repeatable read".equals(level);
  }
}
