package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Stock is taken where there is enough. */
final class ConditionalDecrement {
  private static final String PLAIN = "bigint CHECK (stock >= 0)";
  private static final String BOUNDED = "abelian.bounded_counter(0)";

  /** More than any run takes. */
  private static final long STOCK = 1_000_000_000;

  private ConditionalDecrement() {}

  /** All from one stock. */
  static Idiom contended() {
    String one = "UPDATE %s SET stock = stock - 1 WHERE id = 1";
    return new Idiom(
        "conditional_decrement",
        List.of(
            way("stock_plain", PLAIN, 1, one + " AND stock >= 1;\n"),
            way("stock_conditional", BOUNDED, 1, one + " AND stock >= 1;\n"),
            way("stock_unconditional", BOUNDED, 1, one + ";\n")),
        List.of(
            new Ratio("conditional_decrement_over_plain", "stock_conditional", "stock_plain"),
            new Ratio(
                "conditional_decrement_over_unconditional",
                "stock_conditional",
                "stock_unconditional")));
  }

  /** Each from a stock chosen at random. */
  static Idiom uncontended(int rows) {
    String any =
        "\\set k random(1, "
            + rows
            + ")\nUPDATE %s SET stock = stock - 1 WHERE id = :k AND stock >= 1;\n";
    return new Idiom(
        "conditional_decrement_uncontended",
        List.of(
            way("stocks_plain", PLAIN, rows, any), way("stocks_conditional", BOUNDED, rows, any)),
        List.of(
            new Ratio(
                "conditional_decrement_uncontended_over_plain",
                "stocks_conditional",
                "stocks_plain")));
  }

  private static Way way(String name, String type, int rows, String script) {
    return new Way(
        name,
        List.of(
            "CREATE TABLE %s (id int PRIMARY KEY, stock %s NOT NULL)".formatted(name, type),
            "INSERT INTO %s SELECT i, %d FROM generate_series(1, %d) i"
                .formatted(name, STOCK, rows)),
        script.formatted(name),
        "SELECT sum(%d - stock) = %%d FROM %s".formatted(STOCK, name));
  }
}
