package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** psql, pgbench and pg_dump themselves: the router gives them what one PostgreSQL would. */
@WithNode
@WithCluster
class PsqlIT {
  private final LocalNode node;
  private final LocalCluster cluster;
  private final RouterServer router;

  PsqlIT(LocalNode node, LocalCluster cluster, RouterServer router) {
    this.node = node;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void createTables() throws SQLException {
    ParityFixture.create(node, router);
  }

  private Result same(String input, String... arguments) throws Exception {
    Result expected = ClientProgram.psql(node.port(), input, arguments);
    Result actual = ClientProgram.psql(router.port(), input, arguments);
    assertEquals(expected, actual);
    return actual;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\d account",
        "\\d+ entry",
        "\\dt account",
        "\\df shout",
        "\\dn",
        "\\du app",
        "\\l abelian",
        "SELECT id, owner, balance, hits FROM account \\gdesc",
        "SELECT id, hits FROM account WHERE id = 3 \\gx",
        "SELECT count(*) AS n FROM account \\gset\n\\echo :n",
        "SELECT 'SELECT ' || id FROM account WHERE id = 4 \\gexec",
        "SELECT nope FROM account WHERE id = 1;",
        "SELECT *\n  FROM account\n WHERE id = = 1;",
        "SELECT owner FROM account WHERE id = 1 \\; SELECT owner FROM account WHERE id = 2 \\;"
            + " UPDATE account SET owner = 'x' WHERE id IN (1, 2);",
        "\\set AUTOCOMMIT off\nUPDATE account SET balance = 0;\nROLLBACK;\nSELECT sum(balance) FROM"
            + " account;",
        "\\set ON_ERROR_ROLLBACK on\nBEGIN;\nUPDATE account SET balance = 7 WHERE id = 1;\nSELECT"
            + " 1/0;\nCOMMIT;\nSELECT balance::numeric FROM account WHERE id = 1;",
        "\\set SHOW_ALL_RESULTS on\n\\errverbose\nSELECT shout(owner) FROM account WHERE id = 1;",
      })
  void aScriptPrintsTheSame(String script) throws Exception {
    same(script + "\n");
  }

  @Test
  void severalStatementsOfOneCommandAreOneTransaction() throws Exception {
    String good = "UPDATE account SET balance = 1 WHERE id = 1; UPDATE account SET balance = 1";
    assertEquals(0, same("", "-c", good).exit());
    Result failed = same("", "-c", good.replace("= 1", "= 2") + "; SELECT 1/0");
    assertEquals(1, failed.exit());
    same("", "-c", "SELECT id, balance::numeric FROM account ORDER BY id");
  }

  @Test
  void aScriptStopsAtItsFirstErrorIfAskedTo() throws Exception {
    String script =
        "UPDATE account SET balance = 5 WHERE id = 5;\nINSERT INTO account VALUES (5);\nUPDATE"
            + " account SET balance = 6 WHERE id = 6;\n";
    assertEquals(3, same(script, "-v", "ON_ERROR_STOP=1").exit());
    assertEquals(0, same(script).exit());
    assertEquals(3, same(script.replace('5', '7'), "-v", "ON_ERROR_STOP=1", "-1").exit());
    same("SELECT id, balance::numeric FROM account WHERE id IN (5, 6, 7) ORDER BY id;");
  }

  @Test
  void copyWorksFromAndToFilesOfTheClient(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("in.csv"), "id,owner\n71,\"a\nb\"\n72,c\n");
    same("\\copy account (id, owner) FROM '" + file + "' CSV HEADER\n");
    same("SELECT id, owner FROM account ORDER BY id;");
    for (String source : new String[] {"kind", "(SELECT * FROM account WHERE id = 71)"}) {
      Path out = folder.resolve("out.txt");
      Result expected = ClientProgram.psql(node.port(), "\\copy " + source + " TO '" + out + "'\n");
      String bytes = Files.readString(out);
      Files.delete(out);
      assertEquals(
          expected, ClientProgram.psql(router.port(), "\\copy " + source + " TO '" + out + "'\n"));
      assertEquals(bytes, Files.readString(out));
    }
  }

  @Test
  void copyReadsDataBesideItInAScript() throws Exception {
    same(
        "COPY account (id, owner) FROM STDIN;\n81\ta\n82\tb\n\\.\nSELECT count(*) FROM account;\n"
            + "COPY account (id, owner) FROM STDIN;\n83\ta\n1\tb\n\\.\nSELECT count(*) FROM"
            + " account;\n");
  }

  @Test
  void anInterruptCancelsTheStatement() throws Exception {
    ClientProgram psql =
        ClientProgram.start(
            router.port(), "", "psql", "-X", "-c", "SELECT pg_sleep(55) FROM account WHERE id = 1");
    awaitSleepers(1);
    psql.interrupt();
    Result result = psql.await();
    assertTrue(
        result.output().contains("ERROR:  canceling statement due to user request"),
        result.output());
    awaitSleepers(0);
  }

  /** Bounded; an assertion that fails says that the number was never reached. */
  private void awaitSleepers(int wanted) throws SQLException, InterruptedException {
    int sleepers = -1;
    for (int attempt = 0; attempt < 1500 && sleepers != wanted; attempt++) {
      sleepers = 0;
      for (LocalNode each : cluster.nodes()) {
        try (Connection connection = each.connectAsSuperuser();
            Statement statement = connection.createStatement();
            ResultSet rows =
                statement.executeQuery(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
          rows.next();
          sleepers += rows.getInt(1);
        }
      }
      Thread.sleep(20);
    }
    assertEquals(wanted, sleepers);
  }

  @Test
  void aDumpOfOnePostgresqlLoads() throws Exception {
    Result dump =
        ClientProgram.start(
                node.port(), "", "pg_dump", "--data-only", "-t", "account", "-t", "entry")
            .await();
    assertEquals(0, dump.exit(), dump.output());
    assertEquals(0, ClientProgram.psql(router.port(), "TRUNCATE account, entry;").exit());
    Result load = ClientProgram.psql(router.port(), dump.output(), "-v", "ON_ERROR_STOP=1");
    assertEquals(0, load.exit(), load.output());
    same("SELECT id, owner, balance::numeric, hits, born FROM account ORDER BY id;");
    same("SELECT * FROM entry ORDER BY account, n;");
  }

  @Test
  void pgbenchLoadsAndRuns() throws Exception {
    pgbench("-i", "-I", "dt");
    Result placed =
        ClientProgram.psql(
            router.port(),
            """
            SELECT create_distributed_table('pgbench_accounts', 'aid');
            SELECT create_distributed_table('pgbench_tellers', 'tid');
            SELECT create_distributed_table('pgbench_branches', 'bid');
            SELECT create_distributed_table('pgbench_history', 'aid');
            """,
            "-v",
            "ON_ERROR_STOP=1");
    assertEquals(0, placed.exit(), placed.output());
    pgbench("-i", "-I", "gvp");
    for (String mode : new String[] {"simple", "extended", "prepared"}) {
      pgbench("-n", "-c", "2", "-t", "10", "-M", mode);
    }
    Result sums =
        ClientProgram.psql(
            router.port(),
            """
            SELECT count(*) FROM pgbench_accounts;
            SELECT count(*) FROM pgbench_history;
            SELECT sum(abalance) AS a FROM pgbench_accounts \\gset
            SELECT sum(bbalance) - :a FROM pgbench_branches;
            SELECT sum(tbalance) - :a FROM pgbench_tellers;
            SELECT sum(delta) - :a FROM pgbench_history;
            """,
            "-A",
            "-t");
    assertEquals("100000\n60\n0\n0\n0\n", sums.output());
    pgbench("-i", "-I", "d");
  }

  private void pgbench(String... arguments) throws Exception {
    Result result = ClientProgram.start(router.port(), "", "pgbench", arguments).await();
    assertEquals(0, result.exit(), result.output());
    assertFalse(result.output().contains("aborted"), result.output());
  }
}
