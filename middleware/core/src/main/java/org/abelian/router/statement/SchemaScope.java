package org.abelian.router.statement;

import java.util.List;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.backend.SettingsSnapshot;
import org.abelian.router.pool.NodeIdentity;

/**
 * Tells sessions apart that may read the same text differently: by role and database, by the
 * settings that decide what names and literals mean, by temporary objects and uncommitted changes
 * of the schema. Not thread-safe.
 */
public final class SchemaScope {
  /** Settings that change what a text means. */
  private static final List<String> MEANING =
      List.of(
          "search_path",
          "role",
          "session_authorization",
          "standard_conforming_strings",
          "transform_null_equals",
          // What literals mean: the analysis tells their values.
          "datestyle",
          "timezone",
          "intervalstyle",
          "array_nulls",
          "lc_monetary",
          "xmloption");

  private final String identity;
  private final SessionSettings settings;

  /** Set while this session sees objects that others do not see. */
  private Object own;

  private Object shared;
  private SettingsSnapshot sharedSettings;

  private static final class Uncommitted {}

  /** The session sees what all of its role see. */
  public SchemaScope(NodeIdentity identity, SessionSettings settings) {
    this.identity =
        identity.user() + "\0" + identity.startup().get("database") + "\0" + identity.startup();
    this.settings = settings;
  }

  /** Equal for sessions that read all texts alike. */
  Object current() {
    if (own != null) {
      return own;
    }
    SettingsSnapshot now = settings.snapshot();
    if (now != sharedSettings) {
      StringBuilder text = new StringBuilder(identity);
      for (String name : MEANING) {
        String statement = settings.statement(name);
        text.append('\0').append(statement == null ? "" : statement);
      }
      shared = text.toString().intern();
      sharedSettings = now;
    }
    return shared;
  }

  /** A transaction that changed the schema ended. */
  public void transactionEnded() {
    if (own instanceof Uncommitted) {
      own = null;
    }
  }

  /** This session sees a schema that others do not see yet. */
  public void seesUncommittedSchema() {
    own = new Uncommitted();
  }

  /** This session has temporary objects. */
  public void seesTemporaryObjects() {
    own = new Object();
  }

  /** True while a text may mean something else to this session than to others. */
  public boolean isOwn() {
    return own != null;
  }

  /** The session has no objects of its own any more. */
  public void seesWhatAllSee() {
    own = null;
  }
}
