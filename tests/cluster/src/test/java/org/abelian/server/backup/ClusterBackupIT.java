package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.abelian.router.pool.NodeAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a cluster that moves amounts between its nodes by all classes of commit. */
@WithCluster
class ClusterBackupIT {
  private static final String SOURCE = "backup_source";
  private static final String RESTORED = "backup_restored";
  private static final String LONE = "backup_lone";
  private static final String NAMES = "abelian_names";
  private static final long SEED = 46;
  private static final int BACKUPS = 2;
  private static final int MOMENTS = 40;
  private static final Map<Transfers.Kind, Long> WHOLE =
      Map.of(
          Transfers.Kind.COORDINATED, 0L,
          Transfers.Kind.COMMUTING, 0L,
          Transfers.Kind.INDEPENDENT, 0L);
  private static final Map<Transfers.Kind, String> CLASSES =
      Map.of(
          Transfers.Kind.COORDINATED, "commit class coordinated",
          Transfers.Kind.COMMUTING, "commit class commuting",
          Transfers.Kind.INDEPENDENT, "commit class independent");

  private static final BackupOptions HASTY = new BackupOptions(1_000, 1_000, 0, true);

  /** What is told of role auditor by a database, given as %1$s. */
  private static final String AUDITOR =
      "SELECT concat_ws(' ', rolpassword, rolconnlimit, rolcanlogin, (SELECT setconfig FROM"
          + " pg_db_role_setting WHERE setrole = r.oid AND setdatabase = 0), (SELECT admin_option"
          + " FROM pg_auth_members WHERE member = r.oid), (SELECT setconfig FROM"
          + " pg_db_role_setting d JOIN pg_database b ON b.oid = setdatabase WHERE setrole = r.oid"
          + " AND datname = '%1$s'), (SELECT pg_get_userbyid(datdba) || (SELECT"
          + " string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(datacl) acl) FROM"
          + " pg_database WHERE datname = '%1$s')) FROM pg_authid r WHERE rolname = 'auditor'";

  @TempDir Path folder;

  private final LocalCluster cluster;

  ClusterBackupIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void create(LocalCluster cluster) throws SQLException {
    Databases.create(cluster, SOURCE);
    Transfers.create(Databases.url(cluster, SOURCE));
    try (Connection routed =
            DriverManager.getConnection(
                Databases.url(cluster, SOURCE), LocalNode.SUPERUSER, LocalNode.SUPERUSER);
        Statement statement = routed.createStatement()) {
      statement.execute("SELECT abelian.names_in_catalog(false)");
    }
    assertEquals(List.of(NAMES, NAMES, NAMES), names(cluster, SOURCE));
  }

  /** Where the names of functions for users lie on each node. */
  private static List<String> names(LocalCluster cluster, String database) throws SQLException {
    List<String> found = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      found.add(
          Databases.text(
              node,
              database,
              "SELECT string_agg(DISTINCT pronamespace::regnamespace::text, ' ') FROM pg_proc"
                  + " WHERE proname LIKE 'create_distributed_%'"));
    }
    return found;
  }

  @AfterAll
  static void drop(LocalCluster cluster) throws SQLException {
    Databases.drop(cluster, SOURCE);
    Databases.drop(cluster, RESTORED);
    Databases.drop(cluster, LONE);
    for (LocalNode node : cluster.nodes()) {
      Databases.execute(node, "postgres", "DROP ROLE IF EXISTS auditor, keeper");
    }
  }

  private static Access access() {
    return new Access(LocalNode.SUPERUSER, SOURCE, LocalNode.SUPERUSER);
  }

  private NodeAddress address(int node) {
    return NodeAddress.parse(cluster.node(node).address());
  }

  private Path backup(String name) throws BackupException {
    new Backup(address(1), access(), BackupOptions.usual()).to(folder.resolve(name));
    return folder.resolve(name);
  }

  private static RestoreOptions into(String database) {
    return new RestoreOptions(database, "postgres", 2, true);
  }

  /** Restores beside the original, and gives the URL of the restored cluster. */
  private String restore(Path backup) throws BackupException {
    new Restore(Map.of(), access(), into(RESTORED)).from(backup);
    return Databases.url(cluster, RESTORED);
  }

  private static void refused(Executable work, String why) {
    String message = assertThrows(BackupException.class, work).getMessage();
    assertTrue(message.contains(why), message);
  }

  @Test
  void aBackupHasTransactionsOfEachClassWhollyOrNotAtAll() throws Exception {
    String source = Databases.url(cluster, SOURCE);
    try (Transfers transfers = new Transfers(cluster, SOURCE, SEED)) {
      assertEquals(CLASSES, transfers.classes(source));
      transfers.start();
      for (int i = 1; i <= BACKUPS; i++) {
        transfers.awaitMore(5);
        backup("b" + i);
      }
      transfers.awaitMore(5);
      transfers.stop();
      assertEquals(List.of(), transfers.failures());
      assertEquals(WHOLE, Transfers.sums(source), "the original: seed " + SEED);
      for (int i = 1; i <= BACKUPS; i++) {
        String url = restore(folder.resolve("b" + i));
        assertEquals(List.of(NAMES, NAMES, NAMES), names(cluster, RESTORED));
        assertEquals(WHOLE, Transfers.sums(url), "backup " + i + ": seed " + SEED);
        assertEquals(CLASSES, transfers.classes(url), "placement and procedures are restored");
        assertEquals(WHOLE, Transfers.sums(url), "after transfers in the restored cluster");
        Databases.drop(cluster, RESTORED);
      }
    }
  }

  @Test
  void momentsAreWholeWhileAmountsMove() throws Exception {
    List<NodeSession> sessions = new ArrayList<>();
    try (Transfers transfers = new Transfers(cluster, SOURCE, SEED + 2);
        EachNode each = new EachNode()) {
      for (int i = 0; i < cluster.nodes().size(); i++) {
        sessions.add(NodeSession.open(i + 1, address(i), access(), 10_000));
      }
      transfers.start();
      for (int i = 0; i < MOMENTS; i++) {
        transfers.awaitMore(1);
        new GatedMoment(each, 60_000).take(sessions);
        Map<Transfers.Kind, Long> sums = new TreeMap<>();
        for (NodeSession session : sessions) {
          for (Transfers.Kind kind : Transfers.Kind.values()) {
            String sum = "SELECT sum(v::bigint) FROM public." + kind.table();
            sums.merge(kind, Long.valueOf(session.read(sum)), Long::sum);
          }
        }
        assertEquals(WHOLE, sums, "moment " + i + ": seed " + (SEED + 2));
        each.run(sessions, ClusterBackupIT::rollBack);
      }
      transfers.stop();
      assertEquals(List.of(), transfers.failures());
    } finally {
      sessions.forEach(NodeSession::close);
    }
  }

  private static Object rollBack(NodeSession session) throws SQLException {
    session.rollBack();
    return session;
  }

  @Test
  void aMomentWaitsForWhatIsCommittedOnOneNodeOnly() throws Exception {
    LocalNode first = cluster.node(0);
    Databases.execute(
        first,
        SOURCE,
        "INSERT INTO abelian.intent (router, number, committed, nodes, role, work, written_at)"
            + " VALUES (gen_random_uuid(), 1, true, '{1,2}', 'app', '{}', now() + '1 day')");
    refused(
        () -> new Backup(address(0), access(), HASTY).to(folder.resolve("b")),
        "is committed on node 1 and not yet on [2]");
    Databases.execute(first, SOURCE, "DELETE FROM abelian.intent WHERE written_at > now()");
    Databases.execute(
        first,
        SOURCE,
        "BEGIN",
        "CREATE TABLE undecided (id int)",
        "PREPARE TRANSACTION 'abelian:1:undecided'");
    refused(
        () -> new Backup(address(1), access(), HASTY).to(folder.resolve("b")),
        "the commit gate of node 1 was closed");
    Databases.execute(first, SOURCE, "ROLLBACK PREPARED 'abelian:1:undecided'");
    backup("b"); // The folder is as good as new.
  }

  @Test
  void snapshotsTakenOneAfterTheOtherAreFoundTorn() throws Exception {
    Backup torn =
        new Backup(address(0), access(), BackupOptions.usual(), each -> ClusterBackupIT::oneByOne);
    try (Transfers transfers = new Transfers(cluster, SOURCE, SEED + 1)) {
      transfers.start();
      transfers.awaitMore(5);
      torn.to(folder.resolve("torn"));
      transfers.stop();
    }
    Map<Transfers.Kind, Long> sums = Transfers.sums(restore(folder.resolve("torn")));
    Databases.drop(cluster, RESTORED);
    sums.forEach((kind, sum) -> assertNotEquals(0L, sum, kind + ": seed " + (SEED + 1)));
  }

  private static void oneByOne(List<NodeSession> sessions) throws BackupException {
    for (NodeSession session : sessions) {
      try {
        session.begin();
        session.export();
        Thread.sleep(300);
      } catch (SQLException | InterruptedException failed) {
        throw new BackupException("", failed);
      }
    }
  }

  @Test
  void locksComeBeforeTheSnapshot() throws Exception {
    LocalNode node = cluster.node(0);
    Databases.execute(node, SOURCE, "CREATE TABLE late (id int)");
    try (NodeSession session = NodeSession.open(1, address(0), access(), 1_000)) {
      assertTrue(session.begin());
      Databases.execute(node, SOURCE, "INSERT INTO late VALUES (1)");
      session.export();
      Databases.execute(node, SOURCE, "INSERT INTO late VALUES (2)");
      assertEquals("1", session.read("SELECT sum(id) FROM public.late"));
      assertTrue(session.hasLockedAll());
      String dropped =
          assertThrows(
                  SQLException.class,
                  () -> Databases.execute(node, SOURCE, "SET lock_timeout = 1", "DROP TABLE late"))
              .getSQLState();
      assertEquals("55P03", dropped);
    }
    Databases.execute(node, SOURCE, "DROP TABLE late");
  }

  @Test
  void rolesSettingsAndPrivilegesAreRestoredToDatabasesThatAreEmpty() throws Exception {
    for (LocalNode node : cluster.nodes()) {
      Databases.execute(
          node,
          "postgres",
          "CREATE ROLE auditor LOGIN PASSWORD 'audited' CONNECTION LIMIT 3",
          "ALTER ROLE auditor SET search_path = 'public', \"$user\", \"Odd, Name\"",
          "ALTER ROLE auditor SET work_mem = '3MB'",
          "GRANT pg_monitor TO auditor WITH ADMIN OPTION",
          "GRANT TEMPORARY ON DATABASE " + SOURCE + " TO auditor WITH GRANT OPTION",
          "ALTER ROLE auditor IN DATABASE " + SOURCE + " SET statement_timeout = '7min'");
    }
    String before = Databases.text(cluster.node(1), "postgres", AUDITOR.formatted(SOURCE));
    Path backup = backup("b");
    for (LocalNode node : cluster.nodes()) {
      Databases.execute(node, SOURCE, "DROP OWNED BY auditor", "DROP ROLE auditor");
    }
    Databases.execute(cluster.node(2), "postgres", "CREATE DATABASE " + RESTORED);
    restore(backup);
    assertEquals(before, Databases.text(cluster.node(1), "postgres", AUDITOR.formatted(RESTORED)));
    refused(() -> restore(backup), "is not empty: it has relation");
    Databases.drop(cluster, RESTORED);
  }

  @Test
  void onlyItsOwnerMayReadABackup() throws Exception {
    try (Stream<Path> files = Files.walk(backup("b"))) {
      for (Path file : files.toList()) {
        assertEquals(
            Files.isDirectory(file)
                ? "[OWNER_EXECUTE, OWNER_READ, OWNER_WRITE]"
                : "[OWNER_READ, OWNER_WRITE]",
            Files.getPosixFilePermissions(file).stream().map(Enum::name).sorted().toList() + "",
            file.toString());
      }
    }
    refused(() -> backup("b"), "exists but is not empty");
  }

  @Test
  void nothingIsRestoredWhereItWouldDoHarm() throws Exception {
    Path backup = backup("b");
    NodeAddress first = address(0);
    NodeAddress same = new NodeAddress("localhost", first.port());
    NodeAddress nobody = new NodeAddress("127.0.0.1", 1);
    refused(() -> new Restore(Map.of(), access(), into(SOURCE)).from(backup), "is not empty");
    refused(
        () -> new Restore(Map.of(2, first), access(), into(RESTORED)).from(backup),
        "two nodes have the same address");
    refused(
        () -> new Restore(Map.of(2, same), access(), into(RESTORED)).from(backup),
        "another node, or another restore, has this server");
    refused(
        () -> new Restore(Map.of(3, nobody), access(), into(RESTORED)).from(backup),
        "nothing was restored: cannot connect to 127.0.0.1:1");
    refused(
        () -> new Restore(Map.of(9, first), access(), into(RESTORED)).from(backup),
        "the backup has no node 9");
    Manifest written = new BackupFolder(backup).verify();
    new BackupFolder(backup)
        .finish(
            new Manifest(
                written.takenAt(),
                written.database(),
                "99.0",
                written.server(),
                written.catalogue(),
                written.nodes()));
    refused(() -> restore(backup), "it lacks version 99.0 of the extensions; it has 0.");
    new BackupFolder(backup).finish(written);
    Access other = new Access(LocalNode.USER, SOURCE, LocalNode.USER);
    refused(
        () -> new Restore(Map.of(), other, into(RESTORED)).from(backup),
        "role app is not a superuser");
    Databases.execute(
        cluster.node(0), "postgres", "CREATE DATABASE " + RESTORED + " TEMPLATE template0");
    Databases.execute(
        cluster.node(0),
        RESTORED,
        "CREATE EXTENSION abelian_cluster CASCADE",
        "SELECT abelian.add_node('127.0.0.1', 5432)");
    refused(() -> restore(backup), "belongs to a cluster");
    assertEquals(
        "f",
        Databases.text(
            cluster.node(1),
            "postgres",
            "SELECT EXISTS (SELECT FROM pg_database WHERE datname = '" + RESTORED + "')"));
    Databases.drop(cluster, RESTORED);
  }

  @Test
  void aLoneNodeIsBackedUpByWhoMayReadIt() throws Exception {
    LocalNode node = cluster.node(0);
    Databases.execute(
        node,
        "postgres",
        "CREATE ROLE keeper LOGIN PASSWORD 'keeper' IN ROLE pg_read_all_data",
        "GRANT abelian_router TO keeper",
        "CREATE DATABASE " + LONE);
    Databases.execute(
        node,
        LONE,
        "CREATE EXTENSION abelian_cluster CASCADE",
        "CREATE TABLE t (id int PRIMARY KEY, n abelian.counter)",
        "INSERT INTO t VALUES (1, 0)",
        "SET abelian.split = always",
        "UPDATE t SET n = n + 5");
    Access keeper = new Access("keeper", LONE, "keeper");
    BackupOptions usual = BackupOptions.usual();
    new Backup(address(0), keeper, usual).to(folder.resolve("all"));
    assertTrue(globals("all").contains("PASSWORD 'SCRAM-SHA-256$"));
    BackupOptions modest =
        new BackupOptions(usual.lockWaitMillis(), usual.gateMillis(), usual.compression(), false);
    new Backup(address(0), keeper, modest).to(folder.resolve("b"));
    assertFalse(globals("b").contains("PASSWORD"));
    restore(folder.resolve("b"));
    assertEquals("5", Databases.text(node, RESTORED, "SELECT n FROM t"));
    Databases.drop(cluster, RESTORED);
  }

  private String globals(String name) throws IOException {
    return Files.readString(folder.resolve(name).resolve("node-1-globals.json"));
  }
}
