package org.abelian.workloads.scatter;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.pair.Keys;

/** Readers and writers, and what has failed of what they did. */
final class Crews {
  private final ScatterTable written;
  private final Keys keys;
  private final int writers;
  private final Map<String, Map<String, Long>> failures = new ConcurrentSkipListMap<>();

  /**
   * @param written the table of transfers
   * @param keys of its rows
   * @param writers how many
   */
  Crews(ScatterTable written, Keys keys, int writers) {
    this.written = written;
    this.keys = keys;
    this.writers = writers;
  }

  ScatterTable written() {
    return written;
  }

  int writers() {
    return writers;
  }

  /**
   * Readers of a table.
   *
   * @param block whether each read is a transaction block of its own
   * @param row of the result, which their failures belong to
   */
  Crew readers(Read read, ScatterTable table, int count, boolean block, String row, long seed) {
    return new Crew(
        count,
        table.database(),
        (pool, number) ->
            new Reader(
                pool.connection(),
                block,
                failuresOf(row),
                read,
                table,
                new SplittableRandom(seed * count + number)));
  }

  /** The same by clients that ask each node themselves. */
  Crew readersByHand(
      Read read, ScatterTable table, List<Database> nodes, int count, String row, long seed) {
    return new Crew(
        count,
        nodes.get(0),
        (pool, number) ->
            ReaderByHand.connect(
                nodes, failuresOf(row), read, table, new SplittableRandom(seed * count + number)));
  }

  /** Writers of one way; the row is that of their failures. */
  Crew writers(Transfers way, String row, long seed) {
    return new Crew(
        writers,
        written.database(),
        (pool, number) -> writer(pool, way, row, seed * writers + number));
  }

  /** One of them. */
  Writer writer(JdbcPool pool, Transfers way, String row, long seed) throws SQLException {
    return new Writer(
        pool.connection(), failuresOf(row), way, written, keys, new SplittableRandom(seed));
  }

  private Map<String, Long> failuresOf(String row) {
    return failures.computeIfAbsent(row, any -> new ConcurrentSkipListMap<>());
  }

  /** How often which SQLSTATE came, for each row that had a failure. */
  Map<String, Map<String, Long>> failures() {
    Map<String, Map<String, Long>> found = new TreeMap<>(failures);
    found.values().removeIf(Map::isEmpty);
    return found;
  }
}
