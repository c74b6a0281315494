package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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

  /** Reads keep locks of values until their transaction ends. */
  private static final String STRICT_READS = "abelian.strict_reads";

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
        digest(
            String.join(
                "\0",
                String.valueOf(timeout),
                String.valueOf(now.placementVersion()),
                now.wanted().toString()));
    enabled = !isOff();
    readsEnabled =
        enabled
            && !IsolationSettings.isStrictByDefault(backends)
            && !backends.says(STRICT_READS, "on", "true", "1")
            && (backends.setting(TIME_LIMIT) == null || backends.says(TIME_LIMIT, "0"));
    scopeSettings = now;
    scopeTimeout = timeout;
  }

  /** In the place of settings, which may be long: batchers keep it. */
  private static String digest(String settings) {
    try {
      byte[] bytes = settings.getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest).intern(); // Compared for each statement.
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private boolean isOff() {
    return backends.says(SETTING, "off");
  }
}
