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

  private final BackendSession backends;
  private final SchemaScope schema;
  private final SessionSettings settings;
  private final ReplyQueue replies;
  private SettingsSnapshot scopeSettings;
  private int scopeTimeout;
  private String scope;
  private boolean enabled;

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
    boolean own =
        nodes.stream().anyMatch(Backend::isOwn) || !backends.touched().isEmpty() || schema.isOwn();
    if (own) {
      return null;
    }
    look();
    return enabled ? scope : null;
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
    scopeSettings = now;
    scopeTimeout = timeout;
  }

  private boolean isOff() {
    return backends.says(SETTING, "off");
  }
}
