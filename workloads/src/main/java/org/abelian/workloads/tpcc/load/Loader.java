package org.abelian.workloads.tpcc.load;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.schema.Scale;

/**
 * Fills the tables in parallel, one task per table group and warehouse. The rows depend on the
 * seed, the scale and the past only, not on the number of threads.
 */
public final class Loader {
  private static final int PROGRESS_SECONDS = 5;

  private final Database database;
  private final Scale scale;
  private final long seed;
  private final Past past;
  private final LongAdder rows = new LongAdder();

  /** A loader of the rows that the specification asks for. */
  public Loader(Database database, Scale scale, long seed) {
    this(database, scale, seed, Past.specified());
  }

  /** A loader of rows that tell of another past than the specified one. */
  public Loader(Database database, Scale scale, long seed, Past past) {
    this.database = database;
    this.scale = scale;
    this.seed = seed;
    this.past = past;
  }

  /**
   * Loads all rows.
   *
   * @param threads connections that load at the same time
   * @param progress where to report progress every few seconds
   * @return the number of rows loaded
   * @throws SQLException the first error of any task
   */
  public long load(int threads, PrintStream progress) throws SQLException, InterruptedException {
    try (JdbcPool pool = database.poolForLoading(threads)) {
      load(pool, threads, progress);
    }
    return rows.sum();
  }

  private void load(JdbcPool pool, int threads, PrintStream progress)
      throws SQLException, InterruptedException {
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (LoadTask task : tasks()) {
        running.add(workers.submit(() -> run(task, pool)));
      }
      for (Future<?> future : running) {
        await(future, progress);
      }
    } finally {
      workers.shutdownNow();
    }
  }

  private List<LoadTask> tasks() {
    List<LoadTask> tasks = new ArrayList<>();
    tasks.add(new ItemTask(scale));
    for (int w = 1; w <= scale.warehouses(); w++) {
      tasks.add(new OrderTask(scale, past, w));
    }
    for (int w = 1; w <= scale.warehouses(); w++) {
      tasks.add(new StockTask(scale, past, w));
      tasks.add(new CustomerTask(scale, past, w));
    }
    return tasks;
  }

  private Void run(LoadTask task, JdbcPool pool) throws SQLException {
    try (Connection connection = pool.connection()) {
      connection.setAutoCommit(false);
      task.load(connection, TpccRandom.forTask(seed, task.name()), rows);
    }
    return null;
  }

  private void await(Future<?> future, PrintStream progress)
      throws SQLException, InterruptedException {
    while (true) {
      try {
        future.get(PROGRESS_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        progress.printf("  %,d rows loaded%n", rows.sum());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException cause) {
          throw cause;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
