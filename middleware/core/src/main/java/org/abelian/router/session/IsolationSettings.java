package org.abelian.router.session;

import java.util.Locale;
import org.abelian.router.backend.SessionSettings;

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
      TransactionState transaction, SessionSettings settings) {
    return isStrict(transaction, settings) && !allowsSnapshotPerNode(settings);
  }

  /** True for REPEATABLE READ and SERIALIZABLE. */
  public static boolean isStrict(TransactionState transaction, SessionSettings settings) {
    String level = transaction.isolation();
    return isStrict(level == null ? sessionDefault(settings) : level);
  }

  private static String sessionDefault(SessionSettings settings) {
    String level = settings.startup().get(DEFAULT_ISOLATION);
    String options = settings.startup().getOrDefault("options", "");
    if (options.contains(DEFAULT_ISOLATION)) {
      level = options.replace("\\", "");
    }
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
    String statement = settings.statement(DISTRIBUTED_ISOLATION);
    return statement != null && statement.contains("per_node");
  }

  /** True when a text names one of the strict levels. */
  public static boolean isStrict(String text) {
    return text != null
        && (text.contains("serializable")
            || text.replaceAll("\\s+", " ").contains("repeatable read"));
  }
}
