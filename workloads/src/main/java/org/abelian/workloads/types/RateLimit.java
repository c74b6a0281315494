package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Calls of one customer are counted by the minute, up to a limit. */
final class RateLimit {
  /** More than any run calls. */
  private static final long LIMIT = 1_000_000_000;

  private RateLimit() {}

  static Idiom idiom() {
    Way plain = way("calls_plain", "bigint CHECK (used <= " + LIMIT + ")");
    Way bounded = way("calls_bounded", "abelian.bounded_counter(0, " + LIMIT + ")");
    return new Idiom(
        "rate_limit",
        List.of(plain, bounded),
        List.of(new Ratio("rate_limit_over_plain", bounded.name(), plain.name())));
  }

  private static Way way(String name, String type) {
    return new Way(
        name,
        List.of(
            "CREATE TABLE %s (customer int, minute int, used %s NOT NULL, PRIMARY KEY (customer, minute))"
                .formatted(name, type),
            "INSERT INTO %s SELECT 1, m, 0 FROM generate_series(0, 59) m".formatted(name)),
        ("UPDATE %s SET used = used + 1 WHERE customer = 1"
                + " AND minute = extract(minute FROM now())::int AND used < %d;\n")
            .formatted(name, LIMIT),
        "SELECT sum(used) = %%d FROM %s".formatted(name));
  }
}
