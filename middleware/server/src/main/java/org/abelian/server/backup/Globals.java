package org.abelian.server.backup;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node has outside the rows and schema that pg_dump writes.
 *
 * @param roles those that are not PostgreSQL's own
 * @param memberships statements that grant roles to roles
 * @param settings of the database
 * @param grants privileges on the database; null where they are as with a new one
 * @param createOptions options of CREATE DATABASE
 * @param owner of the database
 */
record Globals(
    List<Role> roles,
    List<String> memberships,
    List<Setting> settings,
    List<Grant> grants,
    String createOptions,
    String owner) {
  /**
   * A role.
   *
   * @param statements that make it
   */
  record Role(String name, List<String> statements) {}

  /**
   * A setting of the database.
   *
   * @param role for which it is; null for all
   * @param assignment {@code name TO value}
   */
  record Setting(String role, String assignment) {}

  /**
   * A privilege on the database.
   *
   * @param role null for PUBLIC
   */
  record Grant(String role, String privilege, boolean grantable) {}

  static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /** Statements that give a database of that name these settings, privileges and owner. */
  List<String> databaseStatements(String database) {
    List<String> statements = new ArrayList<>();
    String name = quote(database);
    statements.add("ALTER DATABASE " + name + " OWNER TO " + quote(owner));
    for (Setting setting : settings) {
      statements.add(
          (setting.role() == null
                  ? "ALTER DATABASE " + name
                  : "ALTER ROLE " + quote(setting.role()) + " IN DATABASE " + name)
              + " SET "
              + setting.assignment());
    }
    if (grants != null) {
      statements.add("REVOKE ALL ON DATABASE " + name + " FROM PUBLIC");
      for (Grant grant : grants) {
        statements.add(
            "GRANT "
                + grant.privilege()
                + " ON DATABASE "
                + name
                + " TO "
                + (grant.role() == null ? "PUBLIC" : quote(grant.role()))
                + (grant.grantable() ? " WITH GRANT OPTION" : ""));
      }
    }
    return statements;
  }
}
