package org.abelian.router.backend;

import java.util.function.UnaryOperator;

/**
 * The settings that a session's node connections must have. Immutable; a connection is marked with
 * the snapshot that is in force on it.
 *
 * @param session the session's label on the nodes
 * @param placementVersion the catalogue version that statements are routed by
 * @param wanted what the session has set, and the defaults of its role and database
 */
public record SettingsSnapshot(String session, long placementVersion, ReportedSettings wanted) {
  /** The mark of a connection on which anything may be set. */
  public static final Object UNKNOWN = new Object();

  private static final String TAKE_OVER =
      "SET SESSION AUTHORIZATION DEFAULT;RESET ROLE;RESET ALL;"
          + "SELECT abelian.defaults_are_current();";

  /** Settings depend on no placement, so they are made even where the router's is an old one. */
  private static final String ANY_VERSION =
      "SET abelian.placement_version=" + Integer.MAX_VALUE + ';';

  /** True when a connection with that mark belongs to this session already. */
  public boolean owns(Object mark) {
    return mark instanceof SettingsSnapshot snapshot && snapshot.session.equals(session);
  }

  /**
   * What gives a connection to a session that begins, and to which nothing is set as yet.
   *
   * @param sealed how its node is told a session's label
   */
  public String takeOver(int node, UnaryOperator<String> sealed) {
    return TAKE_OVER + label(node, sealed) + version();
  }

  /**
   * What brings a connection to these settings.
   *
   * @param mark what it is marked with; null when it is new
   * @param reported what its node says is set there now
   * @param defaults what its node said when it was opened
   * @param node the number of the node
   * @param sealed how the connection's node is told a session's label
   */
  public String replay(
      Object mark,
      ReportedSettings reported,
      ReportedSettings defaults,
      int node,
      UnaryOperator<String> sealed) {
    StringBuilder sql = new StringBuilder();
    boolean owns = owns(mark);
    if (!owns) {
      // RESET ALL leaves the role alone.
      sql.append(mark == null ? "SELECT abelian.defaults_are_current();" : TAKE_OVER);
      sql.append(label(node, sealed));
    }
    String change = (owns ? reported : defaults).changeTo(wanted);
    if (!change.isEmpty()) {
      sql.append(ANY_VERSION).append(change);
    }
    if (!owns
        || !change.isEmpty()
        || ((SettingsSnapshot) mark).placementVersion != placementVersion) {
      sql.append(version());
    }
    return sql.toString();
  }

  private String label(int node, UnaryOperator<String> sealed) {
    String label = sealed.apply(session);
    return "SET abelian.session='" + label + "';SET abelian.node_id=" + node + ';';
  }

  private String version() {
    return "SET abelian.placement_version=" + placementVersion + ';';
  }
}
