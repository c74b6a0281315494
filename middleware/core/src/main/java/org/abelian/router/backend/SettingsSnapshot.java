package org.abelian.router.backend;

import java.util.List;

/**
 * The settings that a session's node connections must have, as the statements that make them.
 * Immutable; a connection is marked with the snapshot that is in force on it.
 *
 * @param session the session's label on the nodes
 * @param placementVersion the catalogue version that statements are routed by
 * @param statements in the order in which they are to be run
 */
public record SettingsSnapshot(String session, long placementVersion, List<String> statements) {
  /** The mark of a connection on which anything may be set. */
  public static final Object UNKNOWN = new Object();

  public SettingsSnapshot {
    statements = List.copyOf(statements);
  }

  /**
   * What brings a connection with that mark to these settings; null marks are of unknown
   * connections.
   */
  public String replay(Object mark) {
    StringBuilder sql = new StringBuilder();
    int done = 0;
    SettingsSnapshot old =
        mark instanceof SettingsSnapshot snapshot && snapshot.session.equals(session)
            ? snapshot
            : null;
    boolean grows = old != null && isPrefix(old.statements, statements);
    if (grows) {
      done = old.statements.size();
    } else if (mark != null) {
      // RESET ALL leaves the role alone.
      sql.append("SET SESSION AUTHORIZATION DEFAULT;RESET ROLE;RESET ALL;");
    }
    if (!grows || old.placementVersion != placementVersion) {
      sql.append("SET abelian.session='").append(session);
      sql.append("';SET abelian.placement_version=").append(placementVersion).append(';');
    }
    for (String statement : statements.subList(done, statements.size())) {
      sql.append(statement).append('\n').append(';');
    }
    return sql.toString();
  }

  private static boolean isPrefix(List<String> prefix, List<String> list) {
    return prefix.size() <= list.size() && prefix.equals(list.subList(0, prefix.size()));
  }
}
