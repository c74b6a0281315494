package org.abelian.workloads.incr;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/**
 * INCR of the Doppel paper: transactions that add 1 to one key.
 *
 * @param keys how many there are
 * @param hotPercent so many of all transactions add to the same key, the others to any
 */
public record IncrWorkload(int keys, int hotPercent, Columns columns) implements Workload {
  static final String TYPE = "incr";
  private static final int ALL = 100;
  private static final String ADD = "UPDATE incr SET n = n + 1 WHERE k = ?";

  @Override
  public String name() {
    return "incr";
  }

  @Override
  public String description() {
    return "%,d keys, %d%% of the additions to one of them".formatted(keys, hotPercent);
  }

  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE incr (k integer PRIMARY KEY, n %s NOT NULL)"
            .formatted(columns.choose("bigint", "abelian.counter")));
  }

  @Override
  public List<String> place() {
    return List.of("CALL create_distributed_table('incr', 'k')");
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    try (CopyInto rows = new CopyInto(connection, "incr")) {
      for (int k = 1; k <= keys; k++) {
        rows.row(k, 0);
      }
      rows.finish();
    }
  }

  @Override
  public List<String> finish() {
    return List.of("VACUUM ANALYZE incr");
  }

  @Override
  public Script script(int client, long seed) {
    SplittableRandom random = new SplittableRandom(seed + client);
    return () -> {
      int key = key(random);
      return new Transaction(TYPE, session -> session.updateOne(ADD, key));
    };
  }

  /** The hot key is 1. */
  int key(SplittableRandom random) {
    return random.nextInt(ALL) < hotPercent ? 1 : 1 + random.nextInt(keys);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return List.of(
        Rule.always(
            "every acknowledged addition is there once",
            "SELECT abs((SELECT sum(n) FROM incr) - %d)"
                .formatted(committed.getOrDefault(TYPE, 0L))));
  }
}
