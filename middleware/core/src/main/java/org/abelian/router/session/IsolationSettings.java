package org.abelian.router.session;

import java.util.Locale;

/** Which isolation level a transaction has, as far as the router must know. */
final class IsolationSettings {
  /** The name of the setting that allows snapshots of different nodes in one transaction. */
  static final String DISTRIBUTED_ISOLATION = "abelian.distributed_isolation";

  private static final String DEFAULT_ISOLATION = "default_transaction_isolation";

  private IsolationSettings() {}

  /**
   * True for REPEATABLE READ and SERIALIZABLE, unless the client accepts a snapshot for each node.
   */
  static boolean readsFromOneSnapshot(TransactionState transaction, SessionSettings settings) {
    return isStrict(transaction, settings) && !allowsSnapshotPerNode(settings);
  }

  /** True for REPEATABLE READ and SERIALIZABLE. */
  static boolean isStrict(TransactionState transaction, SessionSettings settings) {
    String level = transaction.isolation();
    return isStrict(level == null ? sessionDefault(settings) : level);
  }

  private static String sessionDefault(SessionSettings settings) {
    String level = settings.startup().get(DEFAULT_ISOLATION);
    level = level == null ? null : level.toLowerCase(Locale.ROOT);
    for (String statement : settings.all()) {
      String text = statement.toLowerCase(Locale.ROOT);
      if (text.contains(DEFAULT_ISOLATION)
          || text.contains("characteristics") && text.contains("isolation")) {
        level = text;
      }
    }
    return level;
  }

  private static boolean allowsSnapshotPerNode(SessionSettings settings) {
    String startup = settings.startup().get(DISTRIBUTED_ISOLATION);
    String statement = settings.statement(DISTRIBUTED_ISOLATION);
    statement = statement == null ? startup : statement;
    return statement != null && statement.contains("per_node");
  }

  /** True when a text names one of the strict levels. */
  static boolean isStrict(String text) {
    return text != null
        && (text.contains("serializable")
            || text.replaceAll("\\s+", " ").contains("repeatable read"));
  }
}
