package org.abelian.router.session;

import org.abelian.router.backend.BackendSession;

/** Which isolation level a transaction has, as far as the router must know. */
public final class IsolationSettings {
  /** The name of the setting that says what such transactions may do on several nodes. */
  public static final String DISTRIBUTED_ISOLATION = "abelian.distributed_isolation";

  private static final String REPEATABLE_READ = "repeatable read";

  private static final String SERIALIZABLE = "serializable";

  private static final String DEFAULT_ISOLATION = "default_transaction_isolation";

  private IsolationSettings() {}

  /**
   * True for REPEATABLE READ and SERIALIZABLE, unless the client accepts a snapshot for each node.
   */
  public static boolean readsFromOneSnapshot(
      TransactionState transaction, BackendSession backends) {
    return isStrict(transaction, backends) && !says(transaction, backends, "per_node");
  }

  /**
   * True when the transaction takes its snapshots on all nodes at one moment: at REPEATABLE READ
   * and SERIALIZABLE, unless it is to stay on one node, or may have a snapshot for each.
   */
  public static boolean takesCommonSnapshot(TransactionState transaction, BackendSession backends) {
    return readsFromOneSnapshot(transaction, backends) && !says(transaction, backends, "one_node");
  }

  /** True when what it does on several nodes must be serializable. */
  public static boolean isSerializable(TransactionState transaction, BackendSession backends) {
    return SERIALIZABLE.equals(level(transaction, backends))
        && takesCommonSnapshot(transaction, backends);
  }

  /** True at SERIALIZABLE, unless the transaction is to stay on one node. */
  static boolean maySpreadSerializable(TransactionState transaction, BackendSession backends) {
    return SERIALIZABLE.equals(level(transaction, backends))
        && !says(transaction, backends, "one_node");
  }

  /**
   * True for REPEATABLE READ and SERIALIZABLE. What the session has for its default counts for
   * transactions to come, not for the one that is open.
   */
  public static boolean isStrict(TransactionState transaction, BackendSession backends) {
    return isStrict(level(transaction, backends));
  }

  /** True when what begins without a level of its own has one snapshot for all statements. */
  static boolean isStrictByDefault(BackendSession backends) {
    return isStrict(defaultLevel(backends));
  }

  private static boolean isStrict(String level) {
    return SERIALIZABLE.equals(level) || REPEATABLE_READ.equals(level);
  }

  private static boolean says(TransactionState transaction, BackendSession backends, String value) {
    String own = transaction.valueSet(DISTRIBUTED_ISOLATION);
    return own == null ? backends.says(DISTRIBUTED_ISOLATION, value) : own.equals(value);
  }

  /** The transaction's level, in lower case. */
  static String level(TransactionState transaction, BackendSession backends) {
    String level = transaction.isolation();
    return level == null ? defaultLevel(backends) : level;
  }

  private static String defaultLevel(BackendSession backends) {
    return backends.settings().current().value(DEFAULT_ISOLATION);
  }
}
