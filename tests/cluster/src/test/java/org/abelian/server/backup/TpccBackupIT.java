package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.abelian.cluster.SmallTpcc;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.abelian.router.pool.NodeAddress;
import org.abelian.workloads.tpcc.input.HomeWarehouse;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup of TPC-C while it runs, restored to new nodes; then, on these, backups that are killed,
 * or lose a node, half-way.
 */
@WithCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TpccBackupIT {
  private static final String SOURCE = "backup_tpcc";
  private static final long SEED = 47;
  private static final int TERMINALS = 4;

  /** Some hundred entries of the journal. */
  private static final long ENTRIES_BYTES = 10_000;

  private static final long WAIT_SECONDS = 30;

  /** More of the transactions than the specification wants go to a second node. */
  private static final InputOptions REMOTE = new InputOptions(HomeWarehouse.FIXED, 10, 60, 1);

  private static final String SESSIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('abelian backup',"
          + " 'pg_dump') AND pid <> pg_backend_pid()";

  @TempDir static Path folder;

  private final LocalCluster source;
  private LocalCluster restored;
  private Path journal;

  TpccBackupIT(LocalCluster source) {
    this.source = source;
  }

  @BeforeAll
  void backUpAndRestore() throws Exception {
    Databases.create(source, SOURCE);
    String url = Databases.url(source, SOURCE);
    SmallTpcc tpcc = new SmallTpcc(SEED);
    tpcc.load(SmallTpcc.database(url), true);
    List<LocalNode> nodes = LocalCluster.createNodes(source.nodes().size(), Map.of());
    restored = LocalCluster.adopt(nodes);
    Access access = new Access(LocalNode.SUPERUSER, SOURCE, LocalNode.SUPERUSER);
    Path running = folder.resolve("running");
    try (FileJournal entries = new FileJournal(running)) {
      Thread terminals = tpcc.startTerminals(SmallTpcc.database(url), TERMINALS, REMOTE, entries);
      try {
        awaitSize(running, ENTRIES_BYTES);
        journal = Files.copy(running, folder.resolve("journal"));
        NodeAddress any = NodeAddress.parse(source.node(2).address());
        new Backup(any, access, BackupOptions.usual()).to(folder.resolve("b"));
        awaitSize(running, Files.size(running) + ENTRIES_BYTES); // TPC-C goes on.
      } finally {
        terminals.interrupt();
        terminals.join(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
      }
    }
    Map<Integer, NodeAddress> replaced = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      replaced.put(i + 1, NodeAddress.parse(nodes.get(i).address()));
    }
    new Restore(replaced, access, new RestoreOptions(LocalNode.DATABASE, "postgres", 1, true))
        .from(folder.resolve("b"));
  }

  @AfterAll
  void close() throws SQLException {
    if (restored != null) {
      restored.close();
    }
    Databases.drop(source, SOURCE);
  }

  private static void awaitSize(Path file, long bytes) throws InterruptedException {
    await("TPC-C stands still", () -> file.toFile().length() >= bytes);
  }

  @Test
  @Order(1)
  void conditionsOfTpccHoldAndWhatWasAcknowledgedBeforeIsThere() throws Exception {
    new SmallTpcc(SEED)
        .assertHolds(SmallTpcc.database(restored.driverUrl()), journal, restored.nodes());
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, what);
      Thread.sleep(20);
    }
  }

  private boolean isAlone(LocalNode node) {
    try {
      return Databases.text(node, LocalNode.DATABASE, SESSIONS).equals("0");
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Its process is stopped while pg_dump writes. */
  private BackupProcess stoppedWhileDumping(String name) throws Exception {
    BackupProcess backup =
        BackupProcess.start(restored.node(0), folder.resolve(name), folder.resolve(name + ".out"));
    Path dump = folder.resolve(name).resolve("node-1.dump");
    await("no dump was begun", () -> Files.exists(dump) || !backup.isAlive());
    backup.signal("STOP");
    assertTrue(backup.isAlive(), () -> text(folder.resolve(name + ".out")));
    assertFalse(isAlone(restored.node(0)), "the dump had ended");
    return backup;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      return failed.toString();
    }
  }

  private void assertNothingIsHeld(List<LocalNode> nodes) throws Exception {
    for (LocalNode node : nodes) {
      await("a session of the backup is left on " + node, () -> isAlone(node));
      assertEquals(
          "t",
          Databases.text(node, LocalNode.DATABASE, "SELECT abelian.snapshot_gate(1000)"),
          "the gate of " + node);
      Databases.execute(
          node,
          LocalNode.DATABASE,
          "SET lock_timeout = 1000",
          "SELECT abelian.enter_commit_gate()");
    }
  }

  @Test
  @Order(2)
  void aBackupThatIsKilledLeavesNoSessionNoSnapshotAndNoGate() throws Exception {
    try (BackupProcess backup = stoppedWhileDumping("killed")) {
      backup.signal("KILL");
      assertNothingIsHeld(restored.nodes());
    }
    assertFalse(Files.exists(folder.resolve("killed").resolve(BackupFolder.MANIFEST)));
  }

  @Test
  @Order(3)
  void aBackupThatIsKilledAtTheGatesLeavesThemOpen() throws Exception {
    try (var blocker = Databases.connect(restored.node(2), LocalNode.DATABASE);
        var statement = blocker.createStatement()) {
      statement.execute("BEGIN");
      statement.execute("SELECT abelian.enter_commit_gate()");
      try (BackupProcess backup =
          BackupProcess.start(
              restored.node(0), folder.resolve("gates"), folder.resolve("gates.out"))) {
        await("it does not come to the gate", () -> waitsAtGate(restored.node(2)));
        backup.signal("KILL");
      }
      assertNothingIsHeld(restored.nodes().subList(0, 2));
      statement.execute("ROLLBACK");
    }
    assertNothingIsHeld(restored.nodes());
  }

  private static boolean waitsAtGate(LocalNode node) {
    try {
      return !Databases.text(
              node,
              LocalNode.DATABASE,
              "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'abelian backup' AND"
                  + " wait_event_type = 'Lock'")
          .equals("0");
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Test
  @Order(4)
  void aBackupThatLosesANodeFailsAndLeavesNothing() throws Exception {
    try (BackupProcess backup = stoppedWhileDumping("lost")) {
      restored.node(0).kill();
      backup.signal("CONT");
      assertEquals(1, backup.status());
    } finally {
      restored.node(0).start();
    }
    String said = text(folder.resolve("lost.out"));
    assertTrue(said.startsWith("abelian backup: error: "), said);
    try (Stream<Path> files = Files.list(folder.resolve("lost"))) {
      assertEquals(List.of(), files.toList());
    }
    assertNothingIsHeld(restored.nodes());
  }
}
