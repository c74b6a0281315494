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
            way("account_plain", "bigint CHECK (balance >= 0)"),
            way("account_bounded", "abelian.bounded_counter(0)")),
        List.of(new Ratio("bounded_transfer_over_plain", "account_bounded", "account_plain")));
  }

  private static Way way(String name, String type) {
    String script =
        """
        BEGIN;
        UPDATE %1$s SET balance = balance - 1 WHERE id = 1 AND balance >= 1;
        UPDATE %1$s SET balance = balance + 1 WHERE id = 2;
        END;
        """;
    return new Way(
        name,
        List.of(
            "CREATE TABLE %s (id int PRIMARY KEY, balance %s NOT NULL)".formatted(name, type),
            "INSERT INTO %s VALUES (1, %d), (2, 0)".formatted(name, BALANCE)),
        script.formatted(name),
        "SELECT bool_and(balance = CASE id WHEN 1 THEN %1$d - m ELSE m END) FROM %2$s, (SELECT %%d::bigint) c (m)"
            .formatted(BALANCE, name));
  }
}
