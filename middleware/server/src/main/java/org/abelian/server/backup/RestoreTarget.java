package org.abelian.server.backup;

import java.io.OutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.NodeAddress;

/** A server that becomes a node of the restored cluster. Not thread-safe. */
final class RestoreTarget implements AutoCloseable {
  private static final int VERSIONS_OF_MAJOR = 10_000;

  /** Held on each server while one restores to it; the bytes spell it. */
  private static final long CLAIM = 0x6162656c_72737472L;

  private static final String MEMBER =
      " NOT EXISTS (SELECT FROM pg_depend d WHERE d.deptype = 'e' AND d.objid = %1$s.oid"
          + " AND d.classid = %1$s.tableoid)";

  /** Something that is neither PostgreSQL's own nor of an extension. */
  private static final String FIRST_OBJECT =
      "SELECT min(what) FROM (SELECT 'relation ' || c.oid::regclass FROM pg_class c"
          + " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.oid >= 16384 AND"
          + MEMBER.formatted("c")
          + " UNION ALL SELECT 'routine ' || p.oid::regprocedure FROM pg_proc p"
          + " WHERE p.oid >= 16384 AND"
          + MEMBER.formatted("p")
          + " UNION ALL SELECT 'schema ' || n.nspname FROM pg_namespace n"
          + " WHERE n.oid >= 16384 AND n.nspname !~ '^pg_' AND n.nspname <> 'public'"
          + " AND n.oid NOT IN (SELECT extnamespace FROM pg_extension) AND"
          + MEMBER.formatted("n")
          + ") objects(what)";

  private final Manifest.Node node;
  private final NodeAddress address;
  private final Access access;
  private final JdbcPool pool;

  /** Lent for as long as the restore takes, since its session holds the claim. */
  private final Connection maintenance;

  private RestoreTarget(
      Manifest.Node node,
      NodeAddress address,
      Access access,
      JdbcPool pool,
      Connection maintenance) {
    this.node = node;
    this.address = address;
    this.access = access;
    this.pool = pool;
    this.maintenance = maintenance;
  }

  /**
   * Connects.
   *
   * @param access to the database that is restored
   */
  static RestoreTarget open(
      Manifest.Node node, NodeAddress address, Access access, String maintenanceDatabase)
      throws BackupException {
    JdbcPool pool = access.to(maintenanceDatabase).pool(address, "", 0);
    try {
      return new RestoreTarget(node, address, access, pool, pool.connection());
    } catch (SQLException failed) {
      pool.close();
      throw new BackupException("cannot connect to " + address, failed);
    }
  }

  Manifest.Node node() {
    return node;
  }

  private BackupException refused(String why) {
    return new BackupException("cannot restore node " + node.id() + " to " + address + ": " + why);
  }

  /** Changes nothing; says why the backup cannot be restored here. */
  RestoreTarget check(Manifest manifest) throws BackupException, SQLException {
    if (!"t".equals(value(maintenance, "SELECT pg_try_advisory_lock(" + CLAIM + ")"))) {
      throw refused("another node, or another restore, has this server");
    }
    int server = Integer.parseInt(value(maintenance, "SHOW server_version_num"));
    if (server / VERSIONS_OF_MAJOR < manifest.server() / VERSIONS_OF_MAJOR) {
      throw refused(
          "the server is older (" + server + ") than that of the backup " + manifest.server());
    }
    if (!"on".equals(value(maintenance, "SHOW is_superuser"))) {
      throw refused("role " + access.user() + " is not a superuser");
    }
    String extension =
        value(
            maintenance,
            "SELECT default_version FROM pg_available_extensions WHERE name = 'abelian_cluster'");
    if (extension == null || !isAtLeast(extension, manifest.extension())) {
      throw refused(
          "it lacks version " + manifest.extension() + " of the extensions; it has " + extension);
    }
    if (!"t"
        .equals(
            value(
                maintenance,
                "SELECT 'abelian' = ANY"
                    + " (regexp_split_to_array(current_setting('shared_preload_libraries'), '["
                    + " ,\"]+'))"))) {
      throw refused("shared_preload_libraries lacks abelian");
    }
    if (exists()) {
      try (JdbcPool pool = access.pool(address, "", 0);
          Connection database = pool.connection()) {
        checkEmpty(database);
      }
    }
    return this;
  }

  private void checkEmpty(Connection database) throws BackupException, SQLException {
    String first = value(database, FIRST_OBJECT);
    if (first != null) {
      throw refused("database " + access.database() + " is not empty: it has " + first);
    }
    boolean has = value(database, "SELECT to_regclass('abelian.node')") != null;
    if (has && "t".equals(value(database, "SELECT EXISTS (SELECT FROM abelian.node)"))) {
      throw refused("database " + access.database() + " belongs to a cluster");
    }
  }

  /** Compares numbers between dots. */
  static boolean isAtLeast(String version, String other) {
    String[] left = version.split("\\.");
    String[] right = other.split("\\.");
    for (int i = 0; i < Math.min(left.length, right.length); i++) {
      int order = Integer.compare(Integer.parseInt(left[i]), Integer.parseInt(right[i]));
      if (order != 0) {
        return order > 0;
      }
    }
    return left.length >= right.length;
  }

  private boolean exists() throws SQLException {
    try (PreparedStatement statement =
        maintenance.prepareStatement("SELECT FROM pg_database WHERE datname = ?")) {
      statement.setString(1, access.database());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /** Creates the roles that are not there; those that are stay as they are. */
  void createRoles(Globals globals) throws SQLException {
    for (Globals.Role role : globals.roles()) {
      try (PreparedStatement statement =
          maintenance.prepareStatement("SELECT FROM pg_roles WHERE rolname = ?")) {
        statement.setString(1, role.name());
        try (ResultSet rows = statement.executeQuery()) {
          if (!rows.next()) {
            execute(maintenance, role.statements());
          }
        }
      }
    }
    execute(maintenance, globals.memberships());
  }

  /** Makes the database, if it is not there, and gives it its settings, privileges and owner. */
  void createDatabase(Globals globals) throws SQLException {
    if (exists()) {
      // The dump makes the extensions and their schema.
      try (JdbcPool pool = access.pool(address, "", 0);
          Connection database = pool.connection()) {
        execute(
            database,
            List.of(
                "DROP EXTENSION IF EXISTS abelian_cluster, abelian",
                "DROP SCHEMA IF EXISTS abelian"));
      }
    } else {
      execute(
          maintenance,
          List.of(
              "CREATE DATABASE "
                  + Globals.quote(access.database())
                  + " "
                  + globals.createOptions()));
    }
    execute(maintenance, globals.databaseStatements(access.database()));
  }

  /** Restores schema and rows. */
  void fill(Program programs, Path dump, int jobs) throws Exception {
    String name = access.database().replace("\\", "\\\\").replace("'", "\\'");
    programs.run(
        "pg_restore",
        address,
        List.of("--exit-on-error", "--jobs=" + jobs, "--dbname=dbname='" + name + "'", "" + dump),
        OutputStream.nullOutputStream());
  }

  /**
   * Makes it a node of the cluster.
   *
   * @return the catalogue that the node has now
   */
  String install(String catalogue) throws SQLException {
    try (JdbcPool pool = access.pool(address, "", 0);
        Connection database = pool.connection()) {
      try (PreparedStatement statement =
          database.prepareStatement("SELECT abelian.install_catalog(?::json)")) {
        statement.setString(1, catalogue);
        statement.execute();
      }
      return value(database, "SELECT abelian.catalog()::text");
    }
  }

  private static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  @Override
  public String toString() {
    return "node " + node.id() + " at " + address;
  }

  @Override
  public void close() {
    pool.discard(maintenance);
    pool.close();
  }
}
