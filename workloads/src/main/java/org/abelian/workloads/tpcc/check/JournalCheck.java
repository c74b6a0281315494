package org.abelian.workloads.tpcc.check;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.journal.EntryKey;
import org.abelian.workloads.tpcc.journal.OrderKey;
import org.abelian.workloads.tpcc.journal.PaymentKey;
import org.abelian.workloads.tpcc.journal.Verdict;
import org.abelian.workloads.tpcc.transaction.Clock;

/** Compares what a run was told about its commits with the rows that prove them. */
public final class JournalCheck {
  private static final String ORDERS =
      "SELECT o_d_id, o_id, o_c_id, o_entry_d FROM orders WHERE o_w_id = ?";
  private static final String PAYMENTS =
      "SELECT h_d_id, h_c_w_id, h_c_d_id, h_c_id, h_date, h_amount FROM history WHERE h_w_id = ?";

  private final Database database;

  public JournalCheck(Database database) {
    this.database = database;
  }

  public JournalFindings run(Map<EntryKey, Verdict> journal) throws SQLException {
    Map<EntryKey, Integer> present = present(journal);
    JournalFindings findings =
        new JournalFindings(new Violations(), new Violations(), new Violations());
    journal.forEach((key, verdict) -> judge(findings, key, verdict, present.getOrDefault(key, 0)));
    return findings;
  }

  private static void judge(JournalFindings findings, EntryKey key, Verdict verdict, int times) {
    switch (verdict) {
      case ACKNOWLEDGED ->
          findings
              .acknowledged()
              .expect(
                  times == 1, () -> "acknowledged, but there %d times: %s".formatted(times, key));
      case ROLLED_BACK ->
          findings
              .rolledBack()
              .expect(times == 0, () -> "reported as rolled back, but there: %s".formatted(key));
      case INTENDED, UNKNOWN ->
          findings.undecided().expect(times <= 1, () -> "there %d times: %s".formatted(times, key));
    }
  }

  /** How often each journalled row is in the database. */
  private Map<EntryKey, Integer> present(Map<EntryKey, Verdict> journal) throws SQLException {
    Map<EntryKey, Integer> present = new HashMap<>();
    List<Integer> warehouses =
        journal.keySet().stream().map(EntryKey::warehouse).distinct().sorted().toList();
    try (JdbcPool pool = database.pool(1);
        Connection connection = pool.connection()) {
      for (int warehouse : warehouses) {
        count(connection, ORDERS, warehouse, present, JournalCheck::order);
        count(connection, PAYMENTS, warehouse, present, JournalCheck::payment);
      }
    }
    return present;
  }

  private static void count(
      Connection connection,
      String sql,
      int warehouse,
      Map<EntryKey, Integer> present,
      KeyReader reader)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, warehouse);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          present.merge(reader.read(warehouse, rows), 1, Integer::sum);
        }
      }
    }
  }

  private static EntryKey order(int warehouse, ResultSet row) throws SQLException {
    return new OrderKey(warehouse, row.getInt(1), row.getInt(2), row.getInt(3), micros(row, 4));
  }

  private static EntryKey payment(int warehouse, ResultSet row) throws SQLException {
    return new PaymentKey(
        warehouse,
        row.getInt(1),
        row.getInt(2),
        row.getInt(3),
        row.getInt(4),
        micros(row, 5),
        Money.cents(row.getBigDecimal(6)));
  }

  private static long micros(ResultSet row, int column) throws SQLException {
    return Clock.micros(row.getObject(column, LocalDateTime.class));
  }

  /** Makes a key of the current row. */
  @FunctionalInterface
  private interface KeyReader {
    EntryKey read(int warehouse, ResultSet row) throws SQLException;
  }
}
