package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.harness.LocalNode;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.check.Condition;
import org.abelian.workloads.tpcc.check.ConsistencyCheck;
import org.abelian.workloads.tpcc.check.JournalCheck;
import org.abelian.workloads.tpcc.check.JournalFindings;
import org.abelian.workloads.tpcc.check.Violations;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.abelian.workloads.tpcc.journal.JournalReader;
import org.abelian.workloads.tpcc.load.Loader;
import org.abelian.workloads.tpcc.load.ProcedureInstaller;
import org.abelian.workloads.tpcc.load.TableCreator;
import org.abelian.workloads.tpcc.run.RunOptions;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import org.abelian.workloads.tpcc.schema.TpccSchema;

/** A small TPC-C database for tests with faults, and what must hold of it after them. */
public record SmallTpcc(long seed) {
  public static final Scale SCALE = new Scale(6, 300, 30);

  public static Database database(String url) {
    return new Database(url, LocalNode.USER, LocalNode.USER);
  }

  public void load(Database database, boolean procedures) throws Exception {
    TableCreator creator = new TableCreator(database);
    creator.create(new TpccSchema(ColumnKind.COUNTER), true);
    PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    new Loader(database, SCALE, seed).load(2, quiet);
    creator.finish();
    if (procedures) {
      new ProcedureInstaller(database).install(SCALE.warehouses());
    }
  }

  /** Starts so many terminals with NewOrder and Payment as calls. They go on until interrupted. */
  public Thread startTerminals(
      Database router, int terminals, InputOptions inputs, FileJournal journal) {
    RunOptions options =
        new RunOptions(
            SCALE,
            terminals,
            Duration.ZERO,
            Duration.ofHours(1),
            inputs,
            true,
            false,
            20,
            seed,
            true);
    TpccRun run = new TpccRun(router, options, WarehouseLocations.single(), journal);
    Thread thread =
        new Thread(
            () -> {
              try {
                run.run((second, completed) -> {});
              } catch (InterruptedException e) {
                // The end: all terminals have ended.
              }
            },
            "terminals");
    thread.start();
    return thread;
  }

  /**
   * The conditions of the specification and our own hold, what was acknowledged is there once, what
   * was reported as rolled back is not there, and no procedure broke its promise.
   */
  public void assertHolds(Database router, Path journalFile, List<LocalNode> nodes)
      throws Exception {
    assertEquals(List.of(), stopped(nodes), "a procedure broke its promise: seed " + seed);
    Map<Condition, Violations> findings = new ConsistencyCheck(router).run(SCALE.warehouses());
    assertTrue(ConsistencyCheck.holds(findings), () -> describe(findings));
    JournalFindings journal =
        new JournalCheck(router).run(JournalReader.read(List.of(journalFile)));
    assertTrue(journal.acknowledged().checked() > 0);
    assertEquals(List.of(), journal.acknowledged().examples());
    assertEquals(List.of(), journal.rolledBack().examples());
    assertEquals(List.of(), journal.undecided().examples());
  }

  /** Reasons for which procedures were stopped, by any node. */
  private static List<String> stopped(List<LocalNode> nodes) throws SQLException {
    List<String> reasons = new ArrayList<>();
    for (LocalNode node : nodes) {
      try (Connection connection = node.connectAsSuperuser();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT stopped FROM abelian.procedure WHERE stopped <> '' UNION ALL SELECT"
                      + " failure FROM abelian.independent_record WHERE failure IS NOT NULL")) {
        while (rows.next()) {
          reasons.add(rows.getString(1));
        }
      }
    }
    return reasons;
  }

  private String describe(Map<Condition, Violations> findings) {
    StringBuilder text = new StringBuilder("seed " + seed);
    findings.forEach(
        (condition, violations) -> {
          if (violations.count() > 0) {
            text.append("\n").append(condition).append(" ").append(violations.examples());
          }
        });
    return text.toString();
  }
}
