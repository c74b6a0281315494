package org.abelian.server.backup;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads what pg_dump leaves to pg_dumpall and to {@code --create}. */
final class GlobalsReader {
  /**
   * pg_authid, with verifiers of passwords, is for those who may read all data; pg_roles for all.
   */
  private static final String ROLES =
      "SELECT rolname, format('CREATE ROLE %%I WITH %%s', rolname, concat_ws(' ',"
          + " CASE WHEN rolsuper THEN 'SUPERUSER' ELSE 'NOSUPERUSER' END,"
          + " CASE WHEN rolinherit THEN 'INHERIT' ELSE 'NOINHERIT' END,"
          + " CASE WHEN rolcreaterole THEN 'CREATEROLE' ELSE 'NOCREATEROLE' END,"
          + " CASE WHEN rolcreatedb THEN 'CREATEDB' ELSE 'NOCREATEDB' END,"
          + " CASE WHEN rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END,"
          + " CASE WHEN rolreplication THEN 'REPLICATION' ELSE 'NOREPLICATION' END,"
          + " CASE WHEN rolbypassrls THEN 'BYPASSRLS' ELSE 'NOBYPASSRLS' END,"
          + " 'CONNECTION LIMIT ' || rolconnlimit,"
          + " 'PASSWORD ' || quote_literal(%s),"
          + " 'VALID UNTIL ' || quote_literal(rolvaliduntil)))"
          + " FROM %s r WHERE rolname !~ '^pg_' ORDER BY rolname";

  private static final String COMMENTS =
      "SELECT rolname, format('COMMENT ON ROLE %I IS %L', rolname, shobj_description(oid,"
          + " 'pg_authid')) FROM pg_roles WHERE rolname !~ '^pg_'"
          + " AND shobj_description(oid, 'pg_authid') IS NOT NULL ORDER BY rolname";

  /**
   * Settings are stored as name=value. The value of a list of names is stored as it is written, of
   * all others as it is meant.
   */
  private static final String ASSIGNMENT =
      " format('%I TO %s', split_part(s, '=', 1), CASE"
          + " WHEN split_part(s, '=', 1) NOT IN ('local_preload_libraries', 'search_path',"
          + " 'session_preload_libraries', 'shared_preload_libraries', 'temp_tablespaces',"
          + " 'unix_socket_directories') THEN quote_literal(substr(s, strpos(s, '=') + 1))"
          + " WHEN substr(s, strpos(s, '=') + 1) IN ('', '\"\"') THEN ''''''"
          + " ELSE substr(s, strpos(s, '=') + 1) END)";

  private static final String ROLE_SETTINGS =
      "SELECT rolname, format('ALTER ROLE %I SET ', rolname) ||"
          + ASSIGNMENT
          + " FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole, unnest(setconfig) s"
          + " WHERE setdatabase = 0 AND rolname !~ '^pg_' ORDER BY rolname, s";

  private static final String MEMBERSHIPS =
      "SELECT format('GRANT %I TO %I', g.rolname, m.rolname)"
          + " || CASE WHEN a.admin_option THEN ' WITH ADMIN OPTION' ELSE '' END"
          + " FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid"
          + " JOIN pg_roles m ON m.oid = a.member WHERE m.rolname !~ '^pg_' ORDER BY 1";

  private static final String SETTINGS =
      "SELECT rolname,"
          + ASSIGNMENT
          + " FROM pg_db_role_setting d LEFT JOIN pg_roles r ON r.oid = d.setrole,"
          + " unnest(setconfig) s WHERE setdatabase = (SELECT oid FROM pg_database"
          + " WHERE datname = current_database()) ORDER BY rolname NULLS FIRST, s";

  private static final String GRANTS =
      "SELECT r.rolname, a.privilege_type, a.is_grantable, a.grantee"
          + " FROM pg_database d, aclexplode(d.datacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee"
          + " WHERE d.datname = current_database() AND a.grantee <> d.datdba"
          + " ORDER BY r.rolname NULLS FIRST, 2";

  private static final String DATABASE =
      "SELECT concat_ws(' ', 'TEMPLATE template0 ENCODING',"
          + " quote_literal(pg_encoding_to_char(encoding)),"
          + " 'LC_COLLATE ' || quote_literal(datcollate), 'LC_CTYPE ' || quote_literal(datctype),"
          + " CASE WHEN to_jsonb(d) ->> 'datlocprovider' = 'i' THEN 'LOCALE_PROVIDER icu"
          + " ICU_LOCALE ' || quote_literal(to_jsonb(d) ->> 'daticulocale') END),"
          + " pg_get_userbyid(datdba), datacl IS NULL"
          + " FROM pg_database d WHERE datname = current_database()";

  private final Connection connection;

  GlobalsReader(Connection connection) {
    this.connection = connection;
  }

  /**
   * Reads all.
   *
   * @param passwords also the verifiers of passwords, for which it takes the right to read all data
   */
  Globals read(boolean passwords) throws SQLException {
    Map<String, List<String>> roles = new LinkedHashMap<>();
    String from =
        passwords
            ? ROLES.formatted("rolpassword", "pg_authid")
            : ROLES.formatted("NULL::text", "pg_roles");
    for (String query : List.of(from, COMMENTS, ROLE_SETTINGS)) {
      for (List<String> row : rows(query, 2)) {
        roles.computeIfAbsent(row.get(0), name -> new ArrayList<>()).add(row.get(1));
      }
    }
    List<String> database = rows(DATABASE, 3).get(0);
    boolean usualGrants = "t".equals(database.get(2));
    return new Globals(
        roles.entrySet().stream()
            .map(role -> new Globals.Role(role.getKey(), role.getValue()))
            .toList(),
        rows(MEMBERSHIPS, 1).stream().map(row -> row.get(0)).toList(),
        rows(SETTINGS, 2).stream().map(row -> new Globals.Setting(row.get(0), row.get(1))).toList(),
        usualGrants
            ? null
            : rows(GRANTS, 3).stream()
                .map(row -> new Globals.Grant(row.get(0), row.get(1), "t".equals(row.get(2))))
                .toList(),
        database.get(0),
        database.get(1));
  }

  private List<List<String>> rows(String query, int columns) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<List<String>> all = new ArrayList<>();
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          row.add(rows.getString(column));
        }
        all.add(row);
      }
      return all;
    }
  }
}
