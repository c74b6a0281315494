package org.abelian.workloads.types;

import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** The ten pages with most likes are read while others like some of them. */
final class TopTen {
  private static final int HOT = 10;
  private static final String[] INDEXES = {
    "CREATE INDEX ON %s (abelian.base(likes))", "CREATE INDEX ON %s (abelian.counter_object(likes))"
  };

  private TopTen() {}

  static Idiom idiom(int rows) {
    String read = "SELECT id, likes FROM %s ORDER BY likes DESC LIMIT 10;\n";
    String like =
        "\\set k random(1, " + HOT + ")\nUPDATE %s SET likes = likes + 1 WHERE id = :k;\n";
    return new Idiom(
        "top_ten",
        List.of(
            way("ranked_plain", "bigint", rows, read, like, "CREATE INDEX ON %s (likes)"),
            way("ranked_counter", "abelian.counter", rows, read, like, INDEXES),
            way("liked_unindexed", "abelian.counter", rows, like, ""),
            way("liked_indexed", "abelian.counter", rows, like, "", INDEXES)),
        List.of(
            new Ratio("top_ten_by_counter_over_plain", "ranked_counter", "ranked_plain"),
            new Ratio("indexed_writes_over_unindexed", "liked_indexed", "liked_unindexed")));
  }

  /** The hot pages have as many likes as others: any ten of those are a right answer at first. */
  private static Way way(
      String name, String type, int rows, String script, String beside, String... indexes) {
    List<String> setUp =
        new ArrayList<>(
            List.of(
                "CREATE TABLE %s (id int PRIMARY KEY, title text, likes %s NOT NULL)"
                    .formatted(name, type),
                "INSERT INTO %s SELECT i, repeat('x', 80), i %% 1000 FROM generate_series(1, %d) i"
                    .formatted(name, rows)));
    for (String index : indexes) {
      setUp.add(index.formatted(name));
    }
    setUp.add("ANALYZE " + name);
    String check =
        """
        SELECT (SELECT sum(likes) - sum(id %% 1000) FROM TABLE) = %d
           AND (SELECT array_agg(likes) FROM (SELECT likes::bigint FROM TABLE ORDER BY likes DESC LIMIT 10) by_index)
             = (SELECT array_agg(likes) FROM (SELECT likes::bigint FROM TABLE ORDER BY likes::bigint + 0 DESC LIMIT 10) by_all)\
        """;
    return new Way(
        name, setUp, script.formatted(name), beside.formatted(name), check.replace("TABLE", name));
  }
}
