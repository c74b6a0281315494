package org.abelian.histories.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Program;
import org.abelian.histories.program.Statement.Select;
import org.abelian.histories.program.Transaction;

/** Runs one program after the other on connections that stay open. */
public final class Laboratory implements AutoCloseable {
  private static final int SESSIONS_MAX = 5;
  private static final List<Integer> ALL_KEYS = List.of(1, 2, 3);

  private final Connection control;
  private final List<Connection> connections = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(SESSIONS_MAX);
  private final Table table;
  private final boolean touch;
  private long runs;

  /** Where connections come from. */
  public interface Source {
    Connection open() throws SQLException;
  }

  /**
   * Opens the connections.
   *
   * @param settings SET commands that every session begins with
   * @param touch whether every second history operates on its counters before it begins
   */
  public Laboratory(Source source, Table table, List<String> settings, boolean touch)
      throws SQLException {
    this.table = table;
    this.touch = touch;
    control = source.open();
    for (int i = 0; i < SESSIONS_MAX; i++) {
      Connection connection = source.open();
      try (Statement statement = connection.createStatement()) {
        // A statement that waits longer than this waits for nothing that a history has.
        statement.execute("SET statement_timeout = '20s'");
        statement.execute(table.searchPath());
        for (String setting : settings) {
          statement.execute(setting);
        }
      }
      connections.add(connection);
    }
  }

  /** Runs a program and then reads all its rows, which becomes the history's last session. */
  public History run(Program program, Schedule schedule, ClientFactory clients)
      throws SQLException {
    long offset = Table.offset(++runs);
    table.fill(control, program.rows(), offset);
    if (touch && program.seed() % 2 == 0) {
      table.touch(control, offset);
    }
    AtomicLong clock = new AtomicLong();
    List<SessionRun> sessions = new ArrayList<>();
    for (int i = 0; i < program.sessions().size(); i++) {
      Client client = clients.create(connections.get(i), table.name(), offset);
      sessions.add(
          new SessionRun(
              client,
              program.level(),
              program.sessions().get(i),
              clock,
              table.name() + "_" + offset + "_" + i));
    }
    schedule.run(sessions, connections, threads, control, program.seed());
    SessionRun last = finalRead(program, clock, offset);
    while (!last.isDone()) {
      last.step();
    }
    sessions.add(last);
    return new History(program, sessions.stream().map(s -> List.copyOf(s.executions())).toList());
  }

  private SessionRun finalRead(Program program, AtomicLong clock, long offset) {
    Select all = new Select(Condition.ids(ALL_KEYS), List.of(Column.values()), false);
    return new SessionRun(
        new Client(control, table.name(), offset),
        program.level(),
        List.of(new Transaction(List.of(all), Transaction.End.COMMIT)),
        clock,
        "");
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    for (Connection connection : connections) {
      connection.close();
    }
    control.close();
  }
}
