package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/**
 * Distributed procedures: every participant runs the body on its own rows, and all or none commit.
 */
@WithCluster
class ProcedureIT {
  private static final int ACCOUNTS = 40;

  /** With the functions whose bodies name the tables: other tests share the cluster. */
  private static final String DROP = "DROP TABLE IF EXISTS entry, account CASCADE";

  private final LocalCluster cluster;
  private Connection connection;

  ProcedureIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void create() throws SQLException {
    connection = cluster.connect();
    execute(DROP);
    execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0))");
    execute("CREATE TABLE entry (account int REFERENCES account, amount bigint, note text)");
    execute("SELECT create_distributed_table('account', 'id')");
    execute("SELECT create_distributed_table('entry', 'account', colocate_with => 'account')");
    StringBuilder accounts = new StringBuilder("INSERT INTO account VALUES (1, 100)");
    for (int id = 2; id <= ACCOUNTS; id++) {
      accounts.append(", (").append(id).append(", 100)");
    }
    execute(accounts.toString());
    execute(
        "CREATE OR REPLACE PROCEDURE transfer(source int, target int, amount bigint) LANGUAGE"
            + " plpgsql AS $$ BEGIN   UPDATE account SET balance = balance - amount WHERE id ="
            + " source;   UPDATE account SET balance = balance + amount WHERE id = target;   INSERT"
            + " INTO entry VALUES (source, -amount, 'out'), (target, amount, 'in'); END $$");
    execute(
        "CREATE OR REPLACE FUNCTION total(ids int[], OUT sum bigint, OUT rows int) LANGUAGE plpgsql"
            + " STABLE AS $$ BEGIN   SELECT coalesce(sum(balance), 0), count(*) INTO sum, rows FROM"
            + " account WHERE id = ANY (ids); END $$");
    execute(
        "CREATE OR REPLACE FUNCTION balances(ids int[]) RETURNS TABLE (account int, balance bigint)"
            + " LANGUAGE sql STABLE BEGIN ATOMIC"
            + "   SELECT a.id, a.balance FROM account a WHERE a.id = ANY (ids); END");
  }

  @AfterEach
  void close() throws SQLException {
    assertNothingIsPrepared();
    connection.close();
    connection = cluster.connect();
    execute(DROP);
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void assertNothingIsPrepared() throws SQLException {
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connect();
          Statement statement = direct.createStatement();
          ResultSet rows = statement.executeQuery("SELECT count(*) FROM pg_prepared_xacts")) {
        rows.next();
        assertEquals(0, rows.getInt(1), "prepared transactions on " + node);
      }
    }
  }

  private List<String> rows(String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : "|").append(rows.getString(i));
        }
        found.add(row.toString());
      }
    }
    return found;
  }

  private String value(String sql) throws SQLException {
    return rows(sql).get(0);
  }

  private void distributeTransfer(String arguments) throws SQLException {
    execute(
        "SELECT create_distributed_procedure('transfer(int, int, bigint)', '"
            + arguments
            + "', colocate_with => 'account')");
  }

  /** Two accounts on different nodes. */
  private int[] apart() throws SQLException {
    int[] found = new int[cluster.nodes().size()];
    int index = 0;
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connect();
          Statement statement = direct.createStatement();
          ResultSet rows = statement.executeQuery("SELECT min(id) FROM account")) {
        rows.next();
        found[index++] = rows.getInt(1);
      }
    }
    return found;
  }

  private void assertTransferred(int source, int target, int amount) throws SQLException {
    assertEquals("" + (100 - amount), value("SELECT balance FROM account WHERE id = " + source));
    assertEquals("" + (100 + amount), value("SELECT balance FROM account WHERE id = " + target));
    assertEquals(
        List.of("" + -amount, "" + amount),
        rows("SELECT amount FROM entry ORDER BY amount"),
        "each row is inserted once, on its own node");
    assertEquals("" + 100 * ACCOUNTS, value("SELECT sum(balance) FROM account"));
  }

  @Test
  void eachParticipantRunsItOnItsOwnRows() throws SQLException {
    distributeTransfer("source, target");
    int[] ids = apart();
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 30)");
    assertTransferred(ids[0], ids[1], 30);
  }

  @Test
  void parametersNameKeysAsConstantsDo() throws SQLException {
    distributeTransfer("$1, $2");
    int[] ids = apart();
    try (var call = connection.prepareStatement("CALL transfer(?, ?, ?)")) {
      for (int i = 0; i < 7; i++) {
        call.setInt(1, ids[0]);
        call.setInt(2, ids[1]);
        call.setLong(3, 2);
        call.execute();
      }
    }
    assertEquals("86", value("SELECT balance FROM account WHERE id = " + ids[0]));
    assertEquals("114", value("SELECT balance FROM account WHERE id = " + ids[1]));
    assertEquals("14", value("SELECT count(*) FROM entry"));
  }

  @Test
  void aCallRoutedToTooFewNodesIsRunAgainOnAllItNeeds() throws SQLException {
    distributeTransfer("source");
    int[] ids = apart();
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 30)");
    assertTransferred(ids[0], ids[1], 30);
  }

  @Test
  void aMissHiddenByAnExceptionBlockIsNoticed() throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE careless(source int, target int) LANGUAGE plpgsql AS $$"
            + " BEGIN"
            + "   UPDATE account SET balance = balance - 1 WHERE id = source;"
            + "   BEGIN UPDATE account SET balance = balance + 1 WHERE id = target;"
            + "   EXCEPTION WHEN OTHERS THEN NULL; END;"
            + " END $$");
    execute(
        "SELECT create_distributed_procedure('careless(int, int)', 'source', colocate_with =>"
            + " 'account')");
    int[] ids = apart();
    execute("CALL careless(" + ids[0] + ", " + ids[1] + ")");
    assertEquals("" + 100 * ACCOUNTS, value("SELECT sum(balance) FROM account"));
    assertEquals("101", value("SELECT balance FROM account WHERE id = " + ids[1]));
  }

  @Test
  void oneParticipantsErrorUndoesAll() throws SQLException {
    distributeTransfer("source, target");
    int[] ids = apart();
    for (int[] pair : new int[][] {{ids[0], ids[1]}, {ids[1], ids[0]}}) {
      SQLException error =
          assertThrows(
              SQLException.class,
              () -> execute("CALL transfer(" + pair[0] + ", " + pair[1] + ", 101)"));
      assertEquals("23514", error.getSQLState(), error.getMessage());
    }
    assertEquals("0", value("SELECT count(*) FROM entry"));
    assertEquals("" + ACCOUNTS, value("SELECT count(*) FROM account WHERE balance = 100"));
  }

  @Test
  void errorsOfTheBodyKeepTheirFields() throws SQLException {
    distributeTransfer("source, target");
    int[] ids = apart();
    PSQLException error =
        assertThrows(
            PSQLException.class,
            () -> execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 101)"));
    assertEquals("account_balance_check", error.getServerErrorMessage().getConstraint());
  }

  @Test
  void insideATransactionBlockItIsAPartOfIt() throws SQLException {
    distributeTransfer("source, target");
    int[] ids = apart();
    connection.setAutoCommit(false);
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 10)");
    connection.rollback();
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 20)");
    connection.commit();
    connection.setAutoCommit(true);
    assertTransferred(ids[0], ids[1], 20);
  }

  @Test
  void whereItCannotBeRunAgainTheNextAttemptGoesToTheNodesItNeeds() throws SQLException {
    distributeTransfer("source");
    int[] ids = apart();
    connection.setAutoCommit(false);
    execute("UPDATE account SET balance = balance WHERE id = " + ids[0]);
    String call = "CALL transfer(" + ids[0] + ", " + ids[1] + ", 20)";
    SQLException error = assertThrows(SQLException.class, () -> execute(call));
    assertEquals("40001", error.getSQLState(), error.getMessage());
    connection.rollback();
    execute("UPDATE account SET balance = balance WHERE id = " + ids[0]);
    execute(call);
    connection.commit();
    connection.setAutoCommit(true);
    assertTransferred(ids[0], ids[1], 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ids", ""})
  void resultsAreSummed(String arguments) throws SQLException {
    execute(
        "SELECT create_distributed_procedure('total(int[])', '"
            + arguments
            + "', colocate_with => 'account', merge => 'sum')");
    int[] ids = apart();
    String array = "ARRAY[" + ids[0] + ", " + ids[1] + ", " + ids[2] + "]";
    assertEquals("300|3", value("SELECT * FROM total(" + array + ")"));
    assertEquals("100|1", value("SELECT * FROM total(ARRAY[" + ids[2] + "])"));
    try (var call = connection.prepareStatement("SELECT sum, rows FROM total(?)")) {
      for (int i = 0; i < 7; i++) { // from some execution on, pgjdbc asks for binary results
        call.setArray(1, connection.createArrayOf("int4", new Integer[] {ids[0], ids[1]}));
        try (ResultSet row = call.executeQuery()) {
          row.next();
          assertEquals(200, row.getLong(1));
          assertEquals(2, row.getInt(2));
        }
      }
    }
  }

  @Test
  void resultsArePutTogether() throws SQLException {
    execute(
        "SELECT create_distributed_procedure('balances(int[])', 'ids', colocate_with => 'account',"
            + " merge => 'union')");
    int[] ids = apart();
    List<String> found =
        rows("SELECT * FROM balances(ARRAY[" + ids[0] + ", " + ids[1] + "])").stream()
            .sorted()
            .toList();
    assertEquals(List.of(ids[0] + "|100", ids[1] + "|100").stream().sorted().toList(), found);
  }

  @Test
  void theFirstKeysRowIsTheResult() throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE touch(a int, b int, INOUT seen int) LANGUAGE plpgsql AS $$"
            + " BEGIN"
            + "   IF abelian.is_local('account', a) THEN seen := a; END IF;"
            + "   UPDATE account SET balance = balance + 1 WHERE id = b;"
            + " END $$");
    execute(
        "SELECT create_distributed_procedure('touch(int, int, int)', 'b', colocate_with =>"
            + " 'account')");
    int[] ids = apart();
    assertEquals("" + ids[0], value("CALL touch(" + ids[0] + ", " + ids[1] + ", NULL)"));
    assertEquals("101", value("SELECT balance FROM account WHERE id = " + ids[1]));
  }

  @Test
  void replacedBodiesAreWhatRunsNext() throws SQLException {
    distributeTransfer("source, target");
    int[] ids = apart();
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 1)");
    execute(
        "CREATE OR REPLACE PROCEDURE transfer(source int, target int, amount bigint) LANGUAGE"
            + " plpgsql AS $$ BEGIN UPDATE account SET balance = 7 WHERE id IN (source, target);"
            + " END $$");
    execute("CALL transfer(" + ids[0] + ", " + ids[1] + ", 1)");
    assertEquals("2", value("SELECT count(*) FROM account WHERE balance = 7"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE INDEX ON account (balance)",
        "COMMIT",
        "CREATE TEMP TABLE scratch (x int)",
        "UPDATE kind SET name = 'x'",
      })
  void whatOnlyParticipantsWouldDoIsRefused(String command) throws SQLException {
    execute("DROP TABLE IF EXISTS kind");
    execute("CREATE TABLE kind (id int PRIMARY KEY, name text)");
    execute("SELECT create_reference_table('kind')");
    execute(
        "CREATE OR REPLACE PROCEDURE odd(k int) LANGUAGE plpgsql AS $$ BEGIN"
            + " UPDATE account SET balance = 0 WHERE id = k; "
            + command
            + "; END $$");
    execute("SELECT create_distributed_procedure('odd(int)', 'k', colocate_with => 'account')");
    assertThrows(SQLException.class, () -> execute("CALL odd(1)"));
    assertEquals("100", value("SELECT balance FROM account WHERE id = 1"));
    execute("DROP PROCEDURE odd(int)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0A000 | UPDATE account SET id = id + 1000 WHERE id = k",
        "0A000 | INSERT INTO account AS a VALUES (k, 1) ON CONFLICT (id) DO UPDATE SET id = a.id +"
            + " 1000",
        "23502 | INSERT INTO account VALUES (NULL, 1)",
      })
  void aRowThatWouldLieOnNoNodeOrOnTheWrongOneIsRefused(String sqlState, String command)
      throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE odd(k int) LANGUAGE plpgsql AS $$ BEGIN"
            + " UPDATE account SET balance = 0 WHERE id = k; "
            + command
            + "; END $$");
    execute("SELECT create_distributed_procedure('odd(int)', 'k', colocate_with => 'account')");
    SQLException error = assertThrows(SQLException.class, () -> execute("CALL odd(1)"));
    assertEquals(sqlState, error.getSQLState(), error.getMessage());
    assertEquals("100", value("SELECT balance FROM account WHERE id = 1"));
    execute("DROP PROCEDURE odd(int)");
  }

  @Test
  void aBodyThatUsesRowsOfSeveralNodesIsRefusedUnlessItsProcedureIsDistributed()
      throws SQLException {
    execute(
        "CREATE OR REPLACE PROCEDURE plain() LANGUAGE plpgsql AS"
            + " $$ DECLARE s bigint; BEGIN SELECT sum(balance) INTO s FROM account;"
            + " UPDATE account SET balance = s; END $$");
    PSQLException error = assertThrows(PSQLException.class, () -> execute("CALL plain()"));
    assertEquals("0A000", error.getSQLState());
    assertNotNull(error.getServerErrorMessage().getHint());
    assertEquals("100", value("SELECT balance FROM account WHERE id = 1"));
    execute("CREATE OR REPLACE PROCEDURE plain() LANGUAGE plpgsql AS $$ BEGIN NULL; END $$");
    execute("CALL plain()");
    execute("DROP PROCEDURE plain()");
  }
}
