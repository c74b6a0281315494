package org.abelian.workloads.bank;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Procedure;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/**
 * A transfer takes from one account and gives to another; overdrafts are allowed. A reader sums up
 * all accounts and, where there are transactions, fails unless the sum is 0.
 *
 * @param accounts how many
 * @param readPercent share of the sums, the others are transfers
 */
public record BankWorkload(int accounts, int readPercent, Columns columns) implements Workload {
  static final String TRANSFER = "transfer";
  static final String SUM = "sum";
  private static final int ALL = 100;
  private static final int AMOUNT_MAX = 100;
  private static final String ADD = "UPDATE accounts SET balance = balance + ? WHERE id = ?";
  private static final String CALL = "CALL transfer(?, ?, ?)";
  private static final String TOTAL = "SELECT sum(balance) FROM accounts";

  public BankWorkload {
    if (accounts < 2) {
      throw new IllegalArgumentException("a transfer needs two accounts");
    }
  }

  @Override
  public String name() {
    return "bank";
  }

  @Override
  public String description() {
    return "%,d accounts, %d%% sums over all of them".formatted(accounts, readPercent);
  }

  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE accounts (id integer PRIMARY KEY, balance %s NOT NULL)"
            .formatted(columns.choose("bigint", "abelian.counter")));
  }

  @Override
  public List<String> place() {
    return List.of("CALL create_distributed_table('accounts', 'id')");
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    try (CopyInto rows = new CopyInto(connection, "accounts")) {
      for (int id = 1; id <= accounts; id++) {
        rows.row(id, 0);
      }
      rows.finish();
    }
  }

  @Override
  public List<String> finish() {
    return List.of("VACUUM ANALYZE accounts");
  }

  @Override
  public List<Procedure> procedures() {
    return List.of(
        new Procedure(
            "transfer(integer, integer, bigint)",
            """
            CREATE PROCEDURE transfer(one integer, other integer, amount bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE accounts SET balance = balance + amount WHERE id = one;
              UPDATE accounts SET balance = balance - amount WHERE id = other;
            END $$\
            """,
            "one, other",
            "accounts"));
  }

  @Override
  public Script script(int client, long seed) {
    SplittableRandom random = new SplittableRandom(seed + client);
    return () ->
        random.nextInt(ALL) < readPercent
            ? new Transaction(SUM, BankWorkload::sum)
            : transfer(random);
  }

  /** Accounts in the order of their numbers, so that no two transfers wait in a circle. */
  private Transaction transfer(SplittableRandom random) {
    int one = 1 + random.nextInt(accounts);
    int other = 1 + (one + random.nextInt(accounts - 1)) % accounts;
    long amount = random.nextInt(-AMOUNT_MAX, AMOUNT_MAX + 1);
    return new Transaction(
        TRANSFER,
        session -> {
          int low = Math.min(one, other);
          int high = Math.max(one, other);
          if (session.callsProcedures()) {
            session.call(CALL, low, high, amount);
          } else {
            session.updateOne(ADD, amount, low);
            session.updateOne(ADD, -amount, high);
          }
        });
  }

  private static void sum(Session session) throws SQLException {
    Object sum = session.row(TOTAL)[0];
    if (session.hasTransactions()) {
      requireZero(sum);
    }
  }

  /** Fails when a sum shows half of a transfer. */
  static void requireZero(Object sum) {
    if (((BigDecimal) sum).signum() != 0) {
      throw new IllegalStateException("a torn read: the sum of all accounts is " + sum);
    }
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return List.of(
        Rule.always("the sum of all accounts is 0", "SELECT abs(sum(balance)) FROM accounts"));
  }
}
