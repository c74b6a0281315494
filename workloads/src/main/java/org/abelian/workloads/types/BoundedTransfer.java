package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Money goes from one account to another, neither of which may be overdrawn. */
final class BoundedTransfer {
  private static final long BALANCE = 1_000_000_000;

  private BoundedTransfer() {}

  static Idiom idiom() {
    return new Idiom(
        "bounded_transfer",
        List.of(
            way("account_plain", "bigint NOT NULL CHECK (balance >= 0)", "balance >= 1"),
            way("account_bounded", "abelian.bounded_counter(0) NOT NULL", "balance >= 1"),
            withOverdraft("money_plain", "numeric(18, 2)"),
            withOverdraft("money_bounded", "abelian.bounded_decimal(2)")),
        List.of(
            new Ratio("bounded_transfer_over_plain", "account_bounded", "account_plain"),
            new Ratio("overdraft_transfer_over_plain", "money_bounded", "money_plain")));
  }

  /** Each account has a limit of its own. */
  private static Way withOverdraft(String name, String type) {
    String columns =
        type
            + " NOT NULL, overdraft numeric NOT NULL DEFAULT 500.00, CHECK (balance >= -overdraft)";
    return way(name, columns, "balance - 1 >= -overdraft");
  }

  private static Way way(String name, String columns, String condition) {
    String script =
        """
        BEGIN;
        UPDATE %1$s SET balance = balance - 1 WHERE id = 1 AND %2$s;
        UPDATE %1$s SET balance = balance + 1 WHERE id = 2;
        END;
        """;
    return new Way(
        name,
        List.of(
            "CREATE TABLE %s (id int PRIMARY KEY, balance %s)".formatted(name, columns),
            "INSERT INTO %s VALUES (1, %d), (2, 0)".formatted(name, BALANCE)),
        script.formatted(name, condition),
        "SELECT bool_and(balance = CASE id WHEN 1 THEN %1$d - m ELSE m END) FROM %2$s, (SELECT %%d::bigint) c (m)"
            .formatted(BALANCE, name));
  }
}
