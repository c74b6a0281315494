package org.abelian.workloads.router;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Worker;

/** Clients that execute one statement again and again, each on its own connection. */
final class Clients {
  /** What a measurement gives. */
  record Measured(Sample sample, Cost cost) {}

  private final Database database;
  private final int clients;
  private final int[] keys;
  private final LongSupplier serverNanos;

  /**
   * @param keys of existing rows; each execution draws one
   * @param serverNanos processor time that the router server has used, in nanoseconds; negative
   *     when it has no part in this
   */
  Clients(Database database, int clients, int[] keys, LongSupplier serverNanos) {
    this.database = database;
    this.clients = clients;
    this.keys = keys.clone();
    this.serverNanos = serverNanos;
  }

  /** Warms up for a moment, then measures. */
  Measured measure(Operation operation, Duration time, long seed) throws Exception {
    List<Executor> executors = new ArrayList<>();
    List<Long> server = new ArrayList<>();
    Crew crew =
        new Crew(
            clients,
            database,
            (pool, number) -> {
              executors.add(
                  new Executor(
                      pool.connection(), operation, new SplittableRandom(seed * clients + number)));
              return executors.get(number);
            });
    Sample sample =
        Crew.measure(List.of(crew), time, () -> server.add(serverNanos.getAsLong())).get(0);
    return new Measured(sample, cost(executors, server.get(0), server.get(1)));
  }

  private static Cost cost(List<Executor> executors, long serverBefore, long serverAfter) {
    double count = executors.stream().mapToLong(each -> each.count).sum();
    return new Cost(
        executors.stream().mapToLong(each -> each.use.nanos()).sum() / 1000.0 / count,
        executors.stream().mapToLong(each -> each.use.bytes()).sum() / count,
        serverBefore < 0 ? Double.NaN : (serverAfter - serverBefore) / 1000.0 / count);
  }

  private final class Executor implements Worker {
    private final Connection connection;
    private final PreparedStatement statement;
    private final Operation operation;
    private final SplittableRandom random;
    private final ThreadUse use = new ThreadUse();
    private long count;

    Executor(Connection connection, Operation operation, SplittableRandom random)
        throws SQLException {
      this.connection = connection;
      this.operation = operation;
      this.random = random;
      statement = connection.prepareStatement(operation.sql());
    }

    @Override
    public boolean once(long end) throws SQLException {
      operation.execute(statement, keys[random.nextInt(keys.length)]);
      count++;
      return true;
    }

    @Override
    public void begin() {
      count = 0;
      use.start();
    }

    @Override
    public void end() {
      use.stop();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
