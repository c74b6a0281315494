package org.abelian.router.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a client has SET for its session: the last statement for each name. Changes inside a
 * transaction block count when it commits. Not thread-safe.
 */
public final class SessionSettings {
  /**
   * The name under which SET SESSION CHARACTERISTICS is kept; several of them may stand beside each
   * other.
   */
  public static final String CHARACTERISTICS = "session characteristics";

  private final String session;
  private final Map<String, String> startup;
  private final Map<String, String> statements = new LinkedHashMap<>();
  private SettingsSnapshot snapshot;

  /** The statements before the current group of messages changed them; null when it has not. */
  private Map<String, String> before;

  /**
   * @param startup what the client asked for when it connected
   */
  public SessionSettings(String session, long placementVersion, Map<String, String> startup) {
    this.session = session;
    this.startup = Map.copyOf(startup);
    snapshot = new SettingsSnapshot(session, placementVersion, List.of());
  }

  /** What connections must have now. */
  public SettingsSnapshot snapshot() {
    return snapshot;
  }

  /** Statements are routed by another version from now on. */
  public void placementVersion(long version) {
    if (version != snapshot.placementVersion()) {
      snapshot = new SettingsSnapshot(session, version, snapshot.statements());
    }
  }

  /** A group of messages begins: {@link #undoGroup} comes back to here. */
  public void beginGroup() {
    before = null;
  }

  /** Takes back what the group has SET; false when that is nothing. */
  public boolean undoGroup() {
    if (before == null) {
      return false;
    }
    statements.clear();
    statements.putAll(before);
    before = null;
    changed();
    return true;
  }

  private void keepBefore() {
    if (before == null) {
      before = new LinkedHashMap<>(statements);
    }
  }

  /** A SET or RESET that took effect. */
  public void apply(String name, String statement) {
    keepBefore();
    statements.remove(name);
    statements.put(name, statement);
    changed();
  }

  /** RESET ALL. */
  public void clear() {
    keepBefore();
    statements.clear();
    changed();
  }

  /** The statement in force for a name, or null. */
  public String statement(String name) {
    return statements.get(name);
  }

  /** What the client asked for when it connected, by name. */
  public Map<String, String> startup() {
    return startup;
  }

  /** The statements in force, in order. */
  public List<String> all() {
    return new ArrayList<>(statements.values());
  }

  private void changed() {
    snapshot =
        new SettingsSnapshot(
            session, snapshot.placementVersion(), List.copyOf(statements.values()));
  }
}
