package org.abelian.workloads.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.check.Condition;
import org.abelian.workloads.tpcc.check.ConsistencyCheck;
import org.abelian.workloads.tpcc.check.JournalCheck;
import org.abelian.workloads.tpcc.check.JournalFindings;
import org.abelian.workloads.tpcc.check.Violations;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.input.TransactionType;
import org.abelian.workloads.tpcc.journal.EntryKey;
import org.abelian.workloads.tpcc.journal.FileJournal;
import org.abelian.workloads.tpcc.journal.JournalReader;
import org.abelian.workloads.tpcc.journal.PaymentKey;
import org.abelian.workloads.tpcc.journal.Verdict;
import org.abelian.workloads.tpcc.load.Loader;
import org.abelian.workloads.tpcc.load.TableCreator;
import org.abelian.workloads.tpcc.run.RunOptions;
import org.abelian.workloads.tpcc.run.RunResult;
import org.abelian.workloads.tpcc.run.TpccRun;
import org.abelian.workloads.tpcc.run.WarehouseLocations;
import org.abelian.workloads.tpcc.schema.ColumnKind;
import org.abelian.workloads.tpcc.schema.Scale;
import org.abelian.workloads.tpcc.schema.TpccSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TPC-C on one PostgreSQL, small. */
@WithNode
class TpccIT {
  private static final Scale SMALL = new Scale(2, 500, 60);
  private static final long SEED = 42;

  /** Parents before their children. */
  private static final List<String> DAMAGED =
      List.of(
          "warehouse",
          "district",
          "customer",
          "history",
          "orders",
          "new_order",
          "order_line",
          "stock");

  @TempDir Path folder;

  private final Database database;

  TpccIT(LocalNode node) {
    database = new Database(node.jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  private void load(ColumnKind columns) throws Exception {
    TableCreator creator = new TableCreator(database);
    creator.create(new TpccSchema(columns), false);
    PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    new Loader(database, SMALL, SEED).load(2, quiet);
    creator.finish();
  }

  private RunResult run(Path journalFile) throws Exception {
    RunOptions options =
        new RunOptions(
            SMALL,
            6,
            Duration.ZERO,
            Duration.ofSeconds(3),
            InputOptions.specified(),
            true,
            false,
            20,
            SEED,
            false);
    try (FileJournal journal = new FileJournal(journalFile)) {
      return new TpccRun(database, options, WarehouseLocations.single(), journal)
          .run((second, completed) -> {});
    }
  }

  private Set<Condition> violated() throws SQLException {
    Set<Condition> violated = EnumSet.noneOf(Condition.class);
    for (Map.Entry<Condition, Violations> e :
        new ConsistencyCheck(database).run(SMALL.warehouses()).entrySet()) {
      if (e.getValue().count() > 0) {
        violated.add(e.getKey());
      }
    }
    return violated;
  }

  private void execute(String sql) throws SQLException {
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement()) {
      assertTrue(statement.executeUpdate(sql) > 0, sql);
    }
  }

  @ParameterizedTest
  @EnumSource(ColumnKind.class)
  void aRunOfTheMixKeepsEveryConditionAndEveryAcknowledgedCommit(ColumnKind columns)
      throws Exception {
    load(columns);
    assertEquals(Set.of(), violated(), "after the load");
    Path journalFile = folder.resolve("journal");
    RunResult run = run(journalFile);
    assertEquals(List.of(), run.errors());
    assertEquals(0, run.failures());
    for (TransactionType type : TransactionType.values()) {
      assertTrue(run.types().get(type).completed() > 0, type + " never completed, seed " + SEED);
    }
    assertEquals(Set.of(), violated(), "after the run");
    Map<EntryKey, Verdict> journal = JournalReader.read(List.of(journalFile));
    assertFalse(journal.isEmpty());
    JournalFindings findings = new JournalCheck(database).run(journal);
    assertTrue(findings.holds());
    assertTrue(findings.acknowledged().checked() > 0);
  }

  @Test
  void eachDamagedTotalOrMissingRowIsReported() throws Exception {
    load(ColumnKind.PLAIN);
    assertDamage("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2", "C1, C8");
    assertDamage("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 3", "C2");
    assertDamage("DELETE FROM new_order WHERE no_d_id = 4 AND no_o_id = 50", "C3, C5, C11");
    assertDamage("DELETE FROM order_line WHERE ol_o_id = 5 AND ol_number = 1", "C4, C6");
    assertDamage("UPDATE orders SET o_carrier_id = NULL WHERE o_id = 7 AND o_d_id = 1", "C5, C7");
    assertDamage(
        "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_o_id = 6 AND ol_number = 1", "C7");
    assertDamage("UPDATE district SET d_ytd = d_ytd - 1 WHERE d_id = 9", "C1, C9");
    assertDamage("UPDATE customer SET c_balance = c_balance + 1 WHERE c_id = 8", "C10, C12");
    assertDamage("UPDATE customer SET c_ytd_payment = 11 WHERE c_id = 8", "C12");
    assertDamage("UPDATE customer SET c_payment_cnt = 2 WHERE c_id = 8", "A1");
    assertDamage("UPDATE customer SET c_delivery_cnt = 1 WHERE c_id = 8", "C11, A2");
    assertDamage("UPDATE stock SET s_order_cnt = 1 WHERE s_i_id = 8", "A3");
  }

  private void assertDamage(String sql, String conditions) throws Exception {
    Set<Condition> expected = EnumSet.noneOf(Condition.class);
    for (String name : conditions.split(", ")) {
      expected.add(Condition.valueOf(name));
    }
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement()) {
      for (String table : DAMAGED) {
        statement.execute("DROP TABLE IF EXISTS kept_" + table);
        statement.execute("CREATE TABLE kept_%1$s AS TABLE %1$s".formatted(table));
      }
      statement.execute(sql);
      assertEquals(expected, violated(), sql);
      for (String table : DAMAGED) {
        statement.execute("TRUNCATE %s CASCADE".formatted(table));
      }
      for (String table : DAMAGED) {
        statement.execute("INSERT INTO %1$s TABLE kept_%1$s".formatted(table));
        statement.execute("DROP TABLE kept_" + table);
      }
    }
    assertEquals(Set.of(), violated(), "after repair of " + sql);
  }

  @Test
  void aLostOrDoubledOrRevivedCommitIsReported() throws Exception {
    load(ColumnKind.PLAIN);
    Path journalFile = folder.resolve("journal");
    run(journalFile);
    Map<EntryKey, Verdict> journal = JournalReader.read(List.of(journalFile));
    PaymentKey payment =
        journal.keySet().stream()
            .filter(PaymentKey.class::isInstance)
            .map(PaymentKey.class::cast)
            .findFirst()
            .orElseThrow();
    String row =
        "h_w_id = %d AND h_date = timestamp 'epoch' + interval '1 microsecond' * %d"
            .formatted(payment.warehouse(), payment.dateMicros());

    journal.put(payment, Verdict.ROLLED_BACK);
    assertEquals(1, new JournalCheck(database).run(journal).rolledBack().count());
    journal.put(payment, Verdict.UNKNOWN);
    assertTrue(new JournalCheck(database).run(journal).holds());
    execute("INSERT INTO history SELECT * FROM history WHERE " + row);
    assertEquals(1, new JournalCheck(database).run(journal).undecided().count());
    journal.put(payment, Verdict.ACKNOWLEDGED);
    assertEquals(1, new JournalCheck(database).run(journal).acknowledged().count());
    execute("DELETE FROM history WHERE " + row);
    assertEquals(1, new JournalCheck(database).run(journal).acknowledged().count());
  }
}
