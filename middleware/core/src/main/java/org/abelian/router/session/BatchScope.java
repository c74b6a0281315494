package org.abelian.router.session;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.backend.SettingsSnapshot;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.statement.SchemaScope;

/**
 * With which other sessions this one may share what it runs: those whose settings, as nodes know
 * them, are equal.
 */
public final class BatchScope {
  /** The setting that takes a session out. */
  private static final String SETTING = "abelian.combine";

  /** PostgreSQL ends the connection whose transaction takes longer. */
  private static final String TIME_LIMIT = "transaction_timeout";

  private final BackendSession backends;
  private final SchemaScope schema;
  private final SessionSettings settings;
  private final ReplyQueue replies;
  private SettingsSnapshot scopeSettings;
  private int scopeTimeout;
  private String scope;
  private boolean enabled;
  private boolean readsEnabled;

  /** The scope of a session. */
  public BatchScope(
      BackendSession backends, SchemaScope schema, SessionSettings settings, ReplyQueue replies) {
    this.backends = backends;
    this.schema = schema;
    this.settings = settings;
    this.replies = replies;
  }

  /**
   * Equal for sessions that may share what they run on the same nodes; null when this one shares
   * nothing there.
   */
  public String of(List<Backend> nodes) {
    return isShared(nodes) && enabled ? scope : null;
  }

  /**
   * The same for reads. Those of several sessions become one transaction, in which each must have a
   * snapshot of its own, and whose time is limited for none.
   */
  public String ofReads(List<Backend> nodes) {
    return isShared(nodes) && readsEnabled ? scope : null;
  }

  private boolean isShared(List<Backend> nodes) {
    if (!backends.touched().isEmpty() || schema.isOwn()) {
      return false;
    }
    for (int i = 0; i < nodes.size(); i++) { // Without an iterator: most reads are here.
      if (nodes.get(i).isOwn()) {
        return false;
      }
    }
    look();
    return true;
  }

  private void look() {
    SettingsSnapshot now = settings.snapshot();
    int timeout = replies.timeout();
    if (now == scopeSettings && timeout == scopeTimeout) {
      return;
    }
    scope =
        String.join(
                "\0",
                String.valueOf(timeout),
                String.valueOf(now.placementVersion()),
                now.wanted().toString())
            .intern();
    enabled = !isOff();
    readsEnabled =
        enabled
            && !IsolationSettings.isStrictByDefault(backends)
            && (backends.setting(TIME_LIMIT) == null || backends.says(TIME_LIMIT, "0"));
    scopeSettings = now;
    scopeTimeout = timeout;
  }

  private boolean isOff() {
    return backends.says(SETTING, "off");
  }
}
