package org.abelian.workloads.multikey;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction;
import org.abelian.workloads.database.CopyInto;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/**
 * A put adds 1 to all keys of a group, a get reads all of them, each by one statement. So all
 * values of a group are equal at any time, and a get that sees others has seen part of a put.
 */
public record MultiKeyWorkload(MultiKeyOptions options, Columns columns) implements Workload {
  static final String GET = "multi_get";
  static final String PUT = "multi_put";
  private static final int ALL = 100;
  private static final String READ = "SELECT v FROM multikey WHERE k = ANY (?)";
  private static final String ADD = "UPDATE multikey SET v = v + 1 WHERE k = ANY (?)";

  @Override
  public String name() {
    return "multikey";
  }

  @Override
  public String description() {
    return "%d keys a transaction, %d groups of keys, %d%% gets"
        .formatted(options.keys(), options.groups(), options.getPercent());
  }

  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE multikey (k bigint PRIMARY KEY, v %s NOT NULL)"
            .formatted(columns.choose("bigint", "abelian.counter")));
  }

  @Override
  public List<String> place() {
    return List.of("CALL create_distributed_table('multikey', 'k')");
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    try (CopyInto rows = new CopyInto(connection, "multikey")) {
      for (long k = 0; k < (long) options.groups() * options.keys(); k++) {
        rows.row(k, 0);
      }
      rows.finish();
    }
  }

  @Override
  public List<String> finish() {
    return List.of("VACUUM ANALYZE multikey");
  }

  @Override
  public Script script(int client, long seed) {
    SplittableRandom random = new SplittableRandom(seed + client);
    return () -> {
      boolean gets = random.nextInt(ALL) < options.getPercent();
      long[] keys = keysOf(random.nextInt(options.groups()));
      return gets
          ? new Transaction(GET, session -> get(session, keys))
          : new Transaction(PUT, session -> put(session, keys));
    };
  }

  private long[] keysOf(int group) {
    long first = (long) group * options.keys();
    return LongStream.range(first, first + options.keys()).toArray();
  }

  private static void get(Session session, long[] keys) throws SQLException {
    requireWhole(session.rows(READ, (Object) keys), keys.length);
  }

  /** Fails when not all keys are there, or their values are not equal. */
  static void requireWhole(List<Object[]> rows, int keys) {
    if (rows.size() != keys) {
      throw new IllegalStateException("%d keys instead of %d".formatted(rows.size(), keys));
    }
    if (rows.stream().map(row -> row[0]).distinct().count() != 1) {
      throw new IllegalStateException("a torn read: part of a multi-put was seen");
    }
  }

  private static void put(Session session, long[] keys) throws SQLException {
    int changed = session.update(ADD, (Object) keys);
    if (changed != keys.length) {
      throw new IllegalStateException("%d keys instead of %d".formatted(changed, keys.length));
    }
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return List.of(
        Rule.always(
            "all keys of a group have one value",
            "SELECT count(*) FROM (SELECT k / %1$d FROM multikey GROUP BY k / %1$d HAVING min(v::bigint) <> max(v::bigint)) g"
                .formatted(options.keys())),
        Rule.always(
            "every acknowledged put is there once",
            "SELECT abs((SELECT sum(v::bigint) FROM multikey) - %d)"
                .formatted(committed.getOrDefault(PUT, 0L) * options.keys())));
  }
}
